"""Pages of Query and Scan: by Limit, by 1 MB, in segments; nothing missed, nothing twice."""

from __future__ import annotations

from typing import Any

import pytest
from served_engine import key_table

from sandbox.dynamodb.engine import Engine
from sandbox.dynamodb.errors import DynamoDBError

INDEX = {
    "IndexName": "by_kind",
    "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}


@pytest.fixture
def engine(unlimited: Engine) -> Engine:
    kind = [{"AttributeName": "kind", "AttributeType": "S"}]
    unlimited.call("CreateTable", key_table(attributes=kind, GlobalSecondaryIndexes=[INDEX]))
    return unlimited


def put(engine: Engine, pk: str, sk: str, size_bytes: int = 20) -> None:
    pad = {"S": "x" * (size_bytes - 20)}
    item = {"pk": {"S": pk}, "sk": {"S": sk}, "kind": {"S": "k"}, "pad": pad}
    engine.call("PutItem", {"TableName": "things", "Item": item})


def pages(engine: Engine, operation: str, request: dict[str, Any]) -> list[list[tuple[str, str]]]:
    """Keys page by page."""
    found = []
    request = {"TableName": "things", **request}
    while True:
        answer = engine.call(operation, request)
        found.append([(item["pk"]["S"], item["sk"]["S"]) for item in answer["Items"]])
        if "LastEvaluatedKey" not in answer:
            return found
        request = {**request, "ExclusiveStartKey": answer["LastEvaluatedKey"]}


QUERY = {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "a"}}}
INDEX_QUERY = {
    "IndexName": "by_kind",
    "KeyConditionExpression": "kind = :kind",
    "ExpressionAttributeValues": {":kind": {"S": "k"}},
}


@pytest.mark.parametrize("forward", [True, False])
@pytest.mark.parametrize("limit", [1, 3, 7, 100])
def test_a_query_by_limit(engine: Engine, forward: bool, limit: int) -> None:
    keys = [("a", f"{number:02d}") for number in range(10)]
    for key in keys:
        put(engine, *key)
    put(engine, "b", "00")
    found = pages(engine, "Query", {**QUERY, "Limit": limit, "ScanIndexForward": forward})
    assert [key for page in found for key in page] == (keys if forward else keys[::-1])
    assert max(len(page) for page in found) <= limit


@pytest.mark.parametrize("limit", [1, 4, 100])
def test_an_index_query_by_limit_where_all_entries_share_one_key(engine: Engine, limit: int) -> None:
    keys = {(f"p{number}", "s") for number in range(20)}
    for key in keys:
        put(engine, *key)
    found = [key for page in pages(engine, "Query", {**INDEX_QUERY, "Limit": limit}) for key in page]
    assert len(found) == len(set(found)) == 20
    assert set(found) == keys


def test_a_page_ends_at_1_mb(engine: Engine) -> None:
    """Developer Guide, Query pagination: a single page holds at most 1 MB."""
    for number in range(30):
        put(engine, "a", f"{number:02d}", 100_000)
    found = pages(engine, "Query", QUERY)
    assert [len(page) for page in found] == [11, 11, 8]


def test_an_unfiltered_count_reads_as_much_as_the_items_would(engine: Engine) -> None:
    """Filters, projections and COUNT do not lower the charge (measured in eu-west-2, 2026-08)."""
    for number in range(8):
        put(engine, "a", f"{number:02d}", 3_000)
    requests = [
        {},
        {"Select": "COUNT"},
        {"ProjectionExpression": "sk"},
        {"FilterExpression": "attribute_exists(nothing)"},
    ]
    units = [
        engine.call("Query", {"TableName": "things", **QUERY, **more, "ReturnConsumedCapacity": "TOTAL"})
        for more in requests
    ]
    # 8 x 3,000 bytes = 24,000: 6 blocks of 4 KB, eventual.
    assert [each["ConsumedCapacity"]["CapacityUnits"] for each in units] == [3.0] * 4
    assert [each["Count"] for each in units] == [8, 8, 8, 0]
    assert [each["ScannedCount"] for each in units] == [8] * 4


@pytest.mark.parametrize("segments", [1, 2, 7])
def test_segments_part_a_scan(engine: Engine, segments: int) -> None:
    keys = {(f"p{number}", f"{number % 3}") for number in range(50)}
    for key in keys:
        put(engine, *key)
    found = [
        key
        for segment in range(segments)
        for page in pages(engine, "Scan", {"TotalSegments": segments, "Segment": segment, "Limit": 6})
        for key in page
    ]
    assert len(found) == 50
    assert set(found) == keys


def test_a_scan_goes_on_while_items_come_and_go(engine: Engine) -> None:
    """What was there all along is found exactly once."""
    for number in range(40):
        put(engine, f"p{number}", "1")
    found: list[str] = []
    request: dict[str, Any] = {"TableName": "things", "Limit": 5}
    for turn in range(100):
        answer = engine.call("Scan", request)
        found += [item["pk"]["S"] for item in answer["Items"]]
        put(engine, f"new{turn}", "1")
        engine.call("DeleteItem", {"TableName": "things", "Key": {"pk": {"S": f"p{turn * 2 + 1}"}, "sk": {"S": "1"}}})
        if "LastEvaluatedKey" not in answer:
            break
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
    stayed = [f"p{number}" for number in range(0, 40, 2)]
    assert sorted(name for name in found if name in stayed) == sorted(stayed)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"Segment": 0}, "The TotalSegments parameter is required"),
        ({"TotalSegments": 2}, "The Segment parameter is required"),
        ({"TotalSegments": 2, "Segment": 2}, "Segment: 2 is not less than TotalSegments: 2"),
        ({"Limit": 0}, "'limit' failed to satisfy constraint: Member must have value greater than or equal to 1"),
        ({"ExclusiveStartKey": {"pk": {"S": "a"}}}, "The provided starting key is invalid"),
        ({"IndexName": "absent"}, "The table does not have the specified index: absent"),
    ],
)
def test_scans_that_make_no_sense(engine: Engine, more: dict[str, Any], message: str) -> None:
    with pytest.raises(DynamoDBError, match=message):
        engine.call("Scan", {"TableName": "things", **more})
