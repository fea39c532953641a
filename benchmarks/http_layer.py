"""What the bare HTTP layer costs the sandbox in CPU: a constant answer and a WebSocket delivery, beside uvicorn's.

Every server is a process of its own whose CPU time is read from the system, so the load generator does not count. A
request is saturated (16 connections, the next request as soon as the answer is there) or paced (400 connections, 3,200
requests/s, each connection on its own schedule). A delivery is what a publication to four WebSockets costs beyond one
to nobody, divided by four. Ours and the peer run in turn, several rounds, medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any

import psutil
import uvloop

BODY = b'{"data":{"reportDataByNode":{"groupId":"' + b"x" * 300 + b'"}}}'
REQUEST_BODY = b'{"query":"' + b"q" * 600 + b'"}'
HEADERS = (
    b"Host: 127.0.0.1\r\nUser-Agent: bench\r\nAccept: */*\r\nContent-Type: application/json\r\n"
    b"x-api-key: da2-benchmark\r\nContent-Length: %d\r\n\r\n" % len(REQUEST_BODY)
)
PAYLOAD = "d" * 470  # a frame of 474 bytes
FRAME_BYTES = 474
GROUPS, SUBSCRIBERS = 100, 4
GOALS = {"request saturated": 0.7, "request paced": 0.9, "delivery": 0.9}
"""Ours / uvicorn's at the most."""


# ---- servers -------------------------------------------------------------------------------------------------------


def serve_ours() -> None:
    from sandbox.http.server import HttpServer, Request, Response
    from sandbox.http.websocket import WebSocketConnection, text_frame

    groups: dict[str, list[WebSocketConnection]] = {}
    answer = Response(200, BODY)
    payload = PAYLOAD.encode()

    class Subscribers:
        subprotocols: tuple[str, ...] = ()

        def on_open(self, connection: WebSocketConnection) -> None:
            groups.setdefault(connection.request.query, []).append(connection)

        def on_text(self, connection: WebSocketConnection, text: str) -> None: ...

        def on_close(self, connection: WebSocketConnection) -> None:
            groups[connection.request.query].remove(connection)

    def handler(request: Request) -> Response:
        subscribers = groups.get(request.query)
        if subscribers:
            frame = text_frame(payload)
            for connection in subscribers:
                connection.send_frame(frame)
        return answer

    async def run() -> None:
        server = HttpServer(handler, lambda request: Subscribers())
        await server.start()
        print(server.port, flush=True)
        await asyncio.to_thread(sys.stdin.read)

    uvloop.run(run())


def serve_uvicorn() -> None:
    import uvicorn

    groups: dict[bytes, list[Any]] = {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.accept"})
            groups.setdefault(scope["query_string"], []).append(send)
            while (await receive())["type"] != "websocket.disconnect":
                pass
            groups[scope["query_string"]].remove(send)
            return
        while (await receive()).get("more_body"):
            pass
        for subscriber in groups.get(scope["query_string"], ()):
            await subscriber({"type": "websocket.send", "text": PAYLOAD})
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(BODY))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": BODY})

    async def run() -> None:
        config = uvicorn.Config(
            app, port=0, log_level="critical", access_log=False, lifespan="off", ws="websockets-sansio",
            ws_per_message_deflate=False, loop="uvloop", http="httptools",
        )  # fmt: skip
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        print(server.servers[0].sockets[0].getsockname()[1], flush=True)
        await asyncio.to_thread(sys.stdin.read)
        server.should_exit = True
        await serving

    uvloop.run(run())


