"""The parameters that came before expressions, translated into the same trees: conditions, filters, projections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.dynamodb.errors import invalid, validation
from sandbox.dynamodb.expressions.condition import comparable, compile_condition
from sandbox.dynamodb.expressions.key_condition import Clause, KeyCondition
from sandbox.dynamodb.expressions.parse import Node
from sandbox.dynamodb.expressions.plan import Plan
from sandbox.dynamodb.expressions.projection import compile_projection
from sandbox.dynamodb.values import AttributeValue, canonical_value

Values = dict[str, AttributeValue]

_COMPARE = {"EQ": "=", "NE": "<>", "LT": "<", "LE": "<=", "GT": ">", "GE": ">="}
_SCALARS = ("S", "N", "B")
_KINDS = {
    "EQ": None,
    "NE": None,
    "LE": _SCALARS,
    "LT": _SCALARS,
    "GE": _SCALARS,
    "GT": _SCALARS,
    "CONTAINS": _SCALARS,
    "NOT_CONTAINS": _SCALARS,
    "BEGINS_WITH": ("S", "B"),
    "IN": _SCALARS,
    "BETWEEN": _SCALARS,
}


def attributes_to_get_plan(names: list[str]) -> Plan:
    """AttributesToGet: whole attributes by name."""
    for name in names:
        if names.count(name) > 1:
            raise invalid(f"Duplicate value in attribute name: {name}")
    plan = Plan()
    plan.projection_paths = [(name,) for name in names]
    plan.projection = compile_projection(plan.projection_paths)
    return plan


def filter_plan(
    conditions: Mapping[str, Mapping[str, Any]] | None, operator: str | None, names: list[str] | None
) -> tuple[Plan, Values]:
    """QueryFilter or ScanFilter with ConditionalOperator, and AttributesToGet."""
    plan = attributes_to_get_plan(names) if names is not None else Plan()
    values: Values = {}
    check_conditional_operator(conditions, operator)
    if conditions:
        nodes = [_condition(name, each, values) for name, each in conditions.items()]
        plan.filter = compile_condition(_joined(nodes, operator))
        plan.filter_names = frozenset(conditions)
    return plan, values


def expected_plan(expected: Mapping[str, Mapping[str, Any]] | None, operator: str | None) -> tuple[Plan, Values]:
    """Expected with ConditionalOperator."""
    plan = Plan()
    values: Values = {}
    check_conditional_operator(expected, operator)
    if expected:
        nodes = [_expectation(name, each, values) for name, each in expected.items()]
        plan.condition = compile_condition(_joined(nodes, operator))
    return plan, values


def check_conditional_operator(conditions: Mapping[str, Any] | None, operator: str | None) -> None:
    if operator is None:
        return
    if conditions is None:
        raise validation("ConditionalOperator cannot be used without Filter or Expected")
    if len(conditions) < 2:
        raise validation("ConditionalOperator can only be used when Filter or Expected has two or more elements")


def key_conditions(conditions: Mapping[str, Mapping[str, Any]]) -> tuple[KeyCondition, Values]:
    """KeyConditions of Query."""
    clauses: list[Clause] = []
    values: Values = {}
    if not 1 <= len(conditions) <= 2:
        raise validation("Conditions can be of length 1 or 2 only")
    for name, each in conditions.items():
        operator = each["ComparisonOperator"]
        arguments = _arguments(operator, each.get("AttributeValueList"))
        if operator in ("NULL", "NOT_NULL", "NE", "CONTAINS", "NOT_CONTAINS", "IN"):
            raise validation("Attempted conditional constraint is not an indexable operation")
        symbol = {**_COMPARE, "BETWEEN": "BETWEEN", "BEGINS_WITH": "begins_with"}[operator]
        clauses.append((name, symbol, tuple(_placeholder(value, values) for value in arguments)))
    return KeyCondition(clauses), values


def _joined(nodes: list[Node], operator: str | None) -> Node:
    tree = nodes[0]
    for node in nodes[1:]:
        tree = ("or" if operator == "OR" else "and", tree, node)
    return tree


def _placeholder(value: AttributeValue, values: Values) -> str:
    placeholder = f":{len(values)}"
    values[placeholder] = value
    return placeholder


def _expectation(name: str, each: Mapping[str, Any], values: Values) -> Node:
    operator = each.get("ComparisonOperator")
    given, value = each.get("AttributeValueList"), each.get("Value")
    if given is not None and value is not None:
        raise invalid(f"Value and AttributeValueList cannot be used together for Attribute: {name}")
    if operator is not None:
        if each.get("Exists") is not None:
            raise invalid(f"Exists and ComparisonOperator cannot be used together for Attribute: {name}")
        if operator not in ("NULL", "NOT_NULL") and given is None and value is None:
            raise invalid(
                f"Value or AttributeValueList must be used with ComparisonOperator: {operator} for Attribute: {name}"
            )
        arguments = given if given is not None else [value] if value is not None else []
        return _condition(name, {"ComparisonOperator": operator, "AttributeValueList": arguments}, values)
    if given is not None:
        raise invalid(f"AttributeValueList can only be used with a ComparisonOperator for Attribute: {name}")
    exists = each.get("Exists")
    if exists is False:
        if value is not None:
            raise invalid(f"Value cannot be used when Exists is false for Attribute: {name}")
        return ("function", "attribute_not_exists", (("path", (name,)),))
    if value is None:
        shown = "null" if exists is None else "true"
        raise invalid(f"Value must be provided when Exists is {shown} for Attribute: {name}")
    return ("compare", "=", ("path", (name,)), ("value", _placeholder(canonical_value(value), values)))


def _arguments(operator: str, given: list[AttributeValue] | None) -> list[AttributeValue]:
    arguments = [canonical_value(value) for value in given or ()]
    count = len(arguments)
    fits = {"NULL": count == 0, "NOT_NULL": count == 0, "BETWEEN": count == 2, "IN": count > 0}.get(
        operator, count == 1
    )
    if not fits:
        raise invalid(f"Invalid number of argument(s) for the {operator} ComparisonOperator")
    kinds = [next(iter(value)) for value in arguments]
    if len(set(kinds)) > 1:
        raise invalid("AttributeValues inside AttributeValueList must be of same type")
    allowed = _KINDS.get(operator)
    if allowed is not None:
        for kind in kinds:
            if kind not in allowed:
                raise invalid(f"ComparisonOperator {operator} is not valid for {kind} AttributeValue type")
    if operator == "BETWEEN":
        low, high = (comparable(kinds[0], value[kinds[0]]) for value in arguments)
        if low > high:
            raise validation(
                "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound"
            )
    return arguments


def _condition(name: str, each: Mapping[str, Any], values: Values) -> Node:
    operator = each["ComparisonOperator"]
    path: Node = ("path", (name,))
    operands = tuple(
        ("value", _placeholder(value, values)) for value in _arguments(operator, each.get("AttributeValueList"))
    )
    if operator in _COMPARE:
        return ("compare", _COMPARE[operator], path, operands[0])
    if operator == "BETWEEN":
        return ("between", path, *operands)
    if operator == "IN":
        return ("in", path, operands)
    if operator == "NULL":
        return ("function", "attribute_not_exists", (path,))
    if operator == "NOT_NULL":
        return ("function", "attribute_exists", (path,))
    if operator == "BEGINS_WITH":
        return ("function", "begins_with", (path, operands[0]))
    if operator == "CONTAINS":
        return ("function", "contains", (path, operands[0]))
    exists: Node = ("function", "attribute_exists", (path,))
    return ("and", exists, ("not", ("function", "contains", (path, operands[0]))))
