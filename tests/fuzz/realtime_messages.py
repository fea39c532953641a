"""Conversations on the real-time WebSocket: messages of any shape in any order on an open connection."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st

from sandbox.appsync.realtime import Realtime
from sandbox.http.message import Request
from tests.fuzz.graphql_requests import api_and_engine
from tests.fuzz.mutations import damaged, json_garbage, mutated

_KEY = "da2-fuzz"
_AUTHORIZATION = {"host": "127.0.0.1", "x-api-key": _KEY}
_QUERY = "header=" + quote(base64.b64encode(json.dumps(_AUTHORIZATION).encode())) + "&payload=e30%3D"
_SUBSCRIPTION = 'subscription S { onMessageInGroup(groupId: "g", domain: "d") { groupId domain } }'
_MESSAGES: list[Any] = [
    {"type": "connection_init"},
    {
        "id": "1",
        "type": "start",
        "payload": {
            "data": json.dumps({"query": _SUBSCRIPTION, "variables": {}}),
            "extensions": {"authorization": _AUTHORIZATION},
        },
    },
    {"id": "1", "type": "stop"},
]


class _Connection:
    """Stands in for an open WebSocket."""

    subprotocol = "graphql-ws"

    def __init__(self) -> None:
        self.request = Request("GET", "/graphql/realtime", _QUERY, {}, b"", "127.0.0.1")
        self.state: Any = None
        self.sent: list[bytes] = []
        self.closed_with: int | None = None

    def send_frame(self, frame: bytes) -> None:
        self.sent.append(frame)

    def close(self, code: int = 1000, reason: str = "") -> None:
        self.closed_with = code


class _Timer:
    def cancel(self) -> None:
        pass


def conversations() -> st.SearchStrategy[list[str]]:
    right = st.sampled_from(_MESSAGES).map(json.dumps)
    wrong = st.one_of(
        st.sampled_from(_MESSAGES).flatmap(lambda message: mutated(message, json_garbage)).map(json.dumps),
        st.sampled_from(_MESSAGES)
        .flatmap(lambda message: damaged(json.dumps(message).encode()))
        .map(lambda raw: raw.decode(errors="replace")),
        json_garbage.map(json.dumps),
        st.text(max_size=30),
    )
    return st.lists(st.one_of(right, wrong), min_size=1, max_size=8)


def talk(messages: list[str]) -> str:
    """Each message is answered, ignored or ends the connection; nothing is left of it afterwards."""
    api, _ = api_and_engine()
    realtime = Realtime(
        api.http.documents,
        api.subscriptions,
        api.http.keys,
        api.metrics,
        timer=lambda: 0.0,
        call_later=lambda delay_s, run: _Timer(),
        clock=lambda: 1_796_050_452.25,
    )
    connection = _Connection()
    realtime.on_open(connection)  # type: ignore[arg-type]
    for message in messages:
        if connection.closed_with is None:
            realtime.on_text(connection, message)  # type: ignore[arg-type]
    realtime.on_close(connection)  # type: ignore[arg-type]
    assert not realtime.connections
    assert sum(map(len, connection.sent)) < 1_000_000
    return "refused" if any(b'"error' in frame for frame in connection.sent) or connection.closed_with else "read"
