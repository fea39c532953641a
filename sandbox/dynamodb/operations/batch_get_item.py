"""BatchGetItem: admitted item by item, unprocessed keys for what was refused or did not fit 16 MB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from capacity.dynamodb.units import Consistency, read_units
from sandbox.dynamodb.capacity_report import consumed_capacity
from sandbox.dynamodb.errors import validation
from sandbox.dynamodb.keys import sort_bytes
from sandbox.dynamodb.operations.get_item import charge_read
from sandbox.dynamodb.operations.parameters import key_parameter, projection_plan
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.tables import TableState
from sandbox.dynamodb.throughput import Refusals, count_throttled

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("BatchGetItem")
ANSWER_BYTES = 16 << 20
MOST_KEYS = 100


def batch_get_item(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    _SHAPE.check(request)
    requests = request["RequestItems"]
    if sum(len(each["Keys"]) for each in requests.values()) > MOST_KEYS:
        raise validation("Too many items requested for the BatchGetItem call")
    plans = [(projection_plan(each), [key_parameter(key) for key in each["Keys"]]) for each in requests.values()]
    work = []
    for (name, each), (plan, keys) in zip(requests.items(), plans, strict=True):
        table = engine.table(name)
        orders = [table.keys.order_of_key(key) for key in keys]
        if len(set(orders)) != len(orders):
            raise validation("Provided list of item keys contains duplicates")
        work.append((name, each, table, plan, orders))
    now_s = engine.clock()
    responses: dict[str, list[Any]] = {}
    unprocessed: dict[str, Any] = {}
    consumed = []
    size = served = 0
    first_refusals: Refusals | None = None
    refused: list[TableState] = []
    mode = request.get("ReturnConsumedCapacity")
    for name, each, table, plan, orders in work:
        consistency = Consistency.STRONG if each.get("ConsistentRead") else Consistency.EVENTUAL
        found = responses.setdefault(name, [])
        left = []
        units = 0.0
        for key, order in zip(each["Keys"], orders, strict=True):
            throttles = (
                table.throughput.check(now_s, "read", order[0], sort_bytes(order))
                if table.throughput is not None
                else ()
            )
            if throttles:
                refusals = Refusals(table)
                refusals.add("read", throttles)
                first_refusals = first_refusals or refusals
                if table not in refused:
                    refused.append(table)
                left.append(key)
                continue
            record = table.rows.get(order)
            if record is not None:
                if size + record.size_bytes > ANSWER_BYTES:
                    left.append(key)
                    continue
                size += record.size_bytes
            served += 1
            item_units = read_units(record.size_bytes if record is not None else None, consistency)
            charge_read(table, order, now_s, item_units)
            units += item_units
            if record is not None:
                found.append(
                    emit(record.text) if plan.projection is None else plan.projection(orjson.loads(record.text))
                )
        if left:
            unprocessed[name] = {**each, "Keys": left}
        consumed.append(consumed_capacity(mode or "TOTAL", table, units))
    if first_refusals is not None:
        if not served:
            raise first_refusals.error()
        count_throttled("BatchGetItem", refused)
    answer: dict[str, Any] = {"Responses": responses, "UnprocessedKeys": unprocessed}
    if mode is not None and mode != "NONE":
        answer["ConsumedCapacity"] = consumed
    return answer
