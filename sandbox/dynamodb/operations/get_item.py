"""GetItem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from capacity.dynamodb.units import Consistency, read_units
from sandbox.dynamodb.capacity_report import consumed_capacity
from sandbox.dynamodb.keys import sort_bytes
from sandbox.dynamodb.operations.parameters import key_parameter, projection_plan
from sandbox.dynamodb.records import Order
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.tables import TableState
from sandbox.dynamodb.throughput import refused

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("GetItem")
STRONG, EVENTUAL = Consistency.STRONG, Consistency.EVENTUAL


def get_item(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    _SHAPE.check(request)
    plan = projection_plan(request)
    key = key_parameter(request["Key"])
    table = engine.table(request["TableName"])
    order = table.keys.order_of_key(key)
    now_s = engine.clock()
    sort_key = sort_bytes(order)
    if table.throughput is not None:
        throttles = table.throughput.check(now_s, "read", order[0], sort_key)
        if throttles:
            raise refused(table, "read", throttles)
    record = table.rows.get(order)
    consistency = STRONG if request.get("ConsistentRead") else EVENTUAL
    units = read_units(record.size_bytes if record is not None else None, consistency)
    if table.throughput is not None:
        table.throughput.charge(now_s, "read", order[0], units, sort_key)
    table.metrics.consumed_read.add(units)
    answer: dict[str, Any] = {}
    if record is not None:
        if plan.projection is None:
            answer["Item"] = emit(record.text)
        else:
            answer["Item"] = plan.projection(orjson.loads(record.text))
    mode = request.get("ReturnConsumedCapacity")
    if mode is not None and mode != "NONE":
        answer["ConsumedCapacity"] = consumed_capacity(mode, table, units)
    return answer


def charge_read(table: TableState, order: Order, now_s: float, units: float) -> None:
    if table.throughput is not None:
        table.throughput.charge(now_s, "read", order[0], units, sort_bytes(order))
    table.metrics.consumed_read.add(units)