@contextmanager
def server_process(kind: str) -> Iterator[tuple[psutil.Process, int]]:
    command = [sys.executable, __file__, "--serve", kind]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield psutil.Process(process.pid), int(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait(10)


# ---- clients -------------------------------------------------------------------------------------------------------


class Client(asyncio.Protocol):
    """One connection that asks, again at once or when its time has come, and counts whole answers."""

    answer_bytes = 0  # of one answer; learnt from the first

    def __init__(self, target: str, interval_s: float) -> None:
        self.request = f"POST {target} HTTP/1.1\r\n".encode() + HEADERS + REQUEST_BODY
        self.interval_s = interval_s
        self.answers = 0
        self._received_bytes = 0
        self._next_s = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        loop = asyncio.get_running_loop()
        self._next_s = loop.time() + random.random() * self.interval_s
        loop.call_at(self._next_s, self.ask)

    def ask(self) -> None:
        if self.transport.is_closing():
            return
        self.transport.write(self.request)
        if self.interval_s:
            self._next_s += self.interval_s
            asyncio.get_running_loop().call_at(self._next_s, self.ask)

    def data_received(self, data: bytes) -> None:
        if not self.answer_bytes:
            head, found, _ = data.partition(b"\r\n\r\n")
            assert found, data
            assert head.startswith(b"HTTP/1.1 200"), head
            self.answer_bytes = len(head) + 4 + len(BODY)
        self._received_bytes += len(data)
        while self._received_bytes >= self.answer_bytes:  # a paced client may have several answers under way
            self._received_bytes -= self.answer_bytes
            self.answers += 1
            if not self.interval_s:
                self.ask()


class Subscriber(asyncio.Protocol):
    """One WebSocket that counts the bytes of its frames."""

    def __init__(self, group: int) -> None:
        self.group = group
        self.received_bytes = 0
        self._open = False
        self.opened = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.write(  # type: ignore[attr-defined]
            f"GET /w?{self.group} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )

    def data_received(self, data: bytes) -> None:
        if self._open:
            self.received_bytes += len(data)
        elif b"\r\n\r\n" in data:
            self._open = True
            self.opened.set_result(None)


async def measure(process: psutil.Process, port: int, paced: bool, subscribed: bool, seconds: float) -> float:
    """CPU microseconds of the server per request."""
    loop = asyncio.get_running_loop()
    connections, interval_s = (400, 0.125) if paced else (16, 0.0)
    subscribers: list[Subscriber] = []
    for number in range(GROUPS * SUBSCRIBERS if subscribed else 0):
        _, subscriber = await loop.create_connection(lambda at=number: Subscriber(at % GROUPS), "127.0.0.1", port)
        await subscriber.opened
        subscribers.append(subscriber)
    clients = []
    for number in range(connections):
        _, client = await loop.create_connection(
            lambda at=number: Client(f"/p?{at % GROUPS}", interval_s), "127.0.0.1", port
        )
        clients.append(client)
    await asyncio.sleep(0.5)
    before, answers = process.cpu_times(), sum(client.answers for client in clients)
    frames = sum(subscriber.received_bytes for subscriber in subscribers)
    await asyncio.sleep(seconds)
    after, answers = process.cpu_times(), sum(client.answers for client in clients) - answers
    frames = sum(subscriber.received_bytes for subscriber in subscribers) - frames
    if subscribed and not 0.9 < frames / FRAME_BYTES / SUBSCRIBERS / answers < 1.1:
        raise SystemExit(f"deliveries do not add up: {frames} bytes for {answers} publications")
    for client in clients:
        client.transport.close()
    return (after.user + after.system - before.user - before.system) / answers * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", choices=["ours", "uvicorn"], help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.serve:
        (serve_ours if options.serve == "ours" else serve_uvicorn)()
        return
    found: dict[tuple[str, str], list[float]] = {}
    for number in range(options.rounds):
        for kind in ("ours", "uvicorn"):
            for case in ("request saturated", "request paced", "publication paced"):
                with server_process(kind) as (process, port):
                    cost = uvloop.run(measure(process, port, "paced" in case, "publication" in case, options.seconds))
                found.setdefault((kind, case), []).append(cost)
                print(f"round {number + 1} {kind:8} {case:18} {cost:6.1f} us CPU", file=sys.stderr)
    medians = {key: statistics.median(costs) for key, costs in found.items()}
    for kind in ("ours", "uvicorn"):
        added = medians[kind, "publication paced"] - medians[kind, "request paced"]
        medians[kind, "delivery"] = added / SUBSCRIBERS
    for case, goal in GOALS.items():
        ours, peers = medians["ours", case], medians["uvicorn", case]
        result = {
            "benchmark": "http",
            "case": case,
            "unit": "us CPU per delivery" if case == "delivery" else "us CPU per request",
            "ours": round(ours, 1),
            "peer": f"uvicorn {version('uvicorn')}",
            "peers": round(peers, 1),
            "ratio": round(ours / peers, 2),
            "goal": goal,
            "met": ours / peers <= goal,
        }
        print(json.dumps(result))


if __name__ == "__main__":
    main()
