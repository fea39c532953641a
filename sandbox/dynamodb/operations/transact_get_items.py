"""TransactGetItems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from capacity.dynamodb.units import Consistency, read_units
from sandbox.dynamodb.capacity_report import consumed_capacity
from sandbox.dynamodb.errors import DynamoDBError, cancelled, is_empty_key_value, validation
from sandbox.dynamodb.keys import sort_bytes
from sandbox.dynamodb.operations.get_item import charge_read
from sandbox.dynamodb.operations.parameters import key_parameter, projection_plan
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.tables import TableState
from sandbox.dynamodb.throughput import refused

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("TransactGetItems")


def transact_get_items(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    _SHAPE.check(request)
    gets = [each["Get"] for each in request["TransactItems"]]
    parsed = [(get, projection_plan(get), key_parameter(get["Key"])) for get in gets]
    work = []
    unfit: list[dict[str, Any]] = []
    for get, plan, key in parsed:
        table = engine.table(get["TableName"])
        try:
            work.append((table, table.keys.order_of_key(key), plan))
            unfit.append({"Code": "None"})
        except DynamoDBError as error:
            if is_empty_key_value(error):
                raise
            unfit.append({"Code": "ValidationError", "Message": error.message})
    if len(work) < len(parsed):
        raise cancelled(unfit)
    if len({(id(table), order) for table, order, _ in work}) != len(work):
        raise validation("Transaction request cannot include multiple operations on one item")
    now_s = engine.clock()
    for table, order, _ in work:
        if table.throughput is not None:
            throttles = table.throughput.check(now_s, "read", order[0], sort_bytes(order))
            if throttles:
                raise refused(table, "read", throttles)
    responses: list[dict[str, Any]] = []
    totals: dict[str, tuple[TableState, float]] = {}
    for table, order, plan in work:
        record = table.rows.get(order)
        units = read_units(record.size_bytes if record is not None else None, Consistency.TRANSACTIONAL)
        charge_read(table, order, now_s, units)
        totals[table.name] = (table, totals.get(table.name, (table, 0.0))[1] + units)
        if record is None:
            responses.append({})
        elif plan.projection is None:
            responses.append({"Item": emit(record.text)})
        else:
            responses.append({"Item": plan.projection(orjson.loads(record.text))})
    answer: dict[str, Any] = {"Responses": responses}
    mode = request.get("ReturnConsumedCapacity")
    if mode is not None and mode != "NONE":
        answer["ConsumedCapacity"] = [
            consumed_capacity(mode, table, units, (), "ReadCapacityUnits") for table, units in totals.values()
        ]
    return answer
