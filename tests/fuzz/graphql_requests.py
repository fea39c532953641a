"""GraphQL over HTTP, as a pupil's browser, a curious pupil or a broken client would send it."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache
from typing import Any

import orjson
from hypothesis import strategies as st

from capacity.workloads.mesh.tables import TABLES
from sandbox.appsync.api import AppSyncApi
from sandbox.cloudwatch.store import MetricStore
from sandbox.config import SandboxConfig
from sandbox.dynamodb.engine import Engine
from sandbox.http.message import Request
from tests.fuzz.mutations import NOW_S, damaged, json_garbage, mutated


@cache
def api_and_engine() -> tuple[AppSyncApi, Engine]:
    config = SandboxConfig(api_keys=("da2-fuzz",))
    metrics = MetricStore(lambda: NOW_S, 10)
    engine = Engine(lambda: NOW_S, metrics, config.engine)
    engine.call("CreateTable", replace(TABLES["deployed"], name=config.table_name).create_table_request())
    return AppSyncApi(config, engine.call, metrics, lambda: NOW_S, random.Random(1)), engine


_SELECTION = "{ id domain fullId name hostId createdAt expiresAt heartbeatIntervalSeconds useWebSocket }"
_GROUP = f'mutation {{ createGroup(name: "g", hostId: "h", domain: "d", useWebSocket: true) {_SELECTION} }}'
_READS = (
    "query Q($d: String!) { listGroupsByDomain(domain: $d) { id name }"
    ' listGroupStatuses(groupId: "g", domain: $d) { nodeId data { key value } } }'
)


def bodies() -> st.SearchStrategy[bytes]:
    def body(text: Any, variables: Any = None) -> bytes:
        return json.dumps({"query": text, "variables": variables}).encode()

    token = st.sampled_from(
        [
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            "query",
            "mutation",
            "subscription",
            "fragment F on Group",
            "...F",
            "... on Group",
            "@include(if: true)",
            "@skip(if: $x)",
            "$x",
            "$x: Int",
            ":",
            "!",
            "=",
            '"s"',
            '"""b"""',
            "1",
            "-1",
            "1e9",
            "null",
            "true",
            "ENUM",
            "listGroupsByDomain",
            "createGroup",
            'domain: "d"',
            "__typename",
            "__schema { types { name } }",
            "id",
            "#c\n",
            ",",
            "\\u0000",
            "\ud83d\ude00",
            "&",
            "|",
            "extend",
            "type A { b: C }",
        ]
    )
    # Mostly of a size that is parsed in a millisecond, so that many are tried; one in a hundred is huge.
    depth = st.one_of([st.integers(1, 60)] * 99 + [st.integers(1, 30_000)])
    width = st.one_of([st.integers(1, 60)] * 99 + [st.integers(1, 20_000)])
    shapes = st.one_of(
        depth.map(lambda n: "{ a" * n + "}" * n),
        depth.map(lambda n: "{ " + "... { " * n + "__typename" + " }" * n + " }"),
        depth.map(lambda n: f"{{ listGroupsByDomain(domain: {'[' * n}{']' * n}) {{ id }} }}"),
        depth.map(lambda n: f"{{ listGroupsByDomain(domain: {'{a: ' * n}1{'}' * n}) {{ id }} }}"),
        depth.map(lambda n: f"query Q($x: {'[' * n}Int{']' * n}) {{ __typename }}"),
        width.map(lambda n: "{ " + " ".join(f"a{i}: __typename" for i in range(n)) + " }"),
        width.map(lambda n: "{ " + "__typename " * n + "}"),
        st.integers(1, 300).map(
            lambda n: "{ " + " ".join(f'a{i}: listGroupsByDomain(domain: "d") {{ id }}' for i in range(n)) + " }"
        ),
        st.integers(2, 200).map(
            lambda n: "{ ...F0 } " + " ".join(f"fragment F{i} on Query {{ ...F{(i + 1) % n} }}" for i in range(n))
        ),
        st.integers(2, 25).map(
            lambda n: (
                "{ ...F0 } "
                + " ".join(f"fragment F{i} on Query {{ ...F{i + 1} ...F{i + 1} }}" for i in range(n))
                + f" fragment F{n} on Query {{ __typename }}"
            )
        ),
        width.map(lambda n: "query Q(" + " ".join(f"$v{i}: Int" for i in range(n)) + ") { __typename }"),
        st.integers(1, 2_000).map(lambda n: "{ __typename " + "@include(if: true) " * n + "}"),
        st.integers(1, 200_000).map(lambda n: f'{{ listGroupsByDomain(domain: "{"x" * n}") {{ id }} }}'),
    )
    base = {"query": _READS, "variables": {"d": "d"}, "operationName": "Q"}
    return st.one_of(
        st.lists(token, max_size=30).map(" ".join).map(body),
        shapes.map(body),
        mutated(base, json_garbage).map(lambda value: json.dumps(value).encode()),
        damaged(_GROUP.encode()).map(lambda raw: body(raw.decode(errors="replace"))),
        damaged(body(_READS, {"d": "d"})),
        json_garbage.map(lambda value: body(_READS, {"d": value})),
    )


def ask(content: bytes) -> str:
    api, _ = api_and_engine()
    answer = api.handle(Request("POST", "/graphql", "", {"x-api-key": "da2-fuzz"}, content, "127.0.0.1"))
    assert answer.status in (200, 400, 413), (answer.status, answer.body[:300])
    parsed = orjson.loads(answer.body)
    assert "Traceback" not in str(parsed)
    assert len(answer.body) < 6_000_000
    assert not any("internal failure" in str(each).lower() for each in parsed.get("errors") or ())
    return "refused" if parsed.get("errors") else "read"
