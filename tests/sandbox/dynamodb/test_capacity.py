"""Consumed capacity per table and index, against figures captured in eu-west-2 in August 2026 and AWS's examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from served_engine import RecordedMetrics, key_table

from sandbox.dynamodb.engine import Engine
from sandbox.dynamodb.errors import DynamoDBError

Json = dict[str, Any]
NAMES = ("g", "l")
INDEX = {
    "IndexName": "gsi",
    "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["shown"]},
}
LOCAL = {
    "IndexName": "lsi",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "ALL"},
}


@pytest.fixture
def engine(unlimited: Engine) -> Engine:
    attributes = [{"AttributeName": name, "AttributeType": "S"} for name in NAMES]
    unlimited.call(
        "CreateTable", key_table(attributes=attributes, GlobalSecondaryIndexes=[INDEX], LocalSecondaryIndexes=[LOCAL])
    )
    return unlimited


def text(**attributes: str) -> Json:
    return {name: {"S": value} for name, value in attributes.items()}


KEY = text(pk="a", sk="1")
BOTH = {**KEY, **text(g="x", l="y", shown="1", detail="1")}


def arms(answer: Json) -> tuple[float, float, float, float]:
    """(total, table, global index, local index) of one ConsumedCapacity; 0 where the arm is absent."""
    consumed = answer["ConsumedCapacity"]
    return (
        consumed["CapacityUnits"],
        consumed["Table"]["CapacityUnits"],
        consumed.get("GlobalSecondaryIndexes", {}).get("gsi", {}).get("CapacityUnits", 0.0),
        consumed.get("LocalSecondaryIndexes", {}).get("lsi", {}).get("CapacityUnits", 0.0),
    )


def put(engine: Engine, item: Json) -> Json:
    return engine.call("PutItem", {"TableName": "things", "Item": item, "ReturnConsumedCapacity": "INDEXES"})


def update(engine: Engine, expression: str, **values: str) -> Json:
    request = {"TableName": "things", "Key": KEY, "UpdateExpression": expression, "ReturnConsumedCapacity": "INDEXES"}
    if values:
        request["ExpressionAttributeValues"] = {f":{name}": {"S": value} for name, value in values.items()}
    return engine.call("UpdateItem", request)


def test_writes_of_an_item_in_both_indexes(engine: Engine, metrics: RecordedMetrics) -> None:
    """The ladder of nubo-db/dynoxide, measured in eu-west-2 on 2026-08-12 to 16, row by row."""
    assert arms(put(engine, BOTH)) == (3, 1, 1, 1)
    again = put(engine, dict(reversed(BOTH.items())))
    assert arms(again) == (1, 1, 0, 0), "an identical overwrite"
    assert "GlobalSecondaryIndexes" not in again["ConsumedCapacity"], "an untouched index has no arm"
    assert arms(update(engine, "SET detail = :h", h="2")) == (2, 1, 0, 1), "not projected by the global index"
    assert arms(update(engine, "SET shown = :s", s="2")) == (3, 1, 1, 1), "projected by both"
    assert arms(update(engine, "SET g = :g", g="z")) == (4, 1, 2, 1), "a key of the global index moves"
    assert arms(update(engine, "REMOVE g")) == (3, 1, 1, 1), "it leaves the global index"
    deleted = engine.call("DeleteItem", {"TableName": "things", "Key": KEY, "ReturnConsumedCapacity": "INDEXES"})
    assert arms(deleted) == (2, 1, 0, 1)
    nothing = engine.call("DeleteItem", {"TableName": "things", "Key": KEY, "ReturnConsumedCapacity": "INDEXES"})
    assert arms(nothing) == (1, 1, 0, 0)
    # CloudWatch: the global index on its own, the local one within the table.
    index = {"TableName": "things", "GlobalSecondaryIndexName": "gsi"}
    assert metrics.sum("ConsumedWriteCapacityUnits", **index) == 1 + 1 + 2 + 1
    assert metrics.sum("ConsumedWriteCapacityUnits", TableName="things") == 8 + 1 + 1 + 1 + 1 + 1 + 1


def test_a_large_item_with_a_small_entry(engine: Engine) -> None:
    """A 3,023-byte item with an 18-byte entry: table 3, index 1 (row 45)."""
    item = {**KEY, **text(g="x")}
    pad = 3_023 - sum(len(name) + len(value["S"]) for name, value in item.items()) - len("detail")
    assert arms(put(engine, {**item, **text(detail="x" * pad)})) == (4, 3, 1, 0)


def test_transactions_double_the_table_alone(engine: Engine) -> None:
    """Rows 51, 53 and 32: a transactional put of an index member is 2 + 1; a condition check 2; a replay is read."""
    put_action = {"Put": {"TableName": "things", "Item": {**KEY, **text(g="x")}}}
    request = {"TransactItems": [put_action], "ReturnConsumedCapacity": "INDEXES", "ClientRequestToken": "once"}
    (consumed,) = engine.call("TransactWriteItems", request)["ConsumedCapacity"]
    assert arms({"ConsumedCapacity": consumed}) == (3, 2, 1, 0)
    assert consumed["WriteCapacityUnits"] == 3
    (replayed,) = engine.call("TransactWriteItems", request)["ConsumedCapacity"]
    assert (replayed["CapacityUnits"], replayed["ReadCapacityUnits"]) == (2, 2)
    check = {"ConditionCheck": {"TableName": "things", "Key": KEY, "ConditionExpression": "attribute_exists(pk)"}}
    request = {"TransactItems": [check], "ReturnConsumedCapacity": "TOTAL"}
    (consumed,) = engine.call("TransactWriteItems", request)["ConsumedCapacity"]
    assert consumed["CapacityUnits"] == 2
    with pytest.raises(DynamoDBError, match="same client token"):
        engine.call("TransactWriteItems", {"TransactItems": [check], "ClientRequestToken": "once"})


@pytest.mark.parametrize(
    ("size_bytes", "strong", "eventual", "transactional"),
    [(3_584, 1, 0.5, 2), (8_192, 2, 1, 4), (10_240, 3, 1.5, 6), (4_096, 1, 0.5, 2), (4_097, 2, 1, 4)],
)
def test_reads(engine: Engine, size_bytes: int, strong: float, eventual: float, transactional: float) -> None:
    """Developer Guide, ProvisionedThroughput and read-write-operations."""
    put(engine, {**KEY, **text(detail="x" * (size_bytes - 12))})
    get = {"TableName": "things", "Key": KEY, "ReturnConsumedCapacity": "TOTAL"}
    assert engine.call("GetItem", get)["ConsumedCapacity"]["CapacityUnits"] == eventual
    assert engine.call("GetItem", {**get, "ConsistentRead": True})["ConsumedCapacity"]["CapacityUnits"] == strong
    gets = [{"Get": {"TableName": "things", "Key": KEY}}]
    (consumed,) = engine.call("TransactGetItems", {"TransactItems": gets, "ReturnConsumedCapacity": "TOTAL"})[
        "ConsumedCapacity"
    ]
    assert consumed["CapacityUnits"] == transactional


def test_reading_what_is_not_there_costs_the_minimum(engine: Engine) -> None:
    get = {"TableName": "things", "Key": KEY, "ReturnConsumedCapacity": "TOTAL"}
    assert engine.call("GetItem", get)["ConsumedCapacity"]["CapacityUnits"] == 0.5
    query = {
        "TableName": "things",
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": KEY["pk"]},
        "ReturnConsumedCapacity": "TOTAL",
    }
    assert engine.call("Query", query)["ConsumedCapacity"]["CapacityUnits"] == 0.5


def test_a_batch_rounds_each_item_on_its_own(engine: Engine) -> None:
    """Developer Guide: 500 bytes and 3.5 KB are 1 + 4 write units; 1.5 KB and 6.5 KB read strongly are 1 + 2."""

    def item(sk: str, size_bytes: int) -> Json:
        return {**text(pk="a", sk=sk), **text(detail="x" * (size_bytes - 12))}

    def write(*items: Json) -> float:
        request = {"RequestItems": {"things": [{"PutRequest": {"Item": each}} for each in items]}}
        (consumed,) = engine.call("BatchWriteItem", {**request, "ReturnConsumedCapacity": "TOTAL"})["ConsumedCapacity"]
        return float(consumed["CapacityUnits"])

    assert write(item("1", 500), item("2", 3_584)) == 5
    write(item("3", 1_536), item("4", 6_656))
    keys = {"Keys": [text(pk="a", sk="3"), text(pk="a", sk="4")], "ConsistentRead": True}
    request = {"RequestItems": {"things": keys}, "ReturnConsumedCapacity": "TOTAL"}
    (consumed,) = engine.call("BatchGetItem", request)["ConsumedCapacity"]
    assert consumed["CapacityUnits"] == 3


def test_a_local_index_that_has_to_fetch(unlimited: Engine) -> None:
    """Developer Guide, LSI: 4 matches with entries of 200 bytes and items of 300, strongly: 1 for the entries and 1 for
    each item."""
    local = {**LOCAL, "Projection": {"ProjectionType": "KEYS_ONLY"}}
    attributes = [{"AttributeName": "l", "AttributeType": "S"}]
    unlimited.call("CreateTable", key_table(attributes=attributes, LocalSecondaryIndexes=[local]))
    for number in range(4):
        put(unlimited, text(pk="a", sk=str(number) + "x" * 186, l="y", detail="x" * 92))
    query = {
        "TableName": "things",
        "IndexName": "lsi",
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": "a"}},
        "ConsistentRead": True,
        "ReturnConsumedCapacity": "INDEXES",
    }
    fetched = unlimited.call("Query", {**query, "Select": "ALL_ATTRIBUTES"})
    assert arms(fetched) == (5, 4, 0, 1)
    assert arms(unlimited.call("Query", query)) == (1, 0, 0, 1)


def test_collection_metrics_name_the_collection(engine: Engine) -> None:
    """Only a table with a local index has item collections (Developer Guide, LSI)."""
    answer = engine.call("PutItem", {"TableName": "things", "Item": BOTH, "ReturnItemCollectionMetrics": "SIZE"})
    assert answer["ItemCollectionMetrics"]["ItemCollectionKey"] == {"pk": {"S": "a"}}
    assert answer["ItemCollectionMetrics"]["SizeEstimateRangeGB"] == [0.0, 1.0]


def test_an_item_collection_is_full_at_its_limit(make_engine: Callable[..., Engine]) -> None:
    """10 GB of table and local indexes on AWS, 1 KB here: what grows it is refused, what shrinks it is not."""
    engine = make_engine(item_collection_bytes=1024)
    attributes = [{"AttributeName": "l", "AttributeType": "S"}]
    engine.call("CreateTable", key_table(attributes=attributes, LocalSecondaryIndexes=[LOCAL]))
    put(engine, {**KEY, **text(l="y", detail="x" * 400)})
    with pytest.raises(DynamoDBError, match="Collection size exceeded") as caught:
        put(engine, {**text(pk="a", sk="2"), **text(detail="x" * 300)})
    assert caught.value.code == "ItemCollectionSizeLimitExceededException"
    put(engine, {**text(pk="b", sk="2"), **text(detail="x" * 300)})
    put(engine, {**KEY, **text(l="y", detail="x" * 100)})
    put(engine, {**text(pk="a", sk="2"), **text(detail="x" * 300)})


@pytest.mark.parametrize(
    ("sentence", "attributes", "padding_bytes", "accepted"),
    [
        # pk 3 + sk 3 + l 2 = 8 bytes, and "pad" 3: the entry of an index that projects all is as large as the item
        ("An item and its entry in a local index share 400 KB: exactly half each fits.", {"l": "y"}, 204_789, True),
        ("One byte more is two too many.", {"l": "y"}, 204_790, False),
        ("An item that is not in the local index has the whole to itself.", {}, 409_591, True),
        ("And one byte more is too large.", {}, 409_592, False),
    ],
)
def test_an_item_shares_its_limit_with_its_local_entries(
    engine: Engine, sentence: str, attributes: dict[str, str], padding_bytes: int, accepted: bool
) -> None:
    item = {**KEY, **text(**attributes, pad="." * padding_bytes)}
    if accepted:
        assert put(engine, item)["ConsumedCapacity"]["CapacityUnits"] > 0, sentence
        return
    with pytest.raises(DynamoDBError, match="Item size has exceeded the maximum allowed size"):
        put(engine, item)
    assert "Item" not in engine.call("GetItem", {"TableName": "things", "Key": KEY}), sentence
