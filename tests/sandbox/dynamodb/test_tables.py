"""Tables: made, described, changed, indexed, listed, tagged, dropped, and their statuses on the way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from served_engine import Clock, key_table

from sandbox.dynamodb.engine import Engine
from sandbox.dynamodb.errors import DynamoDBError

KIND = [{"AttributeName": "kind", "AttributeType": "S"}]
INDEX: dict[str, Any] = {
    "IndexName": "by_kind",
    "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "KEYS_ONLY"},
}


def put(engine: Engine, pk: str, **attributes: Any) -> None:
    item = {"pk": {"S": pk}, "sk": {"S": "1"}, **attributes}
    engine.call("PutItem", {"TableName": "things", "Item": item})


def by_kind(engine: Engine) -> list[str]:
    request = {
        "TableName": "things",
        "IndexName": "by_kind",
        "KeyConditionExpression": "kind = :kind",
        "ExpressionAttributeValues": {":kind": {"S": "x"}},
    }
    return sorted(item["pk"]["S"] for item in engine.call("Query", request)["Items"])


def code_of(engine: Engine, operation: str, request: dict[str, Any]) -> str:
    with pytest.raises(DynamoDBError) as caught:
        engine.call(operation, request)
    return caught.value.code


def test_a_new_on_demand_table_describes_itself(engine: Engine) -> None:
    """Warm throughput of a new on-demand table: 12,000 and 4,000 (measured, 2026-09)."""
    engine.call("CreateTable", key_table(Tags=[{"Key": "team", "Value": "a"}]))
    table = engine.call("DescribeTable", {"TableName": "things"})["Table"]
    assert table["TableStatus"] == "ACTIVE"
    assert table["TableArn"] == "arn:aws:dynamodb:ap-northeast-1:000000000000:table/things"
    assert table["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert table["ProvisionedThroughput"] == {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": 0,
        "WriteCapacityUnits": 0,
    }
    warm = {"ReadUnitsPerSecond": 12_000, "WriteUnitsPerSecond": 4_000, "Status": "ACTIVE"}
    assert table["WarmThroughput"] == warm


def test_items_and_bytes_are_counted(engine: Engine) -> None:
    engine.call("CreateTable", key_table(attributes=KIND, GlobalSecondaryIndexes=[INDEX]))
    put(engine, "a", kind={"S": "x"}, pad={"S": "12345"})
    put(engine, "b")
    table = engine.call("DescribeTable", {"TableName": "things"})["Table"]
    # pk, sk: 2 + 1 bytes each; kind: 4 + 1; pad: 3 + 5.
    assert (table["ItemCount"], table["TableSizeBytes"]) == (2, 6 + 5 + 8 + 6)
    (index,) = table["GlobalSecondaryIndexes"]
    assert (index["ItemCount"], index["IndexSizeBytes"], index["IndexStatus"]) == (1, 11, "ACTIVE")


def test_statuses_pass_with_time(make_engine: Callable[..., Engine], clock: Clock) -> None:
    engine = make_engine(table_delay_s=10.0)

    def status() -> str:
        return str(engine.call("DescribeTable", {"TableName": "things"})["Table"]["TableStatus"])

    request = key_table(attributes=KIND, GlobalSecondaryIndexes=[INDEX])
    created = engine.call("CreateTable", request)["TableDescription"]
    assert created["TableStatus"] == status() == "CREATING"
    assert created["GlobalSecondaryIndexes"][0]["IndexStatus"] == "CREATING"
    get = {"TableName": "things", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}}
    assert code_of(engine, "GetItem", get) == "ResourceNotFoundException"
    assert code_of(engine, "DeleteTable", {"TableName": "things"}) == "ResourceInUseException"
    clock.advance(10.0)
    assert status() == "ACTIVE"
    assert engine.call("GetItem", get) == {}
    protect = {"TableName": "things", "DeletionProtectionEnabled": True}
    engine.call("UpdateTable", protect)
    assert status() == "UPDATING"
    assert engine.call("GetItem", get) == {}
    clock.advance(10.0)
    assert code_of(engine, "DeleteTable", {"TableName": "things"}) == "ValidationException"
    engine.call("UpdateTable", {**protect, "DeletionProtectionEnabled": False})
    clock.advance(10.0)
    engine.call("DeleteTable", {"TableName": "things"})
    assert status() == "DELETING"
    clock.advance(10.0)
    assert code_of(engine, "DescribeTable", {"TableName": "things"}) == "ResourceNotFoundException"


def test_an_index_made_later_takes_in_what_is_there(make_engine: Callable[..., Engine], clock: Clock) -> None:
    engine = make_engine(backfill_items_per_s=10.0)
    engine.call("CreateTable", key_table())
    for number in range(20):
        put(engine, f"k{number:02d}", kind={"S": "x"})
    put(engine, "unfit", kind={"N": "1"})
    create = {"TableName": "things", "AttributeDefinitions": KIND, "GlobalSecondaryIndexUpdates": [{"Create": INDEX}]}
    engine.call("UpdateTable", create)
    with pytest.raises(DynamoDBError, match="does not have the specified index"):
        by_kind(engine)
    put(engine, "k00", kind={"S": "y"})
    clock.advance(1.0)
    put(engine, "late", kind={"S": "x"})
    clock.advance(2.0)
    assert by_kind(engine) == [*(f"k{number:02d}" for number in range(1, 20)), "late"]
    engine.call(
        "UpdateTable", {"TableName": "things", "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by_kind"}}]}
    )
    table = engine.call("DescribeTable", {"TableName": "things"})["Table"]
    assert "GlobalSecondaryIndexes" not in table
    assert [each["AttributeName"] for each in table["AttributeDefinitions"]] == ["pk", "sk"]
    put(engine, "k01", kind={"N": "5"})


def test_billing_changes_both_ways(engine: Engine) -> None:
    engine.call("CreateTable", key_table())
    throughput = {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6}
    request = {"TableName": "things", "BillingMode": "PROVISIONED", "ProvisionedThroughput": throughput}
    table = engine.call("UpdateTable", request)["TableDescription"]
    assert table["ProvisionedThroughput"]["WriteCapacityUnits"] == 6
    assert table["BillingModeSummary"]["BillingMode"] == "PROVISIONED"
    assert engine.partitions()["things"]["world"] == "adaptive"
    engine.call("UpdateTable", {"TableName": "things", "BillingMode": "PAY_PER_REQUEST"})
    assert engine.partitions()["things"]["world"] == "on_demand"


def test_lists_come_in_pages(engine: Engine) -> None:
    for name in ("ccc", "aaa", "bbb"):
        engine.call("CreateTable", key_table(name))
    first = engine.call("ListTables", {"Limit": 2})
    assert first == {"TableNames": ["aaa", "bbb"], "LastEvaluatedTableName": "bbb"}
    assert engine.call("ListTables", {"ExclusiveStartTableName": "bbb"}) == {"TableNames": ["ccc"]}


def test_tags(engine: Engine) -> None:
    engine.call("CreateTable", key_table(Tags=[{"Key": "team", "Value": "a"}]))
    arn = "arn:aws:dynamodb:ap-northeast-1:000000000000:table/things"
    engine.call("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "cost", "Value": "b"}]})
    engine.call("UntagResource", {"ResourceArn": arn, "TagKeys": ["team"]})
    assert engine.call("ListTagsOfResource", {"ResourceArn": arn}) == {"Tags": [{"Key": "cost", "Value": "b"}]}
    assert code_of(engine, "ListTagsOfResource", {"ResourceArn": arn + "x"}) == "ResourceNotFoundException"


def test_a_table_can_be_named_by_its_arn(engine: Engine) -> None:
    engine.call("CreateTable", key_table())
    arn = "arn:aws:dynamodb:ap-northeast-1:000000000000:table/things"
    item = {"pk": {"S": "a"}, "sk": {"S": "1"}}
    engine.call("PutItem", {"TableName": arn, "Item": item})
    assert engine.call("GetItem", {"TableName": arn, "Key": item})["Item"] == item


def test_account_limits_and_endpoints(engine: Engine) -> None:
    limits = engine.call("DescribeLimits", {})
    assert (limits["AccountMaxReadCapacityUnits"], limits["TableMaxWriteCapacityUnits"]) == (80_000, 40_000)
    assert engine.call("DescribeEndpoints", {})["Endpoints"][0]["Address"] == "dynamodb.ap-northeast-1.amazonaws.com"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"KeySchema": [{"AttributeName": "sk", "KeyType": "RANGE"}]},
            "The first KeySchemaElement is not a HASH key type",
        ),
        ({"AttributeDefinitions": KIND}, "Some index key attributes are not defined in AttributeDefinitions"),
        ({"GlobalSecondaryIndexes": []}, "List of GlobalSecondaryIndexes is empty"),
        (
            {"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}},
            "when BillingMode is PAY_PER_REQUEST",
        ),
        ({"BillingMode": "PROVISIONED"}, "must both be specified when BillingMode is PROVISIONED"),
    ],
)
def test_descriptions_that_do_not_fit(engine: Engine, change: dict[str, Any], message: str) -> None:
    """Wording as dynalite captured it from DynamoDB."""
    with pytest.raises(DynamoDBError, match=message):
        engine.call("CreateTable", {**key_table(BillingMode="PAY_PER_REQUEST"), **change})
    assert engine.call("ListTables", {}) == {"TableNames": []}


def test_what_a_caller_keeps_is_not_the_tables(engine: Engine) -> None:
    request = key_table(attributes=KIND, GlobalSecondaryIndexes=[INDEX])
    described = engine.call("CreateTable", request)["TableDescription"]
    request["AttributeDefinitions"].clear()
    described["KeySchema"].clear()
    described["GlobalSecondaryIndexes"][0]["Projection"]["ProjectionType"] = "ALL"
    item = {"pk": {"S": "a"}, "sk": {"S": "1"}, "deep": {"L": [{"S": "x"}]}}
    engine.call("PutItem", {"TableName": "things", "Item": item})
    item["deep"]["L"].append({"S": "y"})
    table = engine.call("DescribeTable", {"TableName": "things"})["Table"]
    assert [each["AttributeName"] for each in table["KeySchema"]] == ["pk", "sk"]
    assert len(table["AttributeDefinitions"]) == 3
    assert table["GlobalSecondaryIndexes"][0]["Projection"] == {"ProjectionType": "KEYS_ONLY"}
    stored = engine.call("GetItem", {"TableName": "things", "Key": {"pk": {"S": "a"}, "sk": {"S": "1"}}})["Item"]
    assert stored["deep"] == {"L": [{"S": "x"}]}
