"""Connections leave nothing behind, however they end, and one connection never has more than one turn at once."""

from __future__ import annotations

import asyncio
import gc

import pytest
import uvloop
from websockets.asyncio.client import connect

from sandbox.http import connection as http_connection
from sandbox.http import websocket as http_websocket
from sandbox.http.connection import HttpProtocol
from sandbox.http.message import Request, Response
from sandbox.http.server import HttpServer, Limits
from sandbox.http.websocket import WebSocketConnection, WebSocketProtocol


class Quiet:
    subprotocols: tuple[str, ...] = ()

    def on_open(self, connection: WebSocketConnection) -> None: ...

    def on_text(self, connection: WebSocketConnection, text: str) -> None: ...

    def on_close(self, connection: WebSocketConnection) -> None: ...


async def one_of_each(port: int) -> None:
    """Every way in which a connection can end."""
    url = f"ws://127.0.0.1:{port}/"
    for sent, abort in (
        (b"GET / HTTP/1.1\r\n\r\n", False),
        (b"GET / HTTP/1.1\r\n\r\n", True),
        (b"GET / HT", True),
        (b"NONSENSE\r\n\r\n", False),
        (b"POST / HTTP/1.1\r\nContent-Length: 9999\r\n\r\n", False),
        (b"POST / HTTP/1.1\r\nContent-Length: 90\r\n\r\n" + b"x" * 40, True),
        (b"GET /later HTTP/1.1\r\n\r\n", True),
    ):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        if not sent.startswith((b"GET / HT", b"POST / HTTP/1.1\r\nContent-Length: 90\r")) or sent.endswith(b"\r\n\r\n"):
            await reader.readuntil(b"\r\n")
        writer.transport.abort() if abort else writer.close()
    async with connect(url) as socket:
        await socket.send("x")
    socket = await connect(url)
    socket.transport.abort()
    socket = await connect(url)
    await socket.send(b"binary is refused")
    await socket.wait_closed()


def test_nothing_is_left_of_closed_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_connection, "_LINGER_S", 0.05)
    monkeypatch.setattr(http_websocket, "_CLOSE_WAIT_S", 0.05)

    async def handler(request: Request) -> Response:
        await asyncio.sleep(0.001)
        return Response(200)

    async def run() -> list[object]:
        server = HttpServer(
            lambda request: handler(request) if request.path == "/later" else Response(200),
            lambda request: Quiet(),
            Limits(body_bytes=100),
        )
        await server.start()
        for _ in range(30):
            await one_of_each(server.port)
        for _ in range(500):
            if not (server.connections or server.websockets or server.tasks):
                break
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        assert not server.connections
        assert not server.websockets
        assert server.bodies.in_flight_bytes == 0
        gc.collect()
        left = [each for each in gc.get_objects() if isinstance(each, HttpProtocol | WebSocketProtocol)]
        await server.stop()
        return left

    assert uvloop.run(run()) == []


def test_a_connection_that_pipelines_has_one_request_at_work_at_a_time() -> None:
    at_work: dict[str, int] = {}
    most = 0

    async def handler(request: Request) -> Response:
        nonlocal most
        at_work[request.path] = at_work.get(request.path, 0) + 1
        most = max(most, at_work[request.path])
        await asyncio.sleep(0)
        at_work[request.path] -= 1
        return Response(200, b"x")

    async def client(port: int, name: str) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"GET /{name} HTTP/1.1\r\n\r\n".encode() * 200)
        answers = 0
        while answers < 200:
            await reader.readuntil(b"\r\n\r\nx")
            answers += 1
        writer.close()
        return answers

    async def run() -> list[int]:
        server = HttpServer(handler)
        await server.start()
        done = await asyncio.gather(*(client(server.port, f"c{number}") for number in range(20)))
        await server.stop()
        return done

    assert uvloop.run(run()) == [200] * 20
    assert most == 1
