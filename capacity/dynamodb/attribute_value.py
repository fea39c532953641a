"""DynamoDB JSON: attribute values such as ``{"S": "x"}``, to and from plain Python values.

Source: API reference, data type AttributeValue (read 2026-11-30). ``B`` and the members of ``BS`` are base64 text, as
on the wire.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from decimal import Context, Decimal, Inexact, InvalidOperation, Overflow
from typing import Any

AV = Mapping[str, Any]
"""One attribute value: a mapping with exactly one entry, type -> content."""

Item = Mapping[str, AV]
"""An item: attribute name -> attribute value."""

TYPES = ("S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS", "BS")
KEY_TYPES = ("S", "N", "B")

# Numbers carry at most 38 significant digits, between 1E-130 and 9.99...E+125 in magnitude.
# Source: Developer Guide, Naming rules and data types (read 2026-11-30).
NUMBER_CONTEXT = Context(prec=38, Emax=125, Emin=-130, traps=[Inexact, Overflow, InvalidOperation])


def to_av(value: object) -> dict[str, Any]:
    """The attribute value of a Python value.

    str -> S; int, float, Decimal -> N; bytes -> B; bool -> BOOL; None -> NULL; list, tuple -> L; mapping -> M; a set
    of one kind -> SS, NS or BS.

    Raises ValueError for a value that DynamoDB has no type for, an empty or mixed set, and a number outside
    DynamoDB's range.
    """
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case None:
            return {"NULL": True}
        case int() | float() | Decimal():
            return {"N": _number_text(value)}
        case bytes() | bytearray():
            return {"B": base64.b64encode(value).decode("ascii")}
        case list() | tuple():
            return {"L": [to_av(element) for element in value]}
        case set() | frozenset():
            return _set_to_av(value)
        case Mapping():
            return {"M": to_item(value)}
    raise ValueError(
        f"{value!r} ({type(value).__name__}) has no DynamoDB type; "
        "expected str, int, float, Decimal, bytes, bool, None, list, mapping or set"
    )


def from_av(av: AV) -> Any:
    """The Python value of an attribute value. N becomes int when it is whole, Decimal otherwise; B becomes bytes.

    Raises ValueError for anything that is not one attribute value.
    """
    kind, content = kind_and_content(av)
    match kind:
        case "S" | "BOOL":
            return content
        case "NULL":
            return None
        case "N":
            return _number(content)
        case "B":
            return _raw(content)
        case "L":
            return [from_av(element) for element in content]
        case "M":
            return from_item(content)
        case "SS":
            return set(content)
        case "NS":
            return {_number(member) for member in content}
        case _:
            return {_raw(member) for member in content}


def to_item(values: Mapping[Any, object]) -> dict[str, dict[str, Any]]:
    """DynamoDB JSON of a plain mapping; attribute names must be text."""
    unnamed = [name for name in values if not isinstance(name, str)]
    if unnamed:
        raise ValueError(f"attribute names must be text, got {unnamed!r}; example: {{'id': 'group-1'}}")
    return {name: to_av(value) for name, value in values.items()}


def from_item(item: Item) -> dict[str, Any]:
    """Plain Python values of an item in DynamoDB JSON."""
    return {name: from_av(value) for name, value in item.items()}


def is_item(value: object) -> bool:
    """Whether a JSON object reads as DynamoDB JSON: every value is a mapping of one known type to content of its
    shape.
    """
    return isinstance(value, Mapping) and all(_is_av(member) for member in value.values())


def equal(one: AV, other: AV) -> bool:
    """Whether two attribute values are the same to DynamoDB: numbers by value, sets without order."""
    if one == other:
        return True
    (kind, content), (other_kind, other_content) = kind_and_content(one), kind_and_content(other)
    if kind != other_kind:
        return False
    match kind:
        case "N":
            return _number(content) == _number(other_content)
        case "SS" | "BS":
            return set(content) == set(other_content)
        case "NS":
            return set(map(_number, content)) == set(map(_number, other_content))
        case "L":
            return len(content) == len(other_content) and all(map(equal, content, other_content))
        case "M":
            return content.keys() == other_content.keys() and all(equal(content[k], other_content[k]) for k in content)
        case _:
            return False


def kind_and_content(av: AV) -> tuple[str, Any]:
    """Type and content of an attribute value; raises ValueError when it is not one."""
    if isinstance(av, Mapping) and len(av) == 1:
        ((kind, content),) = av.items()
        if kind in TYPES:
            return kind, content
    raise ValueError(f"{av!r} is not an attribute value; expected one of {', '.join(TYPES)}, example: {{'S': 'x'}}")


_SHAPES: dict[str, type | tuple[type, ...]] = {
    "S": str,
    "N": str,
    "B": (str, bytes, bytearray),
    "BOOL": bool,
    "NULL": bool,
    "L": list,
    "M": Mapping,
    "SS": list,
    "NS": list,
    "BS": list,
}


def _is_av(value: object) -> bool:
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    ((kind, content),) = value.items()
    return kind in _SHAPES and isinstance(content, _SHAPES[kind])


def _set_to_av(members: set[object] | frozenset[object]) -> dict[str, Any]:
    if not members:
        raise ValueError("an empty set has no DynamoDB type; leave the attribute out, or give at least one member")
    avs = [to_av(member) for member in members]
    kinds = {kind for av in avs for kind in av}
    if len(kinds) != 1 or not kinds <= set(KEY_TYPES):
        raise ValueError(
            f"a set must hold only text, only numbers or only bytes, got {sorted(kinds)}; example: {{'red', 'blue'}}"
        )
    (kind,) = kinds
    return {f"{kind}S": sorted(av[kind] for av in avs)}


def _number_text(value: int | float | Decimal) -> str:
    try:
        number = NUMBER_CONTEXT.create_decimal(repr(value) if isinstance(value, float) else value)
    except ArithmeticError:
        number = Decimal("NaN")
    if not number.is_finite():
        raise ValueError(
            f"{value!r} is not a DynamoDB number; expected at most 38 digits and a magnitude from 1E-130 to 9.9E+125"
        )
    return str(number)


def _number(text: str) -> int | Decimal:
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a number; example: {{'N': '12.5'}}") from None
    return int(number) if number == number.to_integral_value() else number


def _raw(content: str | bytes) -> bytes:
    if isinstance(content, str):
        try:
            return base64.b64decode(content, validate=True)
        except binascii.Error:
            raise ValueError(f"{content!r} is not base64; example: {{'B': 'AAEC'}}") from None
    return bytes(content)
