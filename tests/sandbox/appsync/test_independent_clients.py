"""A client that is not ours, over sockets: PyPI's gql with its AppSync WebSocket transport, and raw `websockets`."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import mesh_api as m
import pytest
import websockets
from gql import Client, gql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.appsync_auth import AppSyncApiKeyAuthentication
from gql.transport.appsync_websockets import AppSyncWebsocketsTransport
from gql.transport.exceptions import TransportQueryError, TransportServerError
from graphql import build_client_schema, get_introspection_query
from mesh_api import KEY

from sandbox.config import SandboxConfig
from sandbox.server import Sandbox

SUBSCRIBE = f"""subscription On($group: ID!, $domain: String!) {{
  onMessageInGroup(groupId: $group, domain: $domain) {{ {m.MESSAGE_FIELDS} }} }}"""


def run(scenario: Callable[[Sandbox], Awaitable[None]]) -> None:
    async def main() -> None:
        async with Sandbox(SandboxConfig(api_keys=(KEY,), world="off")) as sandbox:
            await asyncio.wait_for(scenario(sandbox), 20)

    asyncio.run(main())


@asynccontextmanager
async def http_session(sandbox: Sandbox, key: str = KEY) -> AsyncIterator[Any]:
    async with Client(transport=AIOHTTPTransport(f"{sandbox.url}/graphql", headers={"x-api-key": key})) as session:
        yield session


@asynccontextmanager
async def realtime_session(sandbox: Sandbox, path: str = "/graphql/realtime", key: str = KEY) -> AsyncIterator[Any]:
    url = sandbox.url.replace("http://", "ws://") + path
    auth = AppSyncApiKeyAuthentication(host="127.0.0.1", api_key=key)
    async with Client(transport=AppSyncWebsocketsTransport(url, auth=auth)) as session:
        yield session


async def execute(session: Any, text: str, **variables: Any) -> Any:
    query = gql(text)
    query.variable_values = variables
    return next(iter((await session.execute(query)).values()))


@pytest.mark.parametrize("path", ["/graphql", "/graphql/realtime"])
def test_gql_receives_what_a_mutation_publishes(path: str) -> None:
    async def scenario(sandbox: Sandbox) -> None:
        async with http_session(sandbox) as http, realtime_session(sandbox, path) as realtime:
            group = await execute(http, m.CREATE_GROUP, name="班", host="host-1", domain="学校", max=None, ws=True)
            named = {"group": group["id"], "domain": "学校"}
            query = gql(SUBSCRIBE)
            query.variable_values = named
            received: asyncio.Queue[Any] = asyncio.Queue()

            async def listen() -> None:
                async for message in realtime.subscribe(query):
                    received.put_nowait(message["onMessageInGroup"])

            listening = asyncio.create_task(listen())
            while sandbox.appsync.subscriptions.count == 0:
                await asyncio.sleep(0.01)
            sent = [
                await execute(http, m.REPORT, **named, node="n", data=[{"key": "温度", "value": str(n)}])
                for n in range(3)
            ]
            sent.append(await execute(http, m.DISSOLVE, **named, host="host-1"))
            assert [await received.get() for _ in sent] == sent
            listening.cancel()

    run(scenario)


def test_gql_is_told_that_its_key_is_wrong() -> None:
    async def scenario(sandbox: Sandbox) -> None:
        with pytest.raises(TransportServerError, match="UnauthorizedException"):
            async with realtime_session(sandbox, key="da2-wrong"):
                pass
        async with http_session(sandbox, key="da2-wrong") as http:
            with pytest.raises(TransportQueryError, match="UnauthorizedException"):
                await execute(http, "mutation { createDomain }")

    run(scenario)


def test_gql_introspects_the_schema() -> None:
    async def scenario(sandbox: Sandbox) -> None:
        async with http_session(sandbox) as http:
            schema = build_client_schema(await http.execute(gql(get_introspection_query())))
            assert schema.mutation_type is not None
            assert schema.query_type is not None
            assert len(schema.mutation_type.fields) + len(schema.query_type.fields) == 17
            assert str(schema.type_map["Group"].fields["expiresAt"].type) == "AWSDateTime!"  # type: ignore[union-attr]

    run(scenario)


def test_a_browsers_client_authenticates_by_subprotocol() -> None:
    """As AWS Amplify connects: the header travels base64url-encoded in the list of subprotocols."""

    async def scenario(sandbox: Sandbox) -> None:
        header = json.dumps({"host": "127.0.0.1", "x-api-key": KEY}).encode()
        encoded = "header-" + base64.urlsafe_b64encode(header).decode().rstrip("=")
        url = sandbox.url.replace("http://", "ws://") + "/graphql/realtime"
        async with websockets.connect(url, subprotocols=["graphql-ws", encoded]) as socket:  # type: ignore[list-item]
            assert socket.subprotocol == "graphql-ws"
            await socket.send('{"type":"connection_init"}')
            assert json.loads(await socket.recv()) == {
                "type": "connection_ack",
                "payload": {"connectionTimeoutMs": 300000},
            }

    run(scenario)


def test_a_consumer_that_does_not_read_is_cut_off_and_the_others_are_served() -> None:
    async def scenario(sandbox: Sandbox) -> None:
        async with http_session(sandbox) as http, realtime_session(sandbox) as realtime:
            group = await execute(http, m.CREATE_GROUP, name="g", host="h", domain="d", max=None, ws=True)
            named = {"group": group["id"], "domain": "d"}
            url = sandbox.url.replace("http://", "ws://") + "/graphql/realtime"
            slow = await websockets.connect(
                url,
                subprotocols=["graphql-ws"],
                additional_headers={"x-api-key": KEY},
                max_queue=1,  # type: ignore[list-item]
            )
            await slow.send('{"type":"connection_init"}')
            start = {
                "id": "1",
                "type": "start",
                "payload": {
                    "data": json.dumps({"query": SUBSCRIBE, "variables": named}),
                    "extensions": {"authorization": {"host": "h", "x-api-key": KEY}},
                },
            }
            await slow.send(json.dumps(start))
            query = gql(SUBSCRIBE)
            query.variable_values = named
            received = 0

            async def listen() -> None:
                nonlocal received
                async for _ in realtime.subscribe(query):
                    received += 1

            listening = asyncio.create_task(listen())
            while sandbox.appsync.subscriptions.count < 2:
                await asyncio.sleep(0.01)
            slow.transport.pause_reading()
            data = [{"key": f"k{n}", "value": "x" * 1000} for n in range(200)]
            sent = 0
            while sandbox.appsync.subscriptions.count == 2 and sent < 400:
                await execute(http, m.REPORT, **named, node="n", data=data)
                sent += 1
            assert sandbox.appsync.subscriptions.count == 1
            while received < sent:
                await asyncio.sleep(0.01)
            listening.cancel()

    run(scenario)
