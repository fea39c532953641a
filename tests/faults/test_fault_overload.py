"""More load than the sandbox can serve: what waits is bounded, everybody gets a share, and all is as before after."""

from __future__ import annotations

import asyncio
import json
import os
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.faults.conftest import KEY, Sandbox, start_sandbox

CONNECTIONS = 40
SUBSCRIBERS = int(os.environ.get("WEBSOCKETS", "300"))
"""A run with WEBSOCKETS=10000 needs 10,000 file descriptors in each of two processes."""
QUERY = b'{"query": "{ listGroupsByDomain(domain: \\"d\\") { id name } }"}'
REQUEST = (
    f"POST /graphql HTTP/1.1\r\nHost: x\r\nx-api-key: {KEY}\r\nContent-Length: {len(QUERY)}\r\n\r\n".encode() + QUERY
)
BURST = 50
MIB = 1024 * 1024


@pytest.fixture
def served() -> Iterator[Sandbox]:
    """A sandbox of its own: what its memory and connections come to must be this test's doing."""
    sandbox = start_sandbox()
    yield sandbox
    sandbox.end()


def health(sandbox: Sandbox) -> dict[str, Any]:
    with urllib.request.urlopen(f"{sandbox.info['url']}/_sandbox/health", timeout=60) as answer:
        return dict(json.load(answer))


def port(sandbox: Sandbox) -> int:
    return int(sandbox.info["url"].rpartition(":")[2])


async def answers(reader: asyncio.StreamReader, number: int) -> list[int]:
    """The statuses of so many answers on one connection."""
    statuses = []
    for _ in range(number):
        head = await reader.readuntil(b"\r\n\r\n")
        statuses.append(int(head[9:12]))
        length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
        await reader.readexactly(length)
    return statuses


async def demanding(at: int, rounds: int) -> list[int]:
    """A client that always has fifty requests waiting."""
    reader, writer = await asyncio.open_connection("127.0.0.1", at)
    statuses = []
    for _ in range(rounds):
        writer.write(REQUEST * BURST)
        statuses += await answers(reader, BURST)
    writer.close()
    return statuses


async def deaf(at: int) -> asyncio.StreamWriter:
    """A client that asks and asks, and never reads an answer."""
    _, writer = await asyncio.open_connection("127.0.0.1", at, limit=1)
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    writer.write(REQUEST * 20_000)  # 4 MB of questions, whose answers would be 7 MB
    return writer


def test_two_thousand_requests_that_wait_at_once_are_all_answered_and_nobody_starves(served: Sandbox) -> None:
    """Forty clients with fifty requests each under way keep one core busy throughout; all get the same number."""
    before = health(served)

    async def flood() -> tuple[list[list[int]], list[int]]:
        crowd = [asyncio.create_task(demanding(port(served), 4)) for _ in range(CONNECTIONS)]
        await asyncio.wait(crowd, return_when=asyncio.FIRST_COMPLETED)
        modest = await demanding_once(port(served))
        return await asyncio.gather(*crowd), modest

    async def demanding_once(at: int) -> list[int]:
        reader, writer = await asyncio.open_connection("127.0.0.1", at)
        writer.write(REQUEST)
        status = await answers(reader, 1)
        writer.close()
        return status

    crowd, modest = asyncio.run(flood())
    assert [len(each) for each in crowd] == [4 * BURST] * CONNECTIONS
    assert {status for each in crowd for status in each} <= {200, 429}
    assert set(modest) <= {200, 429}, "one who comes into the crowd is answered too"
    after = health(served)
    assert after["http_connections"] <= 1, "the one that asks"
    assert after["max_rss_bytes"] - before["max_rss_bytes"] < 64 * MIB
    assert after["uptime_s"] > before["uptime_s"], "without a restart"


