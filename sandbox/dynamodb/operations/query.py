"""Query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.dynamodb.errors import validation
from sandbox.dynamodb.expressions.plan import Plan, plan_of
from sandbox.dynamodb.keys import KeyReader
from sandbox.dynamodb.legacy import filter_plan, key_conditions
from sandbox.dynamodb.operations.page import (
    check_filter_is_projected,
    check_select,
    read_page,
    start_order,
    target_of,
)
from sandbox.dynamodb.operations.parameters import Values, check_mixed, value_parameters
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.values import canonical_item

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("Query")
_EXPRESSIONS = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")
_OTHERS = ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions")


def query(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    _SHAPE.check(request)
    plan, values = _plan(request)
    check_select(request)
    start = request.get("ExclusiveStartKey")
    if start is not None:
        start = canonical_item(start)
    target = target_of(engine, request)
    keys = target.keys
    assert plan.key_condition is not None
    hash128, low, high = plan.key_condition.bounds(keys, values)
    _check_filter(plan, keys, request)
    check_filter_is_projected(target, plan)
    forward = request.get("ScanIndexForward") is not False
    if start is not None:
        order = start_order(target, start)
        if order[0] != hash128 or not low <= order < high:
            raise validation(
                "The provided starting key is outside query boundaries based on provided conditions"
                if order[0] != hash128
                else "The provided starting key does not match the range key predicate"
            )
        low, high = ((*order, 0), high) if forward else (low, order)
    now_s = engine.clock()
    target.admit(now_s, low)
    records = target.records.ascending(low, high) if forward else target.records.descending(low, high)
    page = read_page(records, target, plan, values, request, emit)
    target.charge(now_s, low, page)
    if target.index is None and keys.sort is None:
        page.last = None  # one partition key, one item: there is nothing to go on with
    return page.answer(request)


def _plan(request: dict[str, Any]) -> tuple[Plan, Values]:
    others: tuple[str, ...] = _OTHERS
    if request.get("KeyConditions") is not None and request.get("KeyConditionExpression") is None:
        others = _OTHERS[:3]
    expressions = check_mixed(request, _EXPRESSIONS, others)
    if request.get("KeyConditions") is None and request.get("KeyConditionExpression") is None:
        raise validation(
            "Either the KeyConditions or KeyConditionExpression parameter must be specified in the request."
        )
    if request.get("KeyConditions") is None and expressions and request.get("QueryFilter") is None:
        values = value_parameters(request)
        return plan_of(request, values), values
    condition, key_values = key_conditions(request["KeyConditions"])
    if expressions:
        values = value_parameters(request)
        bound = plan_of(request, values)
        plan = Plan()
        for slot in ("filter", "filter_names", "projection", "projection_paths", "ranges"):
            setattr(plan, slot, getattr(bound, slot))
    else:
        plan, values = filter_plan(
            request.get("QueryFilter"), request.get("ConditionalOperator"), request.get("AttributesToGet")
        )
    merged = {**values, **{f":key{name}": value for name, value in key_values.items()}}
    for attribute, operator, placeholders in list(condition.clauses.values()):
        condition.clauses[attribute] = (attribute, operator, tuple(f":key{each}" for each in placeholders))
    plan.key_condition = condition
    return plan, merged


def _check_filter(plan: Plan, keys: KeyReader, request: dict[str, Any]) -> None:
    for name in plan.filter_names:
        if name in keys.attributes:
            what = "QueryFilter" if request.get("QueryFilter") is not None else "Filter Expression"
            raise validation(f"{what} can only contain non-primary key attributes: Primary key attribute: {name}")
