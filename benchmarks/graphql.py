"""What a GraphQL request and a delivery cost the sandbox in CPU, beside a bare uvicorn application.

Every server is a process of its own and its CPU time is read from the system, so the load generator does not count.
Cases: reportDataByNode saturated (as fast as 16 connections go) and paced (400 connections, 3,200 requests/s), and what
each delivery to a WebSocket adds. Throughput is provisioned high enough that physics is on and nothing is throttled.
Peers run in turn with ours, several rounds, medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import uvloop

KEY = "da2-benchmark"
GROUPS = 100
SUBSCRIBERS_PER_GROUP = 4
REPORT = """mutation ReportDataByNode($groupId: ID!, $domain: String!, $nodeId: ID!, $data: [SensorDataInput!]!) {
  reportDataByNode(groupId: $groupId, domain: $domain, nodeId: $nodeId, data: $data) {
    groupId domain nodeStatus { nodeId groupId domain data { key value } timestamp }
    batchEvent { firedByNodeId } groupDissolve { message } } }"""
SUBSCRIBE = """subscription On($groupId: ID!, $domain: String!) {
  onMessageInGroup(groupId: $groupId, domain: $domain) {
    groupId domain nodeStatus { nodeId groupId domain data { key value } timestamp } } }"""
CREATE = """mutation Create($domain: String!) {
  createGroup(name: "g", hostId: "h", domain: $domain, useWebSocket: true) { id domain } }"""
ANSWER = json.dumps({"data": {"reportDataByNode": {"groupId": "x" * 36, "nodeStatus": {"data": "y" * 270}}}}).encode()


# ---- servers -------------------------------------------------------------------------------------------------------


def serve_sandbox() -> None:
    from capacity.dynamodb.table import Throughput
    from sandbox.config import SandboxConfig
    from sandbox.server import Sandbox, run

    def announce(sandbox: Sandbox) -> None:
        print(sandbox.http.port, flush=True)

    ample = Throughput(200_000, 200_000)
    run(SandboxConfig(api_keys=(KEY,), throughput=ample), announce, until_stdin_closes=True)


def serve_uvicorn() -> None:
    import uvicorn

    async def app(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(ANSWER))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": ANSWER})

    config = uvicorn.Config(app, port=0, log_level="critical", access_log=False, lifespan="off", loop="uvloop")

    async def main() -> None:
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        print(server.servers[0].sockets[0].getsockname()[1], flush=True)
        await serving

    uvloop.run(main())


@contextmanager
def server(kind: str) -> Iterator[tuple[int, Callable[[], float]]]:
    """A running server: its port, and a function that reads its CPU seconds."""
    # -P: this file's folder stays off the path, for its name is that of the graphql package.
    process = subprocess.Popen(
        [sys.executable, "-P", __file__, "--serve", kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        times = psutil.Process(process.pid)
        yield port, lambda: sum(times.cpu_times()[:2])
    finally:
        process.terminate()
        process.wait()


# ---- load ----------------------------------------------------------------------------------------------------------


class HttpClient(asyncio.Protocol):
    """One keep-alive connection, one request at a time; answers are checked for errors by their bytes."""

    def __init__(self) -> None:
        self.answered: asyncio.Future[bytes] | None = None
        self._buffer = b""

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, separator, body = self._buffer.partition(b"\r\n\r\n")
        if not separator:
            return
        length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n", 1)[0])
        if len(body) >= length:
            self._buffer = b""
            if b'"errors"' in body:
                raise RuntimeError(body.decode())
            if self.answered is not None and not self.answered.done():
                self.answered.set_result(body)

    def post(self, body: bytes) -> asyncio.Future[bytes]:
        self.answered = asyncio.get_running_loop().create_future()
        self.transport.write(
            b"POST /graphql HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nx-api-key: %b\r\n"
            b"Content-Length: %d\r\n\r\n%b" % (KEY.encode(), len(body), body)
        )
        return self.answered


async def connect(port: int) -> HttpClient:
    _, client = await asyncio.get_running_loop().create_connection(HttpClient, "127.0.0.1", port)
    return client


async def make_bodies(port: int) -> list[tuple[dict[str, str], bytes]]:
    """Groups in as many domains, and one report for each."""
    client = await connect(port)
    bodies = []
    for number in range(GROUPS):
        domain = f"203.0.113.{number}"
        answer = await client.post(json.dumps({"query": CREATE, "variables": {"domain": domain}}).encode())
        group = json.loads(answer)["data"]["createGroup"]
        data = [{"key": "temperature", "value": "25.5"}, {"key": "humidity", "value": "60"}]
        named = {"groupId": group["id"], "domain": domain}
        variables = {**named, "nodeId": "node-1", "data": data}
        bodies.append((named, json.dumps({"query": REPORT, "variables": variables}).encode()))
    return bodies


async def saturate(port: int, bodies: list[bytes], requests: int, connections: int = 16) -> None:
    clients = [await connect(port) for _ in range(connections)]

    async def work(first: int) -> None:
        client = clients[first]
        for number in range(first, requests, connections):
            await client.post(bodies[number % len(bodies)])

    await asyncio.gather(*(work(first) for first in range(connections)))
    for client in clients:
        client.transport.close()


async def pace(port: int, bodies: list[bytes], requests: int, per_s: float, connections: int = 400) -> None:
    clients = [await connect(port) for _ in range(connections)]
    start_s = time.monotonic() + 0.05

    async def work(first: int) -> None:
        client = clients[first]
        for number in range(first, requests, connections):
            await asyncio.sleep(start_s + number / per_s - time.monotonic())
            await client.post(bodies[number % len(bodies)])

    await asyncio.gather(*(work(first) for first in range(connections)))
    for client in clients:
        client.transport.close()


class Listener(asyncio.Protocol):
    """A subscriber that counts frames by their bytes and does nothing with them."""

    received = 0

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        self.ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        Listener.received += data.count(b'"type":"data"')
        if b'"start_ack"' in data:
            self.ready.set_result(None)

    def send(self, message: dict[str, Any]) -> None:
        payload = json.dumps(message).encode()
        self.transport.write(b"\x81\xfe" + len(payload).to_bytes(2, "big") + b"\0\0\0\0" + payload)


async def listen(port: int, named: dict[str, str]) -> Listener:
    _, listener = await asyncio.get_running_loop().create_connection(Listener, "127.0.0.1", port)
    listener.transport.write(
        b"GET /graphql/realtime HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nx-api-key: %b\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
        b"Sec-WebSocket-Protocol: graphql-ws\r\n\r\n" % KEY.encode()
    )
    await asyncio.sleep(0.02)
    listener.send({"type": "connection_init", "payload": {}})
    data = json.dumps({"query": SUBSCRIBE, "variables": named})
    authorization = {"host": "x", "x-api-key": KEY}
    payload = {"data": data, "extensions": {"authorization": authorization}}
    listener.send({"id": "0" * 36, "type": "start", "payload": payload})
    await listener.ready
    return listener


# ---- cases ---------------------------------------------------------------------------------------------------------


def microseconds(cpu_s: Callable[[], float], work: Callable[[], Any], requests: int) -> float:
    before_s = cpu_s()
    work()
    return (cpu_s() - before_s) / requests * 1e6


def round_of(requests: int, paced: int) -> dict[str, float]:
    """One round: CPU microseconds by case."""
    found = {}
    with server("uvicorn") as (port, cpu_s):
        bodies = [b'{"query":"%b"}' % (b"x" * 600)]
        uvloop.run(saturate(port, bodies, requests // 4))
        found["uvicorn saturated"] = microseconds(cpu_s, lambda: uvloop.run(saturate(port, bodies, requests)), requests)
        found["uvicorn paced"] = microseconds(cpu_s, lambda: uvloop.run(pace(port, bodies, paced, 3200)), paced)
    with server("sandbox") as (port, cpu_s):
        made = uvloop.run(make_bodies(port))
        bodies = [body for _, body in made]
        uvloop.run(saturate(port, bodies, requests // 4))
        found["saturated"] = microseconds(cpu_s, lambda: uvloop.run(saturate(port, bodies, requests)), requests)
        found["paced"] = microseconds(cpu_s, lambda: uvloop.run(pace(port, bodies, paced, 3200)), paced)

        async def with_listeners() -> tuple[float, float]:
            listeners = [await listen(port, named) for named, _ in made for _ in range(SUBSCRIBERS_PER_GROUP)]
            results = []
            for load, count in ((saturate(port, bodies, requests), requests), (pace(port, bodies, paced, 3200), paced)):
                Listener.received, before_s = 0, cpu_s()
                await load
                while Listener.received < count * SUBSCRIBERS_PER_GROUP:
                    await asyncio.sleep(0.01)
                results.append((cpu_s() - before_s) / count * 1e6)
            for listener in listeners:
                listener.transport.close()
            return results[0], results[1]

        saturated, with_pace = uvloop.run(with_listeners())
        found["delivery saturated"] = (saturated - found["saturated"]) / SUBSCRIBERS_PER_GROUP
        found["delivery paced"] = (with_pace - found["paced"]) / SUBSCRIBERS_PER_GROUP
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", choices=("sandbox", "uvicorn"), help=argparse.SUPPRESS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--requests", type=int, default=20_000, help="per round and saturated case")
    parser.add_argument("--paced", type=int, default=16_000, help="per round and paced case, at 3,200/s")
    given = parser.parse_args()
    if given.serve:
        {"sandbox": serve_sandbox, "uvicorn": serve_uvicorn}[given.serve]()
        return
    rounds = []
    for number in range(given.rounds):
        rounds.append(round_of(given.requests, given.paced))
        print(f"round {number + 1}: " + ", ".join(f"{k} {v:.1f}" for k, v in rounds[-1].items()), file=sys.stderr)
    median = {case: statistics.median(each[case] for each in rounds) for case in rounds[0]}
    for case, floor, goal in (
        ("saturated", "uvicorn saturated", 70.0),
        ("paced", "uvicorn paced", 90.0),
        ("delivery saturated", None, 12.0),
        ("delivery paced", None, 12.0),
    ):
        ours = median[case]
        result: dict[str, Any] = {
            "benchmark": "graphql",
            "case": case if "delivery" in case else f"reportDataByNode {case}",
            "unit": "us CPU per delivery" if "delivery" in case else "us CPU per request",
            "ours": round(ours, 1),
            "goal": goal,
            "met": ours <= goal,
        }
        if floor is not None:
            result |= {"peer": "uvicorn, constant answer", "peers": round(median[floor], 1)}
            result["ratio"] = round(ours / median[floor], 2)
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
