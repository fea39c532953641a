"""Bodies, status codes and headers of AppSync's HTTP endpoint, and that nothing a client sends ends in a 500."""

from __future__ import annotations

import json
import random
import re
import uuid
from collections import Counter
from typing import Any, ClassVar
from urllib.parse import urlencode

import mesh_api as m
import orjson
import pytest
from graphql import GraphQLObjectType, GraphQLSchema, get_named_type
from hypothesis import given, settings
from hypothesis import strategies as st
from mesh_api import KEY, Mesh

from sandbox.http.message import Request, Response

PING = orjson.dumps({"query": "{ __typename }"})


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "Valid authorization header not provided."),
        ({"x-api-key": ""}, "Valid authorization header not provided."),
        ({"x-api-key": "da2-other"}, "You are not authorized to make this call."),
        ({"x-api-key": "da2-old"}, "You are not authorized to make this call."),
    ],
)
def test_without_a_valid_key_nothing_is_answered(headers: dict[str, str], message: str) -> None:
    mesh = Mesh(api_keys=(KEY, "da2-old"), api_key_expires_s={"da2-old": m.START_S - 1})
    response = mesh.post(PING, headers)
    assert response.status == 401
    assert orjson.loads(response.body) == {"errors": [{"errorType": "UnauthorizedException", "message": message}]}
    assert ("x-amzn-ErrorType", "UnauthorizedException") in response.headers


def test_several_keys_are_good_each_until_its_own_end() -> None:
    mesh = Mesh(api_keys=(KEY, "da2-short"), api_key_expires_s={"da2-short": m.START_S + 10})
    assert mesh.post(PING, {"x-api-key": "da2-short"}).status == 200
    mesh.now_s += 10
    assert mesh.post(PING, {"x-api-key": "da2-short"}).status == 401
    assert mesh.post(PING, {"x-api-key": KEY}).status == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"query"',
        b"\xff\xfe",
        b"{}",
        b'{"query": null}',
        b'{"query": 7}',
        b'{"query": ""}',
        b'{"query": "{"}',
        b'{"query": "{ __typename }", "variables": []}',
        b'{"query": "{ __typename }", "variables": "x"}',
        b'{"query": "{ __typename }", "operationName": 7}',
        b'{"query": "query A { __typename } query B { __typename }"}',
        b'{"query": "query A { __typename }", "operationName": "B"}',
        b'{"query": "subscription { onMessageInGroup(groupId: \\"g\\", domain: \\"d\\") { groupId } }"}',
        b'{"query": "\\ud800"}',
        b"[" * 100_000,
        orjson.dumps({"query": "{" * 10_000}),
        orjson.dumps({"query": "{ __typename " * 16_000}),
    ],
)
def test_a_request_that_is_no_graphql_is_refused_with_400(deployed: Mesh, body: bytes) -> None:
    response = deployed.post(body)
    assert response.status == 400
    (error,) = orjson.loads(response.body)["errors"]
    assert error["errorType"] in ("MalformedHttpRequestException", "BadRequestException")
    assert error["message"]


def test_a_document_of_more_than_15000_tokens_is_refused(deployed: Mesh) -> None:
    def post(fields: int) -> int:
        return deployed.post(orjson.dumps({"query": "{ " + " ".join(["__typename"] * fields) + " }"})).status

    assert post(14_998) == 200
    assert post(14_999) == 400


def headers_of(response: Response) -> dict[str, str]:
    """All headers of an answer, also those that are encoded already."""
    encoded = [line.partition(": ")[::2] for line in response.header_lines.decode().split("\r\n") if line]
    return {**dict(response.headers), **dict(encoded)}


