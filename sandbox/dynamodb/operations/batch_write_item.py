"""BatchWriteItem: admitted item by item, unprocessed items for what was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.dynamodb.capacity_report import collection_metrics, consumed_capacity
from sandbox.dynamodb.errors import validation
from sandbox.dynamodb.operations.parameters import key_parameter
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.tables import TableState
from sandbox.dynamodb.throughput import Refusals, count_throttled
from sandbox.dynamodb.values import Item, measured_item
from sandbox.dynamodb.writes import Write, admits_write

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("BatchWriteItem")
MOST_WRITES = 25
_NEITHER = (
    "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
)


def batch_write_item(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    _SHAPE.check(request)
    requests = request["RequestItems"]
    if sum(len(each) for each in requests.values()) > MOST_WRITES:
        raise validation("Too many items requested for the BatchWriteItem call")
    parsed = [(name, [_parse(each) for each in writes]) for name, writes in requests.items()]
    work: list[tuple[str, TableState, list[tuple[Write, Item]]]] = []
    for name, writes in parsed:
        table = engine.table(name)
        placed = []
        for item, key, size_bytes in writes:
            order = table.keys.order_of_key(key if item is None else _key_of(table, item))
            placed.append((Write(table, order, table.rows.get(order), item, size_bytes), key))
        if len({write.order for write, _ in placed}) != len(placed):
            raise validation("Provided list of item keys contains duplicates")
        work.append((name, table, placed))
    now_s = engine.clock()
    unprocessed: dict[str, list[Any]] = {}
    metrics: dict[str, list[Any]] = {}
    consumed = []
    served = 0
    first_refusals: Refusals | None = None
    mode = request.get("ReturnConsumedCapacity")
    sizes = request.get("ReturnItemCollectionMetrics") == "SIZE"
    for name, table, placed in work:
        units = 0.0
        charges = []
        for position, (write, key) in enumerate(placed):
            refusals = Refusals(table)
            if not admits_write(table, write.order, now_s, refusals):
                first_refusals = first_refusals or refusals
                unprocessed.setdefault(name, []).append(requests[name][position])
                continue
            served += 1
            write.commit(now_s)
            units += write.units
            charges += [(index, index_units) for index, index_units, _ in write.index_charges]
            if sizes:
                collection = collection_metrics(table, write.order[0], key)
                if collection is not None and collection not in metrics.setdefault(name, []):
                    metrics[name].append(collection)
        if mode is not None and mode != "NONE":
            consumed.append(consumed_capacity(mode, table, units, charges))
    if first_refusals is not None:
        if not served:
            raise first_refusals.error()
        count_throttled("BatchWriteItem", [table for name, table, _ in work if name in unprocessed])
    answer: dict[str, Any] = {"UnprocessedItems": unprocessed}
    if consumed:
        answer["ConsumedCapacity"] = consumed
    if metrics:
        answer["ItemCollectionMetrics"] = metrics
    return answer


def _parse(each: dict[str, Any]) -> tuple[Item | None, Item, int]:
    """(item or None, key-bearing attributes, size of the item) of one write request."""
    put, delete = each.get("PutRequest"), each.get("DeleteRequest")
    if (put is None) == (delete is None):
        raise validation(_NEITHER)
    if put is not None:
        item, size_bytes = measured_item(put["Item"])
        return item, item, size_bytes
    assert delete is not None
    return None, key_parameter(delete["Key"]), 0


def _key_of(table: TableState, item: Item) -> Item:
    """The key attributes that an item has; BatchWriteItem words a missing or unfit one as it does for a key."""
    return {name: item[name] for name in table.keys.attributes if name in item}
