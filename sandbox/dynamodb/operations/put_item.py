"""PutItem."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from sandbox.dynamodb.errors import DynamoDBError, condition_failed, enveloped
from sandbox.dynamodb.expressions.plan import EMPTY, Plan, plan_of
from sandbox.dynamodb.legacy import expected_plan
from sandbox.dynamodb.operations.parameters import Values, check_mixed, return_values, value_parameters
from sandbox.dynamodb.operations.write_answer import add_write_report
from sandbox.dynamodb.records import Record
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.tables import TableState
from sandbox.dynamodb.throughput import Refusals
from sandbox.dynamodb.values import measured_item
from sandbox.dynamodb.writes import Write, admits_write

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("PutItem")


def put_item(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    try:
        _SHAPE.check(request)
        plan, values = condition_plan(request)
        item, size_bytes = measured_item(request["Item"])
        returned = return_values(request, ("NONE", "ALL_OLD"))
    except DynamoDBError as error:
        raise enveloped(error) from None
    table = engine.table(request["TableName"])
    order = table.keys.order_of_item(item)
    now_s = engine.clock()
    refusals = Refusals(table)
    if not admits_write(table, order, now_s, refusals):
        raise refusals.error()
    old = table.rows.get(order)
    write = Write(table, order, old, item, size_bytes)
    if plan.condition is not None:
        check_condition(table, plan, values, old, write, now_s, request)
    write.commit(now_s)
    answer: dict[str, Any] = {}
    if returned == "ALL_OLD" and write.old_text is not None:
        answer["Attributes"] = emit(write.old_text)
    add_write_report(answer, request, write, item)
    return answer


def condition_plan(request: dict[str, Any]) -> tuple[Plan, Values]:
    """The condition of a put or delete, in either language."""
    if len(request) == 2:
        return EMPTY, {}
    if check_mixed(request, ("ConditionExpression",), ("Expected", "ConditionalOperator")):
        values = value_parameters(request)
        return plan_of(request, values), values
    if request.get("Expected") is None and request.get("ConditionalOperator") is None:
        return EMPTY, {}
    return expected_plan(request.get("Expected"), request.get("ConditionalOperator"))


def check_condition(
    table: TableState,
    plan: Plan,
    values: Values,
    old: Record | None,
    write: Write,
    now_s: float,
    request: dict[str, Any],
) -> None:
    """Raise ConditionalCheckFailedException where the condition does not hold; charged as the write would be."""
    assert plan.condition is not None
    item = orjson.loads(old.text) if old is not None else {}
    if not plan.condition(item, values):
        raise failed(table, write, now_s, item if old is not None else None, request)


def failed(
    table: TableState, write: Write, now_s: float, old_item: dict[str, Any] | None, request: dict[str, Any]
) -> DynamoDBError:
    write.index_charges.clear()
    write.charge(now_s)
    table.metrics.count("ConditionalCheckFailedRequests").add(1.0)
    wants_item = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    return condition_failed(old_item if wants_item else None)
