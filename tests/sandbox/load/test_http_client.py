"""The small HTTP client against servers that are not ours, over loopback and over TLS."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from locustfiles.network.http_client import BadAnswer, HttpClient

TLS = ssl.create_default_context()
ANSWER = b'{"data":{"createDomain":"192.0.2.1"}}'


class Echo(BaseHTTPRequestHandler):
    """Answers each POST with its body, in the way the path asks for."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(401 if self.path == "/refuse" else 200)
        self.send_header("X-Amzn-RequestId", self.headers["X-Api-Key"])
        if self.path == "/chunked":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for part in filter(None, (body[:3], body[3:])):
                self.wfile.write(b"%x;note=1\r\n%s\r\n" % (len(part), part))
            self.wfile.write(b"0\r\n\r\n")
            return
        if self.path == "/close":
            self.send_header("Connection", "close")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(params=["http", "https"])
def url(request: pytest.FixtureRequest) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    if request.param == "https":
        certificate, key = request.getfixturevalue("certificate")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        TLS.load_verify_locations(certificate)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"{request.param}://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def client(url: str) -> HttpClient:
    return HttpClient(url, {"X-Api-Key": "key-1"}, TLS)


@pytest.mark.parametrize("path", ["/graphql", "/chunked", "/close"])
@pytest.mark.parametrize("size_bytes", [0, 1, 300, 1_000_000])
def test_answers_come_whole_however_they_are_framed(url: str, path: str, size_bytes: int) -> None:
    http = client(url + path)
    for _ in range(3):  # a second and third request on the same connection, or on a new one
        answer = http.post(b"x" * size_bytes)
        assert (answer.status, answer.content) == (200, b"x" * size_bytes)
        assert answer.header(b"x-amzn-requestid") == "key-1"
        assert answer.header(b"x-none") is None
    http.close()


def test_a_refusal_is_an_answer(url: str) -> None:
    assert client(url + "/refuse").post(b"who?").status == 401


def speaking(script: Callable[[socket.socket], None]) -> Iterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65536)
            script(connection)

    threading.Thread(target=serve, daemon=True).start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    listener.close()


@pytest.mark.parametrize(
    ("said", "error"),
    [
        pytest.param(b"", ConnectionResetError, id="the connection ends instead of an answer"),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", ConnectionResetError, id="half an answer"),
        pytest.param(b"SSH-2.0-OpenSSH\r\n\r\n", BadAnswer, id="another protocol"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n", BadAnswer, id="an answer without a length"),
        pytest.param(b"HTTP/1.1 2xx OK\r\n\r\n", BadAnswer, id="an answer without a status"),
    ],
)
def test_what_is_no_answer_is_an_error(said: bytes, error: type[Exception]) -> None:
    for url in speaking(lambda connection: connection.sendall(said)):
        with pytest.raises(error):
            client(url).post(b"{}")


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        client(f"http://127.0.0.1:{port}/").post(b"{}")
