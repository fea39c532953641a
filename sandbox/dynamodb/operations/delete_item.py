"""DeleteItem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.dynamodb.errors import DynamoDBError, enveloped
from sandbox.dynamodb.operations.parameters import key_parameter, return_values
from sandbox.dynamodb.operations.put_item import check_condition, condition_plan
from sandbox.dynamodb.operations.write_answer import add_write_report
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.throughput import Refusals
from sandbox.dynamodb.writes import Write, admits_write

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("DeleteItem")


def delete_item(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    try:
        _SHAPE.check(request)
        plan, values = condition_plan(request)
        key = key_parameter(request["Key"])
        returned = return_values(request, ("NONE", "ALL_OLD"))
    except DynamoDBError as error:
        raise enveloped(error) from None
    table = engine.table(request["TableName"])
    order = table.keys.order_of_key(key)
    now_s = engine.clock()
    refusals = Refusals(table)
    if not admits_write(table, order, now_s, refusals):
        raise refusals.error()
    old = table.rows.get(order)
    write = Write(table, order, old, None)
    if plan.condition is not None:
        check_condition(table, plan, values, old, write, now_s, request)
    write.commit(now_s)
    answer: dict[str, Any] = {}
    if returned == "ALL_OLD" and write.old_text is not None:
        answer["Attributes"] = emit(write.old_text)
    add_write_report(answer, request, write, key)
    return answer
