"""WebSockets against the `websockets` client, and against hand-made frames where a polite client would not do."""

from __future__ import annotations

import asyncio
import socket

import pytest
import uvloop
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.frames import Frame, Opcode

from sandbox.http.server import HttpServer, Limits, Request, Response
from sandbox.http.websocket import WebSocketConnection, text_frame


class Echo:
    """Answers every text with itself and remembers what happened."""

    subprotocols = ("graphql-ws",)

    def __init__(self) -> None:
        self.opened: list[WebSocketConnection] = []
        self.closed: list[WebSocketConnection] = []
        self.texts: list[str] = []
        self.close_seen = asyncio.Event()

    def on_open(self, connection: WebSocketConnection) -> None:
        self.opened.append(connection)

    def on_text(self, connection: WebSocketConnection, text: str) -> None:
        self.texts.append(text)
        if text == "fail":
            raise RuntimeError("as asked")
        if text == "bye":
            connection.close(4000, "as asked " + "é" * 200)
        connection.send_text(text)

    def on_close(self, connection: WebSocketConnection) -> None:
        self.closed.append(connection)
        self.close_seen.set()


def with_server(conversation, limits: Limits | None = None) -> Echo:
    async def run() -> Echo:
        echo = Echo()
        server = HttpServer(
            lambda request: Response(404),
            lambda request: echo if request.path == "/graphql" else Response(403, b"no"),
            limits,
        )
        await server.start()
        try:
            await asyncio.wait_for(conversation(server, echo, f"ws://127.0.0.1:{server.port}/graphql"), 20)
        finally:
            await server.stop(grace_s=0.5)
        return echo

    return uvloop.run(run())