def test_an_answer_carries_appsyncs_headers(deployed: Mesh) -> None:
    first, second = (headers_of(deployed.post(PING)) for _ in range(2))
    assert first["x-amzn-appsync-TokensConsumed"] == "1"
    assert first["access-control-allow-origin"] == "*"
    assert uuid.UUID(first["x-amzn-requestid"]).version == 4
    assert re.fullmatch(r"Root=1-[0-9a-f]{8}-[0-9a-f]{24}", first["x-amzn-trace-id"])
    assert first["x-amzn-requestid"] != second["x-amzn-requestid"]
    assert deployed.post(PING).content_type == "application/json;charset=UTF-8"


def test_a_browser_may_ask_first(deployed: Mesh) -> None:
    response = deployed.post(b"", {"origin": "https://smalruby.app"}, method="OPTIONS")
    headers = dict(response.headers)
    assert response.status == 200
    assert headers["access-control-allow-origin"] == "*"
    assert "x-api-key" in headers["access-control-allow-headers"].split(",")
    assert "POST" in headers["access-control-allow-methods"]


def test_another_method_is_refused(deployed: Mesh) -> None:
    assert deployed.post(b"", method="PUT").status == 405


# What the AppSync team wrote down about its HTTP behaviour: graphql-over-http issue 81 (2020-04).
TOLD_BY_APPSYNC = [
    (b"", 400, [{"message": "Request body is empty.", "errorType": "MalformedHttpRequestException"}]),
    *(
        (body, 400, [{"message": "Unable to parse GraphQL query.", "errorType": "MalformedHttpRequestException"}])
        for body in (b"meow", b"{}", b"{}}", b"[]")
    ),
    (
        b'{"query": "{badfield}"}',
        200,
        [
            {
                "path": None,
                "locations": [{"line": 1, "column": 2, "sourceName": None}],
                "message": "Validation error of type FieldUndefined: Field 'badfield' in type 'Query' is undefined "
                "@ 'badfield'",
            }
        ],
    ),
]


@pytest.mark.parametrize(("body", "status", "errors"), TOLD_BY_APPSYNC)
def test_faulty_bodies_are_answered_as_the_appsync_team_describes(
    deployed: Mesh, body: bytes, status: int, errors: list[dict[str, Any]]
) -> None:
    response = deployed.post(body)
    answer = orjson.loads(response.body)
    assert (response.status, answer["errors"]) == (status, errors)
    assert ("data" in answer) == (status == 200)


def get(mesh: Mesh, **members: str) -> Response:
    query = urlencode(members)
    response = mesh.api.handle(Request("GET", "/graphql", query, {"x-api-key": KEY}, b"", "192.0.2.9"))
    assert isinstance(response, Response)
    return response


def test_a_request_may_come_in_the_query_string_of_a_get(deployed: Mesh) -> None:
    group = deployed.create_group(domain="学校")
    variables = json.dumps({"domain": "学校"}, ensure_ascii=False)
    response = get(deployed, query=m.LIST_GROUPS, variables=variables, operationName="List")
    assert orjson.loads(response.body) == {"data": {"listGroupsByDomain": [group]}}
    assert orjson.loads(get(deployed, query="mutation { createDomain }").body) == {
        "data": {"createDomain": "192.0.2.9"}
    }


@pytest.mark.parametrize("members", [{}, {"query": ""}, {"query": "{"}, {"query": "{ x }", "variables": "{"}])
def test_a_get_that_asks_for_nothing_is_refused_like_such_a_post(deployed: Mesh, members: dict[str, str]) -> None:
    response = get(deployed, **members)
    assert response.status == 400
    assert orjson.loads(response.body)["errors"][0]["errorType"] == "MalformedHttpRequestException"


def test_a_resolver_error_has_appsyncs_members_and_status_200(deployed: Mesh) -> None:
    answer = deployed.answer(
        'mutation {\n  reportDataByNode(groupId: "g", domain: "d", nodeId: "n", data: []) { groupId } }'
    )
    assert answer == {
        "data": {"reportDataByNode": None},
        "errors": [
            {
                "path": ["reportDataByNode"],
                "data": None,
                "errorType": "GroupNotFound",
                "errorInfo": None,
                "locations": [{"line": 2, "column": 3, "sourceName": None}],
                "message": "Group not found: g@d",
            }
        ],
    }


