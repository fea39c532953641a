"""Whatever bytes come in, the HTTP and WebSocket layers answer in valid HTTP or frames, and never by an exception.

The protocols are driven without sockets, so many inputs are cheap: FUZZ_EXAMPLES=100000 makes it a long run.
"""

from __future__ import annotations

from collections.abc import Callable

import httptools
from hypothesis import example, given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side

from sandbox.http.connection import HttpProtocol
from sandbox.http.message import Request, Response
from sandbox.http.server import HttpServer, Limits
from sandbox.http.websocket import WebSocketConnection, WebSocketProtocol, text_frame

LIMITS = Limits(head_bytes=600, body_bytes=300, websocket_message_bytes=300)

methods = st.sampled_from([b"GET", b"POST", b"HEAD", b"OPTIONS", b"PUT", b"CONNECT", b"get", b"M-SEARCH", b""])
targets = st.one_of(
    st.sampled_from([b"/", b"/graphql?a=b", b"*", b"http://h/p?q", b"//x", b"/\xff", b"/a b", b""]),
    st.binary(max_size=30).map(lambda raw: b"/" + raw),
)
versions = st.sampled_from([b"HTTP/1.1", b"HTTP/1.0", b"HTTP/2.0", b"HTTP/9.9", b"HTP", b""])
names = st.sampled_from(
    [b"Host", b"Content-Length", b"Transfer-Encoding", b"Connection", b"Upgrade", b"Expect", b"X-A", b"Bad Name", b""]
)
values = st.one_of(
    st.sampled_from(
        [b"0", b"5", b"-1", b"99999999999999999999", b"301", b"chunked", b"gzip, chunked", b"keep-alive", b"close",
         b"Upgrade", b"h2c", b"websocket", b"100-continue", b"x\x00y", b" ", b"", b"5, 5"]
    ),
    st.binary(max_size=40),
)  # fmt: skip
bodies = st.one_of(
    st.binary(max_size=40), st.just(b"x" * 301), st.just(b"5\r\nhello\r\n0\r\n\r\n"), st.just(b"fffffffff\r\n")
)
ends = st.sampled_from([b"\r\n", b"\n", b"\r", b"\r\n\r\n"])


@st.composite
def requests(draw: st.DrawFn) -> bytes:
    """One request, nearly right."""
    end = draw(st.one_of(st.just(b"\r\n"), ends))
    head = [b" ".join((draw(methods), draw(targets), draw(versions)))]
    head += [name + b": " + value for name, value in draw(st.lists(st.tuples(names, values), max_size=5))]
    return end.join(head) + end + end + draw(bodies)


streams = st.one_of(st.binary(max_size=200), st.lists(requests(), max_size=4).map(b"".join))


def echo(request: Request) -> Response:
    return Response(200, f"{request.method} {request.path} {request.query} {request.headers}".encode() + request.body)


def talk(make_transport: Callable, pieces: list[bytes]) -> bytes:
    transport = make_transport()
    server = HttpServer(echo, limits=LIMITS)
    protocol = HttpProtocol(server)
    protocol.connection_made(transport)
    for piece in pieces:
        protocol.data_received(piece)
    protocol.connection_lost(None)
    assert server.bodies.in_flight_bytes == 0
    assert not server.connections
    return bytes(transport.written)


class Responses:
    """Reads what came back as a client would."""

    def __init__(self) -> None:
        self.statuses: list[int] = []
        self.parser = httptools.HttpResponseParser(self)

    def on_message_complete(self) -> None:
        self.statuses.append(self.parser.get_status_code())


def cut(stream: bytes, sizes: list[int]) -> list[bytes]:
    pieces, place = [], 0
    for size in sizes:
        pieces.append(stream[place : place + size])
        place += size
    return [*pieces, stream[place:]]


