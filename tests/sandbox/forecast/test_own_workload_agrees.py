"""The timeline's forecast against the sandbox's own metering of the same calls."""

from __future__ import annotations

from typing import Any

import pytest

from capacity.dynamodb.attribute_value import to_item
from capacity.workloads.example import INDEX, TABLE, post, timeline
from capacity.workloads.own_forecast import forecast_own
from sandbox.dynamodb.engine import Engine

POSTS, PER_PAGE = 50, 20


def test_posts_and_pages_cost_what_was_forecast() -> None:
    now_s = 1_796_052_452.0
    engine = Engine(lambda: now_s)
    engine.call("CreateTable", TABLE.create_table_request())
    consumed = {"write": 0.0, "index write": 0.0, "index read": 0.0}
    for number in range(POSTS):
        item = {**post(), "timeline_id": f"{number:036d}", "process_at": 1_796_052_452 + number}
        request = {"TableName": "timelines", "Item": to_item(item), "ReturnConsumedCapacity": "INDEXES"}
        capacity = engine.call("PutItem", request)["ConsumedCapacity"]
        consumed["write"] += capacity["Table"]["CapacityUnits"]
        consumed["index write"] += capacity["GlobalSecondaryIndexes"][INDEX]["CapacityUnits"]
    pages, seen, start = 0, [], None
    while pages == 0 or start is not None:
        answer = engine.call("Query", _page(start))
        consumed["index read"] += answer["ConsumedCapacity"]["GlobalSecondaryIndexes"][INDEX]["CapacityUnits"]
        seen += [item["timeline_id"]["S"] for item in answer["Items"]]
        start = answer.get("LastEvaluatedKey")
        pages += 1
    assert seen == [f"{number:036d}" for number in reversed(range(POSTS))]  # newest first, none twice, none missing
    found = forecast_own(timeline(posts_per_s=POSTS, readers_per_s=1, per_page=PER_PAGE, more_pages=1))
    per_page = found.actions[1].units[INDEX][0]
    assert consumed["write"] == found.units_per_s["table"][1]
    assert consumed["index write"] == found.units_per_s[INDEX][1]
    assert consumed["index read"] == pytest.approx(2 * per_page + 0.5)  # two full pages, and ten posts on the third


def _page(start: dict[str, Any] | None) -> dict[str, Any]:
    request: dict[str, Any] = {
        "TableName": "timelines",
        "IndexName": INDEX,
        "KeyConditionExpression": "sort_hash_key = :one",
        "ExpressionAttributeValues": {":one": {"N": "1"}},
        "ScanIndexForward": False,
        "Limit": PER_PAGE,
        "ReturnConsumedCapacity": "INDEXES",
    }
    return request if start is None else {**request, "ExclusiveStartKey": start}