def test_texts_of_every_length_class_come_back_unchanged() -> None:
    """125/126 and 65,535/65,536 bytes are where the frame header changes form (RFC 6455, 5.2)."""

    async def conversation(server, echo, url):
        async with connect(url, subprotocols=["graphql-ws"], max_size=None) as client:
            assert client.subprotocol == "graphql-ws"
            for size in (0, 1, 125, 126, 65_535, 65_536, 300_000):
                await client.send("é" * (size // 2) + "x" * (size % 2))
                received = await client.recv()
                assert len(received.encode()) == size

    echo = with_server(conversation)
    assert echo.closed == echo.opened


def test_a_message_in_fragments_is_joined_and_a_ping_between_them_is_answered() -> None:
    async def conversation(server, echo, url):
        async with connect(url) as client:

            async def parts():
                yield "one "
                pong = await client.ping()
                await pong
                yield "two "
                yield "three"

            await client.send(parts())
            assert await client.recv() == "one two three"

    with_server(conversation)


@pytest.mark.parametrize(
    ("message", "code"),
    [("bye", 4000), ("fail", 1011), (b"binary", 1003), ("x" * 5000, 1009)],
    ids=["the handler closes", "the handler fails", "a binary message", "a message above the limit"],
)
def test_the_close_code_says_why(message, code: int, caplog) -> None:
    async def conversation(server, echo, url):
        async with connect(url) as client:
            await client.send(message)
            with pytest.raises(ConnectionClosed) as closed:
                await client.recv()
            assert closed.value.rcvd.code == code
        await echo.close_seen.wait()

    echo = with_server(conversation, Limits(websocket_message_bytes=4096))
    assert len(echo.closed) == 1


def test_text_that_is_not_utf8_is_refused() -> None:
    async def conversation(server, echo, url):
        async with connect(url) as client:
            client.transport.write(Frame(Opcode.TEXT, b"\xff\xfe").serialize(mask=True))
            with pytest.raises(ConnectionClosed) as closed:
                await client.recv()
            assert closed.value.rcvd.code == 1007

    with_server(conversation)


@pytest.mark.parametrize("raw", [b"\xff\xff\xff\xff", Frame(Opcode.TEXT, b"unmasked").serialize(mask=False)])
def test_bytes_that_are_no_frame_end_the_connection_with_a_protocol_error(raw: bytes) -> None:
    async def conversation(server, echo, url):
        async with connect(url) as client:
            client.transport.write(raw)
            with pytest.raises(ConnectionClosed) as closed:
                await client.recv()
            assert closed.value.rcvd.code == 1002

    with_server(conversation)


def test_a_handshake_can_be_refused_with_a_plain_answer() -> None:
    async def conversation(server, echo, url):
        with pytest.raises(InvalidStatus) as refused:
            await connect(url.replace("/graphql", "/other"))
        assert refused.value.response.status_code == 403

    with_server(conversation)


def test_a_bad_handshake_is_answered_400() -> None:
    async def conversation(server, echo, url):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /graphql HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 400")
        writer.close()

    with_server(conversation)


def test_a_client_that_half_closes_without_a_word_is_let_go() -> None:
    async def conversation(server, echo, url):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            b"GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        await reader.readuntil(b"\r\n\r\n")
        writer.write(Frame(Opcode.TEXT, b"cut off in the mid").serialize(mask=True)[:9])
        writer.write_eof()
        await echo.close_seen.wait()
        await reader.read()
        writer.close()

    echo = with_server(conversation)
    assert len(echo.closed) == 1
    assert echo.texts == []


def test_a_client_that_vanishes_is_noticed_once() -> None:
    async def conversation(server, echo, url):
        client = await connect(url)
        client.transport.abort()
        await echo.close_seen.wait()
        echo.opened[0].send_text("into the void")

    echo = with_server(conversation)
    assert len(echo.closed) == 1


def test_a_consumer_that_does_not_read_is_cut_off_at_its_limit_while_others_keep_receiving() -> None:
    async def conversation(server, echo, url):
        slow = socket.create_connection(("127.0.0.1", server.port))
        slow.sendall(
            b"GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        async with connect(url) as quick:
            while len(echo.opened) < 2:
                await asyncio.sleep(0.01)
            frame = text_frame(b"x" * 10_000)
            most_buffered_bytes = 0
            sent = 0
            while not echo.closed:
                for connection in echo.opened:
                    connection.send_frame(frame)
                    most_buffered_bytes = max(most_buffered_bytes, connection.buffered_bytes)
                sent += 1
                assert len(await quick.recv()) == 10_000
                assert sent < 10_000
            assert echo.closed[0].closed
            assert most_buffered_bytes <= 200_000
        slow.close()

    with_server(conversation, Limits(websocket_buffered_bytes=200_000))


def test_when_many_are_slow_the_slowest_go_first_until_the_budget_holds() -> None:
    async def conversation(server, echo, url):
        clients = [await connect(url) for _ in range(4)]
        for client in clients:
            client.transport.pause_reading()
        for place, connection in enumerate(echo.opened):
            for _ in range(60 + 10 * place):
                connection.send_frame(text_frame(b"x" * 100_000))
        await asyncio.sleep(0.05)
        buffered = sorted(connection.buffered_bytes for connection in echo.opened)
        assert buffered[0] > 0
        while not echo.closed:
            await asyncio.sleep(0.05)
        left = [connection for connection in echo.opened if not connection.closed]
        assert sum(connection.buffered_bytes for connection in left) <= 5_000_000
        for client in clients:
            client.transport.abort()

    with_server(conversation, Limits(websocket_buffered_bytes=100_000_000, websockets_buffered_bytes=5_000_000))


def test_the_first_message_may_arrive_together_with_the_handshake() -> None:
    async def conversation(server, echo, url):
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            b"GET /graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
            + Frame(Opcode.TEXT, b"early").serialize(mask=True)
        )
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(7) == text_frame(b"early")
        writer.close()

    with_server(conversation)


def test_stopping_the_server_says_goodbye() -> None:
    async def conversation(server, echo, url):
        async with connect(url) as client:
            await server.stop()
            with pytest.raises(ConnectionClosed) as closed:
                await client.recv()
            assert closed.value.rcvd.code == 1001

    with_server(conversation)


def test_a_request_is_plain_data() -> None:
    assert repr(Request("GET", "/a", "", {}, b"xy")) == "Request(GET /a, 2 bytes)"
