"""What the engine reports to CloudWatch: every metric under exactly the dimensions that AWS documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from served_engine import Clock, RecordedMetrics, key_table

from sandbox.dynamodb.engine import Engine
from sandbox.dynamodb.errors import DynamoDBError

THROUGHPUT = {"ReadCapacityUnits": 7, "WriteCapacityUnits": 8}
INDEX = {
    "IndexName": "by_kind",
    "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
    "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4},
}
TABLE = (("TableName", "things"),)
GLOBAL = (("TableName", "things"), ("GlobalSecondaryIndexName", "by_kind"))


def of(operation: str) -> tuple[tuple[str, str], ...]:
    return (("TableName", "things"), ("Operation", operation))


@pytest.fixture
def engine(engine: Engine) -> Engine:
    kind = [{"AttributeName": "kind", "AttributeType": "S"}]
    engine.call(
        "CreateTable",
        key_table(attributes=kind, ProvisionedThroughput=THROUGHPUT, GlobalSecondaryIndexes=[INDEX]),
    )
    for number in range(3):
        item = {"pk": {"S": "a"}, "sk": {"S": str(number)}, "kind": {"S": "x"}}
        engine.call("PutItem", {"TableName": "things", "Item": item})
    return engine


def call_refused(engine: Engine, operation: str, request: dict[str, Any]) -> None:
    with pytest.raises(DynamoDBError):
        engine.call(operation, request)


def test_metrics_and_dimensions(engine: Engine, metrics: RecordedMetrics) -> None:
    query = {
        "TableName": "things",
        "IndexName": "by_kind",
        "KeyConditionExpression": "kind = :kind",
        "FilterExpression": "sk > :zero",
        "ExpressionAttributeValues": {":kind": {"S": "x"}, ":zero": {"S": "0"}},
    }
    engine.call("Query", query)
    engine.call("GetItem", {"TableName": "things", "Key": {"pk": {"S": "a"}, "sk": {"S": "0"}}, "ConsistentRead": True})
    call_refused(engine, "GetItem", {"TableName": "things", "Key": {}})
    call_refused(engine, "GetItem", {"TableName": "absent", "Key": {"pk": {"S": "a"}}})
    totals = {name: value for name, value in metrics.sums.items() if name[0] != "SuccessfulRequestLatency"}
    assert totals == {
        ("ProvisionedReadCapacityUnits", TABLE): 7,
        ("ProvisionedWriteCapacityUnits", TABLE): 8,
        ("ProvisionedReadCapacityUnits", GLOBAL): 3,
        ("ProvisionedWriteCapacityUnits", GLOBAL): 4,
        ("ConsumedWriteCapacityUnits", TABLE): 3,
        ("ConsumedWriteCapacityUnits", GLOBAL): 3,
        ("ConsumedReadCapacityUnits", GLOBAL): 0.5,
        ("ConsumedReadCapacityUnits", TABLE): 1,
        ("ReturnedItemCount", of("Query")): 2,  # after the filter, which is not what was read
        ("UserErrors", ()): 2,
    }
    latencies = {name[1]: count for name, count in metrics.counts.items() if name[0] == "SuccessfulRequestLatency"}
    assert latencies == {of("CreateTable"): 1, of("PutItem"): 3, of("Query"): 1, of("GetItem"): 1}
    assert metrics.units["SuccessfulRequestLatency"] == "Milliseconds"
    assert {unit for name, unit in metrics.units.items() if name != "SuccessfulRequestLatency"} == {"Count"}


def test_a_batch_counts_for_each_of_its_tables(engine: Engine, metrics: RecordedMetrics) -> None:
    engine.call("CreateTable", key_table("others"))
    put = [{"PutRequest": {"Item": {"pk": {"S": "b"}, "sk": {"S": "1"}}}}]
    engine.call("BatchWriteItem", {"RequestItems": {"things": put, "others": put}})
    for table in ("things", "others"):
        dimensions = (("TableName", table), ("Operation", "BatchWriteItem"))
        assert metrics.counts["SuccessfulRequestLatency", dimensions] == 1


def test_levels_are_reported_every_minute(engine: Engine, metrics: RecordedMetrics, clock: Clock) -> None:
    for _ in range(3):
        clock.advance(60.0)
        engine.tick()
        engine.tick()
    assert metrics.counts["ProvisionedWriteCapacityUnits", TABLE] == 1 + 3
    assert metrics.sums["ProvisionedWriteCapacityUnits", TABLE] == 8 * 4


def test_a_configured_maximum_is_a_level(make_engine: Callable[..., Engine], metrics: RecordedMetrics) -> None:
    """CloudWatch metrics of DynamoDB, 2026: OnDemandMaxReadRequestUnits and OnDemandMaxWriteRequestUnits."""
    make_engine().call("CreateTable", key_table("capped", OnDemandThroughput={"MaxReadRequestUnits": 50}))
    assert metrics.sum("OnDemandMaxReadRequestUnits", TableName="capped") == 50
    assert metrics.sum("ProvisionedReadCapacityUnits", TableName="capped") == 0
