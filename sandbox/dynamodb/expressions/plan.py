"""Everything about a request's expressions that does not depend on the values themselves, worked out once."""

from __future__ import annotations

import re
from typing import Any

from sandbox.dynamodb.errors import validation
from sandbox.dynamodb.expressions.bind import Binder
from sandbox.dynamodb.expressions.condition import Condition, comparable, compile_condition
from sandbox.dynamodb.expressions.key_condition import KeyCondition, bind_key_condition
from sandbox.dynamodb.expressions.parse import parse
from sandbox.dynamodb.expressions.projection import Projection, bind_paths, compile_projection
from sandbox.dynamodb.expressions.update import Update
from sandbox.dynamodb.values import AttributeValue

_NAME_KEY = re.compile(r"#[0-9a-zA-Z_]+\Z")
_VALUE_KEY = re.compile(r":[0-9a-zA-Z_]+\Z")
MAX_PLANS = 4096

Values = dict[str, AttributeValue]


class Plan:
    """The compiled expressions of one kind of request; each is None where the request has none."""

    __slots__ = (
        "condition",
        "filter",
        "filter_names",
        "key_condition",
        "projection",
        "projection_paths",
        "ranges",
        "update",
    )

    def __init__(self) -> None:
        self.condition: Condition | None = None
        self.filter: Condition | None = None
        self.filter_names: frozenset[str] = frozenset()
        self.key_condition: KeyCondition | None = None
        self.projection: Projection | None = None
        self.projection_paths: list[Any] = []
        self.update: Update | None = None
        self.ranges: list[tuple[str, str, str]] = []
        """(parameter, low, high) of every BETWEEN over two constants, whose order depends on the values."""

    def check_ranges(self, values: Values) -> None:
        for parameter, low, high in self.ranges:
            _check_range(parameter, values[low], values[high])


EMPTY = Plan()
_plans: dict[Any, Plan] = {}


def plan_of(request: dict[str, Any], values: Values) -> Plan:
    """The plan for a request's expression parameters; `values` are its canonical ExpressionAttributeValues."""
    get = request.get
    names = get("ExpressionAttributeNames")
    signature = (
        get("UpdateExpression"),
        get("ConditionExpression"),
        get("KeyConditionExpression"),
        get("FilterExpression"),
        get("ProjectionExpression"),
        tuple(names.items()) if names is not None else None,
        tuple([(placeholder, *value) for placeholder, value in values.items()]),
    )
    plan = _plans.get(signature)
    if plan is None:
        plan = _make(request, names, values)
        if len(_plans) >= MAX_PLANS:
            _plans.clear()
        # attribute_type depends on a value itself, not on its type.
        if "attribute_type" not in str(signature[1:4]):
            _plans[signature] = plan
    if plan.ranges:
        plan.check_ranges(values)
    return plan


def _make(request: dict[str, Any], names: dict[str, str] | None, values: Values) -> Plan:
    if names is not None:
        if not names:
            raise validation("ExpressionAttributeNames must not be empty")
        for key in names:
            if not _NAME_KEY.match(key):
                raise validation(f'ExpressionAttributeNames contains invalid key: Syntax error; key: "{key}"')
    if request.get("ExpressionAttributeValues") is not None:
        if not values:
            raise validation("ExpressionAttributeValues must not be empty")
        for key in values:
            if not _VALUE_KEY.match(key):
                raise validation(f'ExpressionAttributeValues contains invalid key: Syntax error; key: "{key}"')
    plan = Plan()
    binder = Binder(names, values)
    text = request.get("UpdateExpression")
    if text is not None:
        plan.update = Update(parse("update", "UpdateExpression", text), binder)
    for parameter in ("ConditionExpression", "KeyConditionExpression", "FilterExpression"):
        text = request.get(parameter)
        if text is None:
            continue
        tree = parse("condition", parameter, text)
        if parameter == "KeyConditionExpression":
            plan.key_condition = bind_key_condition(tree, binder)
            node = binder.condition(tree, parameter)
        else:
            node = binder.condition(tree, parameter)
            if parameter == "FilterExpression":
                plan.filter = compile_condition(node)
                plan.filter_names = frozenset(_top_names(node))
            else:
                plan.condition = compile_condition(node)
        _collect_ranges(node, parameter, plan.ranges)
    text = request.get("ProjectionExpression")
    if text is not None:
        plan.projection_paths = bind_paths(parse("projection", "ProjectionExpression", text), binder)
        plan.projection = compile_projection(plan.projection_paths)
    binder.check_unused()
    return plan


def _top_names(node: Any) -> set[str]:
    """First names of all paths in a bound condition."""
    if not isinstance(node, tuple) or not node:
        return set()
    if node[0] == "path":
        return {node[1][0]}
    return set().union(*(_top_names(each) for each in node))


def _collect_ranges(node: Any, parameter: str, ranges: list[tuple[str, str, str]]) -> None:
    if not isinstance(node, tuple) or not node or node[0] == "path":
        return
    if node[0] == "between" and node[2][0] == "value" and node[3][0] == "value":
        ranges.append((parameter, node[2][1], node[3][1]))
    for each in node:
        _collect_ranges(each, parameter, ranges)


def _check_range(parameter: str, low: AttributeValue, high: AttributeValue) -> None:
    ((low_kind, low_content),), ((high_kind, high_content),) = low.items(), high.items()
    operands = (
        f"lower bound operand: AttributeValue: {{{low_kind}:{low_content}}}, "
        f"upper bound operand: AttributeValue: {{{high_kind}:{high_content}}}"
    )
    if low_kind != high_kind:
        raise validation(
            f"Invalid {parameter}: The BETWEEN operator requires same data type for lower and upper bounds; {operands}"
        )
    if comparable(low_kind, low_content) > comparable(high_kind, high_content):
        raise validation(
            f"Invalid {parameter}: The BETWEEN operator requires upper bound to be greater than or equal to "
            f"lower bound; {operands}"
        )
