"""Parameters that several operations share, checked in the order that AWS checks them."""

from __future__ import annotations

from typing import Any

from sandbox.dynamodb.errors import DynamoDBError, validation
from sandbox.dynamodb.expressions.plan import EMPTY, Plan, plan_of
from sandbox.dynamodb.legacy import attributes_to_get_plan
from sandbox.dynamodb.values import AttributeValue, Item, canonical_item, canonical_value

Values = dict[str, AttributeValue]
_NO_VALUES: Values = {}


def key_parameter(key: Item) -> Item:
    """A Key in canonical form; its values are not yet held against the table's key."""
    return canonical_item(key)


def value_parameters(request: dict[str, Any], wrapped: bool = False) -> Values:
    """ExpressionAttributeValues in canonical form, {} where there are none.

    `wrapped`: Scan and transactions say which value is wrong, the other operations do not (captured 2026-10-09).
    """
    values = request.get("ExpressionAttributeValues")
    if values is None:
        return _NO_VALUES
    if not wrapped:
        return canonical_item(values)
    try:
        return canonical_item(values)
    except DynamoDBError:
        for name, value in values.items():
            try:
                canonical_value(value)
            except DynamoDBError as error:
                raise validation(
                    f"ExpressionAttributeValues contains invalid value: {error.message} for key {name}"
                ) from None
        raise


def check_mixed(request: dict[str, Any], expressions: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether the request uses expressions. ValidationException when it mixes them with the older parameters, or
    gives names or values without an expression that could use them."""
    used = [name for name in expressions if request.get(name) is not None]
    if used:
        if len(request) > 1 + len(used):
            mixed = [name for name in others if request.get(name) is not None]
            if mixed:
                raise validation(
                    "Can not use both expression and non-expression parameters in the same request: "
                    f"Non-expression parameters: {{{', '.join(mixed)}}} Expression parameters: {{{', '.join(used)}}}"
                )
    elif request.get("ExpressionAttributeNames") is not None:
        raise validation("ExpressionAttributeNames can only be specified when using expressions")
    if request.get("ExpressionAttributeValues") is not None:
        takers = [name for name in expressions if name != "ProjectionExpression"]
        if takers and not any(request.get(name) is not None for name in takers):
            raise validation("ExpressionAttributeValues can only be specified when using expressions")
    return bool(used)


def projection_plan(request: dict[str, Any]) -> Plan:
    """What GetItem, and each table of BatchGetItem, asks to see."""
    if request.get("ProjectionExpression") is None and request.get("AttributesToGet") is None:
        if request.get("ExpressionAttributeNames") is not None:
            raise validation("ExpressionAttributeNames can only be specified when using expressions")
        return EMPTY
    if check_mixed(request, ("ProjectionExpression",), ("AttributesToGet",)):
        return plan_of(request, _NO_VALUES)
    return attributes_to_get_plan(request["AttributesToGet"])


def return_values(request: dict[str, Any], allowed: tuple[str, ...]) -> str:
    """ReturnValues; ValidationException for one that this operation does not know."""
    wanted: str = request.get("ReturnValues") or "NONE"
    if wanted not in allowed:
        raise validation("ReturnValues can only be ALL_OLD or NONE")
    return wanted
