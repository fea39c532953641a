"""Item sizes to the byte: an item padded to exactly k KB must cost k write units, and one byte more must cost k + 1."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capacity.dynamodb.item_size import item_size_bytes, number_size_bytes
from capacity.dynamodb.table import Key, Table
from capacity.dynamodb.units import WRITE_UNIT_BYTES
from tests.oracle.dynamodb_local import WireClient
from tests.unit.capacity.strategies import items

pytestmark = pytest.mark.oracle

by_example = settings(
    max_examples=1000,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def table(dynamodb_local: WireClient) -> str:
    dynamodb_local.call("CreateTable", Table("item_size", Key("#key"), {"#key": "S"}).create_table_request())
    return "item_size"


def written_units(client: WireClient, table: str, item: dict[str, Any]) -> float:
    """What DynamoDB Local charges for writing the item where there was none."""
    client.call("DeleteItem", {"TableName": table, "Key": {"#key": item["#key"]}})
    answer = client.call("PutItem", {"TableName": table, "Item": item, "ReturnConsumedCapacity": "TOTAL"})
    return float(answer["ConsumedCapacity"]["CapacityUnits"])


def assert_sizes_agree(client: WireClient, table: str, item: dict[str, Any]) -> None:
    item = {"#key": {"S": "k"}, "#pad": {"S": ""}} | item
    size = item_size_bytes(item)
    blocks = -(-size // WRITE_UNIT_BYTES)
    full = item | {"#pad": {"S": "." * (blocks * WRITE_UNIT_BYTES - size)}}
    assert written_units(client, table, full) == blocks, f"{size} bytes by the model"
    over = full | {"#pad": {"S": full["#pad"]["S"] + "."}}
    assert written_units(client, table, over) == blocks + 1, f"{size} bytes by the model"


@by_example
@given(item=items)
def test_generated_items_have_the_size_that_the_outside_engine_gives_them(
    dynamodb_local: WireClient, table: str, item: dict[str, Any]
) -> None:
    assert_sizes_agree(dynamodb_local, table, item)


@by_example
@given(
    digits=st.integers(1, 10**38 - 1),
    exponent=st.integers(-130, 125 - 38),
    sign=st.sampled_from(("", "-")),
)
def test_numbers_have_the_size_that_the_outside_engine_gives_them(
    dynamodb_local: WireClient, table: str, digits: int, exponent: int, sign: str
) -> None:
    text = f"{sign}{digits}E{exponent}"
    assert 2 <= number_size_bytes(text) <= 21
    assert_sizes_agree(dynamodb_local, table, {"n": {"N": text}})
