"""UpdateItem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import orjson

from sandbox.dynamodb.errors import DynamoDBError, enveloped, validation
from sandbox.dynamodb.expressions.bind import Path
from sandbox.dynamodb.expressions.plan import EMPTY, Plan, plan_of
from sandbox.dynamodb.expressions.projection import project
from sandbox.dynamodb.expressions.update import Update, check_key_untouched
from sandbox.dynamodb.legacy import expected_plan
from sandbox.dynamodb.legacy_update import legacy_update
from sandbox.dynamodb.operations.parameters import Values, check_mixed, key_parameter, value_parameters
from sandbox.dynamodb.operations.put_item import failed
from sandbox.dynamodb.operations.write_answer import add_write_report
from sandbox.dynamodb.records import Order, Record
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.tables import TableState
from sandbox.dynamodb.throughput import Refusals
from sandbox.dynamodb.values import Item
from sandbox.dynamodb.writes import Write, admits_write

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("UpdateItem")


def update_item(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    try:
        _SHAPE.check(request)
        plan, values = update_plan(request)
        key = key_parameter(request["Key"])
    except DynamoDBError as error:
        raise enveloped(error) from None
    table = engine.table(request["TableName"])
    order = table.keys.order_of_key(key)
    update = plan.update
    if update is not None:
        check_key_untouched(update.paths, table.keys.attributes)
    now_s = engine.clock()
    refusals = Refusals(table)
    if not admits_write(table, order, now_s, refusals):
        raise refusals.error()
    old = table.rows.get(order)
    old_item = orjson.loads(old.text) if old is not None else None
    if plan.condition is not None and not plan.condition(old_item or {}, values):
        attempted = attempted_update(table, order, old, old_item, key, update, values)
        raise failed(table, attempted, now_s, old_item, request)
    write = prepare_update(table, order, old, old_item, key, update, values)
    write.commit(now_s)
    answer: dict[str, Any] = {}
    returned = request.get("ReturnValues") or "NONE"
    if returned != "NONE":
        assert write.item is not None
        paths = update.paths if update is not None else []
        attributes = _returned(returned, old_item, write.item, paths)
        if attributes:
            answer["Attributes"] = attributes
    add_write_report(answer, request, write, key)
    return answer


def prepare_update(
    table: TableState,
    order: Order,
    old: Record | None,
    old_item: Item | None,
    key: Item,
    update: Update | None,
    values: Values,
) -> Write:
    """The write that an update amounts to; a missing item starts as its key alone."""
    base = old_item if old_item is not None else dict(key)
    item = update.apply(base, values) if update is not None else base
    try:
        return Write(table, order, old, item)
    except DynamoDBError as error:
        if error.message == "Item size has exceeded the maximum allowed size":
            raise validation("Item size to update has exceeded the maximum allowed size") from None
        raise


def attempted_update(
    table: TableState,
    order: Order,
    old: Record | None,
    old_item: Item | None,
    key: Item,
    update: Update | None,
    values: Values,
) -> Write:
    """What an update would have written whose condition failed: it is charged by the larger of old and attempted."""
    try:
        return prepare_update(table, order, old, old_item, key, update, values)
    except DynamoDBError:
        return Write(table, order, old, None)


def update_plan(request: dict[str, Any]) -> tuple[Plan, Values]:
    """Update and condition, in either language."""
    if check_mixed(
        request,
        ("UpdateExpression", "ConditionExpression"),
        ("AttributeUpdates", "Expected", "ConditionalOperator"),
    ):
        values = value_parameters(request)
        return plan_of(request, values), values
    updates: Mapping[str, Any] | None = request.get("AttributeUpdates")
    expected = request.get("Expected")
    if updates is None and expected is None and request.get("ConditionalOperator") is None:
        return EMPTY, {}
    plan, values = expected_plan(expected, request.get("ConditionalOperator"))
    if updates:
        plan.update = legacy_update(updates)
    return plan, values


def _returned(wanted: str, old: Item | None, new: Item, paths: list[Path]) -> Item | None:
    if wanted == "ALL_OLD":
        return old
    if wanted == "ALL_NEW":
        return new
    item = old if wanted == "UPDATED_OLD" else new
    return project(item, paths) if item is not None else None
