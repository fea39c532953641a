"""Plain values to and from DynamoDB's typed JSON, by AppSync's rules: what `util.dynamodb.toMapValues` and a data
source's answer do.

AppSync differs from an SDK in its numbers: a resolver sees JavaScript numbers, so `N` becomes int or float, never
Decimal. Source: AppSync developer guide, "DynamoDB helpers in util.dynamodb" (read 2026-11).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from capacity.dynamodb.attribute_value import to_av

TypedValue = dict[str, Any]


def to_typed(value: Any) -> TypedValue:
    """The typed form of one value; raises ValueError for a value that DynamoDB has no type for."""
    kind = type(value)
    if kind is str:
        return {"S": value}
    if kind is bool:
        return {"BOOL": value}
    if kind is int:
        return {"N": str(value)}
    if value is None:
        return {"NULL": True}
    if kind is list:
        return {"L": [to_typed(member) for member in value]}
    if kind is dict:
        return {"M": to_typed_map(value)}
    return dict(to_av(value))


def to_typed_map(values: Mapping[str, Any]) -> dict[str, TypedValue]:
    """Attribute name -> typed value."""
    return {name: to_typed(value) for name, value in values.items()}


def from_typed(typed: Mapping[str, Any]) -> Any:
    """The plain value of one typed value; binary stays base64 text, as AppSync hands it to a resolver."""
    ((kind, content),) = typed.items()
    if kind == "S" or kind == "BOOL" or kind == "B":
        return content
    if kind == "N":
        return _number(content)
    if kind == "NULL":
        return None
    if kind == "L":
        return [from_typed(member) for member in content]
    if kind == "M":
        return from_typed_map(content)
    if kind == "NS":
        return [_number(member) for member in content]
    if kind == "SS" or kind == "BS":
        return list(content)
    raise ValueError(f"{typed!r} is not a typed value; example: {{'S': 'x'}}")


def from_typed_map(item: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Plain values of an item; text, which most attributes are, is taken out without a call."""
    return {name: typed["S"] if "S" in typed else from_typed(typed) for name, typed in item.items()}


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        number = float(text)
        return int(number) if number.is_integer() else number
