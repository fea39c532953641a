"""Attribute values in DynamoDB JSON: checked, and brought to one canonical form.

Canonical: numbers as `numbers.canonical_number` writes them, sets sorted, binary as canonical base64. Two canonical
values are equal in DynamoDB's sense exactly when they are equal as Python objects. A value of the wrong JSON type
raises TypeError; `json_types.check_types` then words it as AWS's SerializationException.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any

from sandbox.dynamodb.errors import invalid, validation
from sandbox.dynamodb.numbers import canonical_number, number_value

AttributeValue = dict[str, Any]
Item = dict[str, AttributeValue]

MAX_DEPTH = 32
_EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
_MANY = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"


def canonical_item(item: Item) -> Item:
    """The item in canonical form: `item` itself when it already is, else a new dict; nothing is changed in place."""
    return _members(item, 1)


def canonical_value(value: AttributeValue, depth: int = 1) -> AttributeValue:
    """One value in canonical form; ValidationException or TypeError where DynamoDB refuses it."""
    if type(value) is dict and len(value) == 1 and depth <= MAX_DEPTH:
        ((kind, content),) = value.items()
        check = _CHECKS.get(kind)
        if check is not None and content is not None:
            canonical = check(content, depth)
            return value if canonical is content else {kind: canonical}
    return _unusual_value(value, depth)


def _unusual_value(value: AttributeValue, depth: int) -> AttributeValue:
    """A value of none or several types, too deep, or with members that are no types."""
    if value is None:
        raise validation(_EMPTY)
    if type(value) is not dict:
        raise TypeError(value)
    if depth > MAX_DEPTH:
        raise validation(
            "Nesting Levels have exceeded supported limits: "
            "Attributes in the item have nested levels beyond supported limit"
        )
    given = {kind: content for kind, content in value.items() if content is not None and kind in _CHECKS}
    if len(given) != 1:
        if not given:
            raise validation(_EMPTY)
        for kind, content in given.items():
            _CHECKS[kind](content, depth)
        raise validation(_MANY)
    ((kind, content),) = given.items()
    return {kind: _CHECKS[kind](content, depth)}


def _members(values: dict[str, AttributeValue], depth: int) -> dict[str, AttributeValue]:
    """Named values at a depth in canonical form. Text, which most values are, needs no call."""
    changed: dict[str, AttributeValue] | None = None
    for name, value in values.items():
        if type(value) is dict and "S" in value and len(value) == 1 and type(value["S"]) is str and depth <= MAX_DEPTH:
            continue
        canonical = canonical_value(value, depth)
        if canonical is not value:
            if changed is None:
                changed = dict(values)
            changed[name] = canonical
    return values if changed is None else changed


def _text(content: Any, _depth: int) -> Any:
    if type(content) is not str:
        raise TypeError(content)
    return content


def _number(content: Any, _depth: int) -> Any:
    if type(content) is not str:
        raise TypeError(content)
    return canonical_number(content)


def decode_binary(content: str) -> bytes:
    """The bytes of canonical base64 text; TypeError where it is not base64."""
    try:
        raw = base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise TypeError(content) from error
    return raw


def _binary(content: Any, _depth: int) -> Any:
    if type(content) is not str:
        raise TypeError(content)
    if base64.b64encode(decode_binary(content)).decode() != content:
        raise TypeError(content)
    return content


def _bool(content: Any, _depth: int) -> Any:
    if type(content) is not bool:
        raise TypeError(content)
    return content


def _null(content: Any, _depth: int) -> Any:
    if type(content) is not bool:
        raise TypeError(content)
    if not content:
        raise invalid("Null attribute value types must have the value of true")
    return content


def _duplicates(kind: str, members: list[str], order: Callable[[str], Any] | None) -> str:
    """How the service shows a set with a repeated member: in order up to the first repeat, then the repeat, then the
    rest as sent; a number set is not shown (captured 2026-10-09)."""
    if kind == "NS":
        return ""
    repeat = next(position for position, each in enumerate(members) if each in members[:position])
    shown = [f'"{each}"' for each in [*sorted(members[:repeat], key=order), *members[repeat:]]]
    return f"[{', '.join(shown)}] " if kind == "SS" else f"[{','.join(shown)}]of type BS "


def _set_of(
    kind: str, member: Callable[[Any, int], Any], order: Callable[[str], Any] | None, empty: str
) -> Callable[[Any, int], Any]:
    def check(content: Any, depth: int) -> Any:
        if type(content) is not list:
            raise TypeError(content)
        if not content:
            raise invalid(empty)
        if None in content:
            raise invalid("A set may not have null as a member")
        given = [member(each, depth) for each in content]
        members = sorted(set(given), key=order)
        if len(members) != len(content):
            raise invalid(f"Input collection {_duplicates(kind, given, order)}contains duplicates.")
        return content if members == content else members

    return check


def _list(content: Any, depth: int) -> Any:
    if type(content) is not list:
        raise TypeError(content)
    changed: list[AttributeValue] | None = None
    for position, value in enumerate(content):
        canonical = canonical_value(value, depth + 1)
        if canonical is not value:
            if changed is None:
                changed = list(content)
            changed[position] = canonical
    return content if changed is None else changed


def _map(content: Any, depth: int) -> Any:
    if type(content) is not dict:
        raise TypeError(content)
    return _members(content, depth + 1)


_CHECKS: dict[str, Callable[[Any, int], Any]] = {
    "S": _text,
    "N": _number,
    "B": _binary,
    "BOOL": _bool,
    "NULL": _null,
    "SS": _set_of("SS", _text, None, "An string set  may not be empty"),
    "NS": _set_of("NS", _number, number_value, "An number set  may not be empty"),
    "BS": _set_of("BS", _binary, decode_binary, "Binary sets should not be empty"),
    "L": _list,
    "M": _map,
}
KINDS = frozenset(_CHECKS)
