"""Every operation that clients send is one that the schema of Mesh v2 knows, written as AppSync takes it."""

from __future__ import annotations

from importlib.resources import files

import orjson
import pytest
from graphql import parse, validate

from locustfiles.nodes.operations import QUERIES, body, subscription_data
from sandbox.appsync.graphql.schema import make_schema

SCHEMA = make_schema((files("sandbox.appsync.mesh") / "schema.graphql").read_text(encoding="utf-8"))


@pytest.mark.parametrize("operation", QUERIES)
def test_the_schema_knows_the_operation(operation: str) -> None:
    assert validate(SCHEMA, parse(QUERIES[operation])) == []


def test_a_subscribers_selection_is_part_of_every_publishing_mutations() -> None:
    for part in ("nodeId groupId domain data { key value } timestamp", "payload timestamp orderKey"):
        assert part in QUERIES["onMessageInGroup"]
    assert "nodeId groupId domain data { key value } timestamp" in QUERIES["reportDataByNode"]
    assert "payload timestamp orderKey" in QUERIES["fireEventsByNode"]


def test_a_body_is_json_with_the_variables_as_given() -> None:
    sent = orjson.loads(body("reportDataByNode", {"domain": "学校", "data": [{"key": "k", "value": '"'}]}))
    assert sent == {
        "query": QUERIES["reportDataByNode"],
        "variables": {"domain": "学校", "data": [{"key": "k", "value": '"'}]},
    }


def test_a_subscription_carries_its_query_as_json_text() -> None:
    data = subscription_data({"groupId": "g", "domain": "d"})
    assert orjson.loads(data) == {"query": QUERIES["onMessageInGroup"], "variables": {"groupId": "g", "domain": "d"}}