def test_an_error_at_a_required_root_field_empties_data(deployed: Mesh) -> None:
    answer = deployed.answer('mutation { renewHeartbeat(groupId: "g", domain: "d", hostId: "h") { groupId } }')
    assert answer["data"] is None
    assert answer["errors"][0]["errorType"] == "GroupNotFound"


def test_a_throttled_write_is_a_resolver_error_of_dynamodbs_type() -> None:
    mesh = Mesh()
    group = mesh.create_group()
    data = [{"key": "k", "value": "x" * 300_000}]
    variables = {"group": group["id"], "domain": group["domain"], "node": "n", "data": data}
    answers = [mesh.answer(m.REPORT, variables) for _ in range(20)]
    refused = [answer for answer in answers if "errors" in answer]
    assert refused
    assert refused[0]["data"] == {"reportDataByNode": None}
    assert refused[0]["errors"][0]["errorType"].startswith("DynamoDB:")
    assert "(Service: DynamoDb, Status Code: 400, Request ID: " in refused[0]["errors"][0]["message"]


def test_an_item_over_400_kb_is_refused_by_dynamodb_and_reported(deployed: Mesh) -> None:
    group = deployed.create_group()
    data = [{"key": "k", "value": "x" * 410_000}]
    error = deployed.error(m.REPORT, {"group": group["id"], "domain": group["domain"], "node": "n", "data": data})
    assert error["errorType"] == "DynamoDB:ValidationException"


# ---- documents and variables made at random ------------------------------------------------------------------------

_TEXTS = st.sampled_from(["", "d", "学校", "\x00", "#", "EVENT#", "G" * 3000, "🏫", "2026-01-01T00:00:00Z"]) | st.text(
    max_size=8
)
_ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False) | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=6,
)
_DATA = st.lists(st.fixed_dictionaries({"key": _TEXTS, "value": _TEXTS}), max_size=3) | _ANY
_EVENTS = (
    st.lists(
        st.fixed_dictionaries(
            {"eventName": _TEXTS, "firedAt": st.just("2026-01-01T00:00:00.000Z") | _TEXTS},
            optional={"payload": st.none() | _TEXTS, "orderKey": st.none() | _TEXTS},
        ),
        max_size=3,
    )
    | _ANY
)
_VARIABLES = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(("group", "domain", "node", "host", "name", "since", "prefix"), _TEXTS | _ANY),
        "ws": st.booleans() | _ANY,
        "max": st.none() | st.integers(-5, 5000) | _ANY,
        "limit": st.none() | st.integers(-5, 200) | _ANY,
        "data": _DATA,
        "events": _EVENTS,
    },
)
_STATEMENTS = st.sampled_from(
    [
        m.CREATE_GROUP, m.JOIN_GROUP, m.REPORT, m.FIRE, m.RECORD, m.RENEW, m.MEMBER_HEARTBEAT, m.LEAVE, m.DISSOLVE,
        m.LIST_GROUPS, m.LIST_STATUSES, m.LIST_NODES, m.NODE_STATUS, m.EVENTS_SINCE, m.POLL, m.SEARCH,
    ]
)  # fmt: skip


@pytest.mark.parametrize("layout", ["phase1", "architecture", "deployed"])
def test_no_variables_end_in_an_internal_failure(layout: str) -> None:
    mesh = Mesh(layout, world="off")
    group = mesh.create_group(domain="d")

    @settings(max_examples=300, deadline=None, derandomize=True)
    @given(text=_STATEMENTS, variables=_VARIABLES, real=st.booleans())
    def check(text: str, variables: dict[str, Any], real: bool) -> None:
        if real:
            variables = {**variables, "group": group["id"], "domain": "d"}
        _assert_answered(mesh, {"query": text, "variables": variables})

    check()


