"""What the outside engine is known to report wrongly: the model keeps to the rule, and each difference is real."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from capacity.dynamodb.attribute_value import Item, to_item
from capacity.dynamodb.consumption import Consumption
from capacity.dynamodb.reads import batch_get_item, query_page, scan
from capacity.dynamodb.table import Index, Key, Projection, Table
from capacity.dynamodb.units import Consistency
from capacity.dynamodb.writes import Write, batch_write_item, transact_write_items, write_item
from tests.oracle.dynamodb_local import WireClient

pytestmark = pytest.mark.oracle

DIFFERENCES = yaml.safe_load(Path(__file__).parents[1].joinpath("data", "oracle_known_wrong.yaml").read_text("utf-8"))
TABLE = Table(
    "known_wrong",
    Key("pk", "sk"),
    {"pk": "S", "sk": "S", "g": "S", "h": "S", "k": "S", "l": "S", "m": "S"},
    (
        Index("composite", "GSI", Key("g", "h")),
        Index("keys", "GSI", Key("k"), Projection("KEYS_ONLY")),
        Index("local_all", "LSI", Key("pk", "l")),
        Index("local_keys", "LSI", Key("pk", "m"), Projection("KEYS_ONLY")),
    ),
)


def item(key: str, **attributes: Any) -> Item:
    return to_item({"pk": key, "sk": "s"} | attributes)


def transaction(items: list[Item]) -> dict[str, Any]:
    return {"TransactItems": [{"Put": {"TableName": TABLE.name, "Item": item}} for item in items]}


def query(attribute: str, value: str, **more: Any) -> dict[str, Any]:
    condition = {"KeyConditionExpression": f"{attribute} = :v", "ExpressionAttributeValues": {":v": {"S": value}}}
    return {"TableName": TABLE.name} | condition | more


@dataclass
class Case:
    """An operation after the puts of `before`, and what the model says it consumes; `arm` None = everything."""

    operation: str
    request: dict[str, Any]
    expected: Consumption
    before: tuple[Item, ...] = ()
    arm: str | None = None


ONE, TEN = [item("one", b="." * 290)], [item(f"ten {nth}", b="." * 290) for nth in range(10)]
HALF, OTHER_HALF = item("half", g="x"), item("half", h="y")
LOCAL = item("local", l="l", b="." * 980)
PARTIAL = item("partial", k="k", b="." * 5_000)
PROJECTED = item("projected", m="m", b="." * 5_000)
EVENTUAL = Consistency.EVENTUAL

CASES = {
    "transact_write_one": Case(
        "TransactWriteItems", transaction(ONE), transact_write_items(TABLE, [Write(None, each) for each in ONE])
    ),
    "transact_write_ten": Case(
        "TransactWriteItems", transaction(TEN), transact_write_items(TABLE, [Write(None, each) for each in TEN])
    ),
    "empty_query": Case("Query", query("pk", "missing"), query_page(TABLE, [], EVENTUAL)),
    "batch_get_missing": Case(
        "BatchGetItem",
        {"RequestItems": {TABLE.name: {"Keys": [item("missing")]}}},
        batch_get_item([None], EVENTUAL),
    ),
    "batch_delete_missing": Case(
        "BatchWriteItem",
        {"RequestItems": {TABLE.name: [{"DeleteRequest": {"Key": item("missing")}}]}},
        batch_write_item(TABLE, [Write(None, None)]),
    ),
    "local_index_entry": Case(
        "PutItem",
        {"TableName": TABLE.name, "Item": LOCAL},
        write_item(TABLE, Write(None, LOCAL)),
        arm="local_all",
    ),
    "half_keys": Case(
        "PutItem",
        {"TableName": TABLE.name, "Item": OTHER_HALF},
        write_item(TABLE, Write(HALF, OTHER_HALF)),
        before=(HALF,),
        arm="composite",
    ),
    "partial_scan": Case(
        "Scan",
        {"TableName": TABLE.name, "IndexName": "keys"},
        scan(TABLE, [PARTIAL], EVENTUAL, index="keys"),
        before=(PARTIAL,),
        arm="keys",
    ),
    "local_index_projected": Case(
        "Query",
        query("pk", "projected", IndexName="local_keys", ProjectionExpression="pk"),
        query_page(TABLE, [PROJECTED], EVENTUAL, index="local_keys", attributes=["pk"]),
        before=(PROJECTED,),
        arm="table",
    ),
}


@pytest.fixture(scope="module", autouse=True)
def table(dynamodb_local: WireClient) -> None:
    dynamodb_local.call("CreateTable", TABLE.create_table_request())


@pytest.mark.parametrize("difference", DIFFERENCES["differences"], ids=lambda each: each["says"])
def test_the_model_keeps_to_the_source_where_the_engine_does_not(
    dynamodb_local: WireClient, difference: dict[str, Any]
) -> None:
    case = CASES[difference["id"]]
    for before in case.before:
        dynamodb_local.call("PutItem", {"TableName": TABLE.name, "Item": before})
    consumed = dynamodb_local.call(case.operation, case.request | {"ReturnConsumedCapacity": "INDEXES"})
    assert units_expected(case) == difference["dynamodb"]
    assert units_reported(consumed["ConsumedCapacity"], case.arm) == difference["local"]
    assert difference["source"] in DIFFERENCES["sources"]


def units_expected(case: Case) -> float:
    if case.arm is None:
        units = case.expected.total
    elif case.arm == "table":
        units = case.expected.table
    elif case.arm in case.expected.indexes:
        units = case.expected.indexes[case.arm]
    else:
        return 0.0
    return units.read + units.write


def units_reported(consumed: Any, arm: str | None) -> float:
    (reported,) = consumed if isinstance(consumed, list) else (consumed,)
    if arm is None:
        return float(reported["CapacityUnits"])
    arms = {"table": reported["Table"]}
    arms |= reported.get("GlobalSecondaryIndexes", {}) | reported.get("LocalSecondaryIndexes", {})
    return float(arms.get(arm, {"CapacityUnits": 0})["CapacityUnits"])
