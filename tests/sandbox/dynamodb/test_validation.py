"""Refusals in AWS's words. Every message here was captured from DynamoDB by others, or is in its API reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from served_engine import key_table

from sandbox.dynamodb.engine import Engine
from sandbox.dynamodb.errors import DynamoDBError

CASES = yaml.safe_load(Path(__file__).with_name("captured_messages.yaml").read_text("utf-8"))


@pytest.fixture
def engine(unlimited: Engine) -> Engine:
    unlimited.call("CreateTable", key_table("hash", sort=False))
    unlimited.call("CreateTable", key_table("composite"))
    number_sorted = key_table("number")
    number_sorted["AttributeDefinitions"][1]["AttributeType"] = "N"
    unlimited.call("CreateTable", number_sorted)
    binary = key_table("binary", sort=False)
    binary["AttributeDefinitions"][0]["AttributeType"] = "B"
    unlimited.call("CreateTable", binary)
    return unlimited


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["says"])
def test_message(engine: Engine, case: dict[str, Any]) -> None:
    assert case["source"] in CASES["sources"]
    with pytest.raises(DynamoDBError) as caught:
        engine.call(case["operation"], case["request"])
    assert caught.value.code == case.get("code", "ValidationException")
    assert caught.value.message == case["message"]
    if "reasons" in case:
        assert caught.value.extra["CancellationReasons"] == case["reasons"]
    for name in ("hash", "composite", "number", "binary"):
        assert engine.call("Scan", {"TableName": name})["Count"] == 0, "a refused request must change nothing"


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"S": "leaf"}
    for _ in range(levels):
        value = {"M": {"n": value}}
    return value


def test_a_leaf_at_level_32_is_accepted_and_one_at_level_33_is_not(engine: Engine) -> None:
    engine.call("PutItem", {"TableName": "hash", "Item": {"pk": {"S": "a"}, "data": nested(31)}})
    with pytest.raises(DynamoDBError, match="nested levels beyond supported limit"):
        engine.call("PutItem", {"TableName": "hash", "Item": {"pk": {"S": "a"}, "data": nested(32)}})


@pytest.mark.parametrize("put", ["PutItem", "BatchWriteItem", "TransactWriteItems"])
def test_409600_bytes_are_accepted_and_409601_are_not(engine: Engine, put: str) -> None:
    """Captured in eu-west-2, 2026-09-28: the limit is exact on each of these surfaces."""

    def request(size_bytes: int) -> dict[str, Any]:
        item = {"pk": {"S": "a"}, "d": {"S": "x" * (size_bytes - 4)}}
        return {
            "PutItem": {"TableName": "hash", "Item": item},
            "BatchWriteItem": {"RequestItems": {"hash": [{"PutRequest": {"Item": item}}]}},
            "TransactWriteItems": {"TransactItems": [{"Put": {"TableName": "hash", "Item": item}}]},
        }[put]

    engine.call(put, request(409_600))
    with pytest.raises(DynamoDBError):
        engine.call(put, request(409_601))


def test_an_expression_may_have_4096_bytes(engine: Engine) -> None:
    """Captured in four regions, 2026-07-12."""
    filler = "attribute_exists(" + "a" * (4096 - len("attribute_exists()")) + ")"
    assert engine.call("Scan", {"TableName": "hash", "FilterExpression": filler})["Count"] == 0
    with pytest.raises(DynamoDBError, match="Expression size has exceeded the maximum allowed size"):
        engine.call("Scan", {"TableName": "hash", "FilterExpression": filler.replace("(a", "(aa")})


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"TableName": "hash", "Item": {"pk": {"S": 5}}}, "NUMBER_VALUE cannot be converted to String"),
        ({"TableName": "hash", "Item": {"pk": {"S": True}}}, "TRUE_VALUE cannot be converted to String"),
        ({"TableName": "hash", "Item": {"pk": {"BOOL": "maybe"}}}, "Unexpected token received from parser"),
        (
            {"TableName": "hash", "Item": {"pk": {"B": "x"}}},
            "Base64 encoded length is expected a multiple of 4 bytes but found: 1",
        ),
        ({"TableName": "hash", "Item": {"pk": {"SS": "x"}}}, "Unexpected field type"),
        ({"TableName": "hash", "Item": {"pk": "x"}}, "Unexpected value type in payload"),
        ({"TableName": 3, "Item": {"pk": {"S": "x"}}}, "NUMBER_VALUE cannot be converted to String"),
        # A wrong type anywhere is reported before a violated constraint.
        ({"TableName": "", "Item": {"pk": {"S": []}}}, "Unrecognized collection type class java.lang.String"),
    ],
)
def test_values_of_the_wrong_json_type(engine: Engine, request_: dict[str, Any], message: str) -> None:
    """Wording captured from DynamoDB by dynalite's tests."""
    with pytest.raises(DynamoDBError) as caught:
        engine.call("PutItem", request_)
    assert (caught.value.code, caught.value.message) == ("SerializationException", message)