def test_clients_that_ask_and_never_read_cost_little_and_stop_nobody(served: Sandbox) -> None:
    before = health(served)

    async def siege() -> list[int]:
        besiegers = [await deaf(port(served)) for _ in range(10)]
        statuses = await demanding(port(served), 2)
        for each in besiegers:
            each.transport.abort()
        return statuses

    assert set(asyncio.run(siege())) == {200}
    after = health(served)
    assert after["max_rss_bytes"] - before["max_rss_bytes"] < 64 * MIB, "70 MB of answers were asked for"
    assert set(asyncio.run(demanding(port(served), 1))) == {200}
    assert health(served)["http_connections"] <= 1


SUBSCRIBE = """subscription On($groupId: ID!, $domain: String!) {
  onMessageInGroup(groupId: $groupId, domain: $domain) {
    groupId domain nodeStatus { nodeId data { key value } timestamp } } }"""
HANDSHAKE = (
    "GET /graphql/realtime HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    f"x-api-key: {KEY}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Protocol: graphql-ws\r\n\r\n"
).encode()


class Subscriber:
    """A WebSocket that subscribes to a group's messages."""

    async def open(self, at: int, group: str) -> Subscriber:
        self._reader, self.writer = await asyncio.open_connection("127.0.0.1", at)
        self.writer.write(HANDSHAKE)
        await self._reader.readuntil(b"\r\n\r\n")
        self._send({"type": "connection_init"})
        query = json.dumps({"query": SUBSCRIBE, "variables": {"groupId": group, "domain": "d"}})
        payload = {"data": query, "extensions": {"authorization": {"host": "x", "x-api-key": KEY}}}
        self._send({"id": "0" * 36, "type": "start", "payload": payload})
        await self._reader.readuntil(b'"start_ack"')
        return self

    async def hear(self) -> None:
        await self._reader.readuntil(b'"type":"data"')

    def _send(self, message: dict[str, Any]) -> None:
        payload = json.dumps(message).encode()
        length = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + len(payload).to_bytes(2, "big")
        self.writer.write(b"\x81" + length + b"\0\0\0\0" + payload)


def test_many_websockets_all_hear_a_message_and_half_of_them_may_vanish(served: Sandbox) -> None:
    created = ask(served, 'mutation { createGroup(name: "g", hostId: "h", domain: "d", useWebSocket: true) { id } }')
    group = created["createGroup"]["id"]
    report = (
        f'mutation {{ reportDataByNode(groupId: "{group}", domain: "d", nodeId: "n", data: []) '
        "{ groupId domain nodeStatus { nodeId data { key value } timestamp } } }"
    )

    async def subscribe_and_hear() -> None:
        there: list[Subscriber] = []
        for first in range(0, SUBSCRIBERS, 100):
            coming = range(first, min(first + 100, SUBSCRIBERS))
            there += await asyncio.gather(*(Subscriber().open(port(served), group) for _ in coming))
        assert (await asyncio.to_thread(health, served))["websockets"] == SUBSCRIBERS
        await asyncio.to_thread(ask, served, report)
        await asyncio.gather(*(each.hear() for each in there))
        for each in there[::2]:
            each.writer.transport.abort()
        await asyncio.to_thread(ask, served, report)
        await asyncio.gather(*(each.hear() for each in there[1::2]))
        for each in there[1::2]:
            each.writer.transport.abort()

    asyncio.run(subscribe_and_hear())
    deadline = time.monotonic() + 60
    while health(served)["websockets"] and time.monotonic() < deadline:
        time.sleep(0.1)
    assert health(served)["websockets"] == 0
    print(f"{SUBSCRIBERS:,} WebSockets: {health(served)['max_rss_bytes'] / MIB:.0f} MiB at most")


def ask(sandbox: Sandbox, query: str) -> dict[str, Any]:
    request = urllib.request.Request(
        sandbox.info["graphql_url"], json.dumps({"query": query}).encode(), {"x-api-key": KEY}
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return dict(json.load(answer)["data"])