class DocumentMaker:
    """Documents drawn from the schema, with a fault here and there: seeded, so that a failure comes back."""

    LITERALS = ("1", "-1", "1.5", '"d"', '""', "true", "null", "$v", "$w", "ENUM", '"""b"""', "99999999999", "[]", "{}")
    TYPED: ClassVar = {
        "ID": ('"g"', "7"),
        "String": ('"d"', '"学校"', '""'),
        "Int": ("0", "5", "-5"),
        "Boolean": ("true", "false"),
        "SensorDataInput": ('{key: "k", value: "v"}', '{key: "k"}'),
        "EventInput": ('{eventName: "e", firedAt: "2026-01-01T00:00:00Z"}', '{eventName: "e", firedAt: "noon"}'),
    }

    def __init__(self, schema: GraphQLSchema, random: random.Random) -> None:
        self.schema = schema
        self.random = random

    def document(self) -> str:
        kind = self.random.choice(["query", "query", "mutation", "mutation", "subscription", "q"])
        root = self.schema.mutation_type if kind == "mutation" else self.schema.query_type
        variables = self.random.choice(["", "", "($v: String)", "($v: [ID!]! = [1])", "($v: Boolean!, $w: Int = 3)"])
        fragment = self.random.choice(["", "", " fragment F on Group { id ...F }", " fragment F on Event { name }"])
        text = f"{kind}{variables} {self.selection(root, 0)}{fragment}"
        return text[: self.random.randrange(len(text))] if self.random.random() < 0.1 else text

    def selection(self, parent: Any, depth: int) -> str:
        fields = [self.field(parent, depth) for _ in range(self.random.randint(1, 2))]
        return "{ " + " ".join(fields) + " }"

    def field(self, parent: Any, depth: int) -> str:
        chance = self.random.random()
        if chance < 0.06:
            return self.random.choice(
                [
                    "...F",
                    "... on Group { id }",
                    "... { __typename }",
                    "nope",
                    "__typename",
                    "__schema { types { name } }",
                ]
            )
        name, field = self.random.choice(list(parent.fields.items()))
        alias = self.random.choice(["", "", "", "a: ", "b: "])
        directive = self.random.choice(["", "", "", "", " @skip(if: true)", " @include(if: $v)", " @no"])
        inner = get_named_type(field.type)
        below = ""
        if isinstance(inner, GraphQLObjectType) and depth < 3 and self.random.random() < 0.97:
            below = " " + self.selection(inner, depth + 1)
        return f"{alias}{name}{self.arguments(field)}{directive}{below}"

    def arguments(self, field: Any) -> str:
        given = []
        for name, argument in field.args.items():
            chance = self.random.random()
            if chance < 0.05:
                continue
            typed = self.TYPED[get_named_type(argument.type).name]
            value = self.random.choice(self.LITERALS if chance < 0.12 else typed)
            given.append(f"{name}: {value}")
        return f"({', '.join(given)})" if given else ""


def test_no_document_ends_in_an_internal_failure() -> None:
    mesh = Mesh(world="off")
    seeded = random.Random(20261130)
    maker = DocumentMaker(mesh.api.http.documents.api.schema, seeded)
    outcomes: Counter[str] = Counter()
    for _ in range(2000):
        variables = {"v": seeded.choice([None, "x", True, 3, ["a"], {}]), "w": seeded.choice([None, 1, "x"])}
        answer = _assert_answered(mesh, {"query": maker.document(), "variables": variables})
        executed = any(error.get("errorType") for error in answer.get("errors", ())) or answer.get("data")
        outcomes["executed" if executed else "refused"] += 1
    assert min(outcomes.values()) > 300, outcomes  # both kinds are worth nothing alone


def _assert_answered(mesh: Mesh, content: dict[str, Any]) -> dict[str, Any]:
    response = mesh.post(json.dumps(content).encode())
    assert response.status in (200, 400), response.body
    answer: dict[str, Any] = orjson.loads(response.body)
    for error in answer.get("errors", ()):
        assert error.get("errorType") != "InternalFailure", (content, answer)
        assert error["message"]
    return answer
