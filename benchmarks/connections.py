"""What idle subscribers cost the sandbox in memory, and whether churn leaves anything behind.

First N clients connect and subscribe to their group and stay; then, for a while, clients connect, subscribe, receive a
report and leave again. Resident memory is read from the system before, between and after.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import uvloop

KEY = "da2-benchmark"
PER_GROUP = 40
HEARTBEAT_S = 10.0
SUBSCRIBE = """subscription On($groupId: ID!, $domain: String!) {
  onMessageInGroup(groupId: $groupId, domain: $domain) {
    groupId domain nodeStatus { nodeId data { key value } timestamp } } }"""
HANDSHAKE = (
    "GET /graphql/realtime HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    f"x-api-key: {KEY}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Protocol: graphql-ws\r\n\r\n"
).encode()


def serve() -> None:
    from sandbox.config import SandboxConfig
    from sandbox.server import Sandbox, run

    def announce(sandbox: Sandbox) -> None:
        print(sandbox.http.port, flush=True)

    run(SandboxConfig(api_keys=(KEY,)), announce, until_stdin_closes=True)


@contextmanager
def server() -> Iterator[tuple[int, Callable[[], float]]]:
    """A running sandbox: its port, and a function that reads its resident memory in MB."""
    # -P: this folder holds a graphql.py, which must not be taken for the package of that name.
    process = subprocess.Popen(
        [sys.executable, "-P", __file__, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        memory = psutil.Process(process.pid)
        yield port, lambda: memory.memory_info().rss / 1e6
    finally:
        process.terminate()
        process.wait()


class Subscriber(asyncio.Protocol):
    """Connects, subscribes and counts what arrives, by its bytes."""

    def __init__(self, group: str) -> None:
        loop = asyncio.get_running_loop()
        self.group = group
        self.subscribed: asyncio.Future[None] = loop.create_future()
        self.received: asyncio.Future[None] = loop.create_future()

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(HANDSHAKE)

    def data_received(self, data: bytes) -> None:
        if data.startswith(b"HTTP/1.1 101"):
            self.send({"type": "connection_init"})
        if b'"connection_ack"' in data:
            query = json.dumps({"query": SUBSCRIBE, "variables": {"groupId": self.group, "domain": "d"}})
            payload = {"data": query, "extensions": {"authorization": {"host": "x", "x-api-key": KEY}}}
            self.send({"id": "0" * 36, "type": "start", "payload": payload})
        if b'"start_ack"' in data:
            self.subscribed.set_result(None)
        if b'"type":"data"' in data and not self.received.done():
            self.received.set_result(None)

    def send(self, message: dict[str, Any]) -> None:
        payload = json.dumps(message).encode()
        length = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
        self.transport.write(b"\x81" + length + b"\0\0\0\0" + payload)


async def subscribe(port: int, group: str) -> Subscriber:
    loop = asyncio.get_running_loop()
    _, subscriber = await loop.create_connection(lambda: Subscriber(group), "127.0.0.1", port)
    await subscriber.subscribed
    return subscriber


async def post(port: int, query: str) -> Any:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    body = json.dumps({"query": query}).encode()
    head = f"POST /graphql HTTP/1.1\r\nHost: x\r\nx-api-key: {KEY}\r\nConnection: close\r\n"
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    answer = await reader.read()
    writer.close()
    content = json.loads(answer.partition(b"\r\n\r\n")[2])
    if content.get("errors"):
        raise RuntimeError(content["errors"])
    return content["data"]


async def measure(port: int, memory_mb: Callable[[], float], connections: int, churn_s: float) -> dict[str, float]:
    created = await post(
        port, 'mutation { createGroup(name: "g", hostId: "h", domain: "d", useWebSocket: true) { id } }'
    )
    churned_group = created["createGroup"]["id"]
    report = (
        f'mutation {{ reportDataByNode(groupId: "{churned_group}", domain: "d", nodeId: "n", data: []) '
        "{ groupId domain nodeStatus { nodeId data { key value } timestamp } } }"
    )
    found = {"empty_mb": memory_mb()}
    stayed = []
    for first in range(0, connections, 100):
        batch = range(first, min(first + 100, connections))
        stayed += await asyncio.gather(*(subscribe(port, f"group-{n // PER_GROUP}") for n in batch))
    found["subscribed_mb"] = memory_mb()
    # Without its host's heartbeats the group would end, and nothing more would be delivered.
    heartbeat = f'mutation {{ renewHeartbeat(groupId: "{churned_group}", domain: "d", hostId: "h") {{ groupId }} }}'
    end_s = time.monotonic() + churn_s
    cycles, halfway_mb, heartbeat_s = 0, 0.0, 0.0
    while time.monotonic() < end_s:
        if time.monotonic() > heartbeat_s:
            await post(port, heartbeat)
            heartbeat_s = time.monotonic() + HEARTBEAT_S
        coming = await asyncio.gather(*(subscribe(port, churned_group) for _ in range(20)))
        await post(port, report)
        await asyncio.gather(*(each.received for each in coming))
        for each in coming:
            each.transport.close()
        cycles += len(coming)
        if not halfway_mb and time.monotonic() > end_s - churn_s / 2:
            halfway_mb = memory_mb()
    found |= {"churned_clients": cycles, "halfway_mb": halfway_mb, "churned_mb": memory_mb()}
    for each in stayed:
        each.transport.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--churn", type=float, default=60.0, help="seconds")
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with server() as (port, memory_mb):
        found = uvloop.run(measure(port, memory_mb, given.connections, given.churn))
    print(", ".join(f"{name} {value:.0f}" for name, value in found.items()), file=sys.stderr)
    per_connection_kb = (found["subscribed_mb"] - found["empty_mb"]) / given.connections * 1e3
    growth_mb = found["churned_mb"] - found["halfway_mb"]
    for case, unit, ours, goal in (
        (f"{given.connections} idle subscribed connections", "kB each", per_connection_kb, 40.0),
        (f"growth over the second half of {found['churned_clients']:.0f} clients' churn", "MB", growth_mb, 5.0),
    ):
        result = {"benchmark": "connections", "case": case, "unit": unit, "ours": round(ours, 1)}
        print(json.dumps({**result, "goal": goal, "met": ours <= goal}), flush=True)


if __name__ == "__main__":
    main()