def answered(make_transport: Callable, stream: bytes, sizes: list[int]) -> bytes:
    """What a stream of bytes is answered, whole and cut into pieces; both must be valid HTTP and the same."""
    whole = talk(make_transport, [stream])
    if b"HEAD" not in stream and b"100-continue" not in stream:  # there a client must know what it asked
        responses = Responses()
        responses.parser.feed_data(whole)
        assert set(responses.statuses) <= {200, 400, 404, 413, 417, 431}
    assert b"HTTP/1.1 500" not in whole
    pieces = talk(make_transport, cut(stream, sizes))
    if b" 431 " not in whole + pieces:  # an unfinished head is refused when it is seen to be too long, sooner or later
        assert pieces == whole
    return whole


@given(stream=streams, sizes=st.lists(st.integers(1, 40), max_size=20))
@example(stream=b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\nGET / HTTP/1.1\r\n\r\n", sizes=[5])
@example(stream=b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhelloPOST / HTTP/1.1\r\n\r\n", sizes=[40, 3])
def test_any_bytes_are_answered_in_http_and_how_they_are_cut_makes_no_difference(
    make_transport, loop, stream: bytes, sizes: list[int]
) -> None:
    answered(make_transport, stream, sizes)


class Echo:
    subprotocols: tuple[str, ...] = ()

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.closes = 0

    def on_open(self, connection: WebSocketConnection) -> None: ...

    def on_text(self, connection: WebSocketConnection, text: str) -> None:
        self.texts.append(text)
        connection.send_text(text)

    def on_close(self, connection: WebSocketConnection) -> None:
        self.closes += 1


opcodes = st.one_of(st.sampled_from([0, 1, 2, 8, 9, 10]), st.just(1), st.integers(0, 15))
payloads = st.one_of(
    st.text(max_size=40).map(str.encode), st.binary(max_size=40), st.just(b"x" * 301), st.just(b"\x03\xe8")
)


@st.composite
def frames(draw: st.DrawFn) -> bytes:
    """One frame, nearly right."""
    payload, masked = draw(payloads), draw(st.integers(0, 9)) > 0
    key = draw(st.binary(min_size=4, max_size=4)) if masked else b""
    size = len(payload)
    raw = bytearray([draw(st.booleans()) << 7 | draw(opcodes), masked << 7 | min(size, 126)])
    raw += size.to_bytes(2, "big") if size >= 126 else b""
    raw += key + bytes(byte ^ key[place % 4] for place, byte in enumerate(payload)) if masked else payload
    if draw(st.integers(0, 9)) == 0 and raw:
        raw[draw(st.integers(0, len(raw) - 1))] ^= draw(st.integers(1, 255))
    return bytes(raw)


frame_streams = st.one_of(st.binary(max_size=100), st.lists(frames(), max_size=6).map(b"".join))


def heard(make_transport: Callable, stream: bytes, sizes: list[int]) -> list[str]:
    """The texts that a handler sees of a stream of frames; what is written back must be frames with those texts."""
    echo, transport = Echo(), make_transport()
    registry: set[WebSocketProtocol] = set()
    protocol = WebSocketProtocol(transport, Request("GET", "/", "", {}), echo, None, registry, 300, 10_000)
    protocol.open(b"")
    for piece in cut(stream, sizes):
        if not transport.closed:
            protocol.data_received(piece)
    written = bytes(transport.written)
    if not transport.closed:
        protocol.eof_received()
    protocol.connection_lost(None)
    assert echo.closes == 1
    assert not registry
    client = Protocol(Side.CLIENT)
    client.receive_data(written)
    received = [frame for frame in client.events_received() if isinstance(frame, Frame)]
    texts = [bytes(frame.data).decode() for frame in received if frame.opcode is Opcode.TEXT]
    assert texts == echo.texts
    assert client.parser_exc is None
    return texts


@given(stream=frame_streams, sizes=st.lists(st.integers(1, 30), max_size=20))
def test_any_frames_are_answered_in_frames_and_a_handler_sees_only_text(make_transport, loop, stream, sizes) -> None:
    heard(make_transport, stream, sizes)


@given(st.lists(st.binary(max_size=70_000), min_size=1, max_size=3))
def test_our_frames_are_those_of_the_websockets_library(parts: list[bytes]) -> None:
    assert text_frame(*parts) == Frame(Opcode.TEXT, b"".join(parts)).serialize(mask=False)
