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

from capacity.dynamodb.item_size import CONTAINER_BYTES, ELEMENT_BYTES, number_size_bytes
from sandbox.dynamodb.errors import invalid, validation
from sandbox.dynamodb.numbers import canonical_number, number_value

AttributeValue = dict[str, Any]
Item = dict[str, AttributeValue]

MAX_DEPTH = 32
_EMPTY = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
_MANY = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"


Measured = tuple[Any, int]
"""Something in canonical form, and its size in bytes by the rules of `capacity.dynamodb.item_size`."""
Measure = Callable[[Any, int], Measured]
"""Takes a content and its depth."""


def canonical_item(item: Item) -> Item:
    """The item in canonical form: `item` itself when it already is, else a new dict; nothing is changed in place."""
    return measured_item(item)[0]


def measured_item(item: Item) -> tuple[Item, int]:
    """The item in canonical form and its size in bytes: one walk for both, because a write needs both."""
    return _members(item, 1)


def canonical_value(value: AttributeValue, depth: int = 1) -> AttributeValue:
    """One value in canonical form; ValidationException or TypeError where DynamoDB refuses it."""
    canonical: AttributeValue = _measured_value(value, depth)[0]
    return canonical


def _measured_value(value: AttributeValue, depth: int) -> Measured:
    if type(value) is dict and len(value) == 1 and depth <= MAX_DEPTH:
        ((kind, content),) = value.items()
        measure = _KINDS.get(kind)
        if measure is not None and content is not None:
            canonical, size_bytes = measure(content, depth)
            return value if canonical is content else {kind: canonical}, size_bytes
    return _unusual_value(value, depth)


def _unusual_value(value: AttributeValue, depth: int) -> Measured:
    """A value of no type or of several, too deep, or with members that are no types."""
    if value is None:
        raise validation(_EMPTY)
    if type(value) is not dict:
        raise TypeError(value)
    if depth > MAX_DEPTH:
        raise validation(
            "Nesting Levels have exceeded supported limits: "
            "Attributes in the item have nested levels beyond supported limit"
        )
    given = {kind: content for kind, content in value.items() if content is not None and kind in _KINDS}
    if len(given) != 1:
        if not given:
            raise validation(_EMPTY)
        for kind, content in given.items():
            _KINDS[kind](content, depth)
        raise validation(_MANY)
    ((kind, content),) = given.items()
    canonical, size_bytes = _KINDS[kind](content, depth)
    return {kind: canonical}, size_bytes


def _members(values: dict[str, AttributeValue], depth: int) -> tuple[dict[str, AttributeValue], int]:
    """Named values at a depth, and the bytes of names and values. Text, which most values are, needs no call."""
    changed: dict[str, AttributeValue] | None = None
    size_bytes = 0
    for name, value in values.items():
        size_bytes += len(name) if name.isascii() else len(name.encode())
        if type(value) is dict and "S" in value and len(value) == 1 and depth <= MAX_DEPTH:
            text = value["S"]
            if type(text) is str:
                size_bytes += len(text) if text.isascii() else len(text.encode())
                continue
        canonical, value_bytes = _measured_value(value, depth)
        size_bytes += value_bytes
        if canonical is not value:
            if changed is None:
                changed = dict(values)
            changed[name] = canonical
    return values if changed is None else changed, size_bytes


def _text(content: Any, _depth: int) -> Measured:
    if type(content) is not str:
        raise TypeError(content)
    return content, len(content) if content.isascii() else len(content.encode())


def _number(content: Any, _depth: int) -> Measured:
    if type(content) is not str:
        raise TypeError(content)
    canonical = canonical_number(content)
    return content if canonical == content else canonical, number_size_bytes(canonical)


def decode_binary(content: str) -> bytes:
    """The bytes of canonical base64 text; TypeError where it is not base64."""
    try:
        raw = base64.b64decode(content, validate=True)
    except (binascii.Error, ValueError) as error:
        raise TypeError(content) from error
    return raw


def _binary(content: Any, _depth: int) -> Measured:
    if type(content) is not str:
        raise TypeError(content)
    raw = decode_binary(content)
    if base64.b64encode(raw).decode() != content:
        raise TypeError(content)
    return content, len(raw)


def _bool(content: Any, _depth: int) -> Measured:
    if type(content) is not bool:
        raise TypeError(content)
    return content, 1


def _null(content: Any, _depth: int) -> Measured:
    if type(content) is not bool:
        raise TypeError(content)
    if not content:
        raise invalid("Null attribute value types must have the value of true")
    return content, 1


def _duplicates(kind: str, members: list[str], order: Callable[[str], Any] | None) -> str:
    """How the service shows a set with a repeated member: in order up to the first repeat, then the repeat, then the
    rest as sent; a number set is not shown (captured 2026-10-09)."""
    if kind == "NS":
        return ""
    repeat = next(position for position, each in enumerate(members) if each in members[:position])
    shown = [f'"{each}"' for each in [*sorted(members[:repeat], key=order), *members[repeat:]]]
    return f"[{', '.join(shown)}] " if kind == "SS" else f"[{','.join(shown)}]of type BS "


def _set_of(kind: str, member: Measure, order: Callable[[str], Any] | None, empty: str) -> Measure:
    def measure(content: Any, depth: int) -> Measured:
        if type(content) is not list:
            raise TypeError(content)
        if not content:
            raise invalid(empty)
        if None in content:
            raise invalid("A set may not have null as a member")
        measured = [member(each, depth) for each in content]
        given = [canonical for canonical, _ in measured]
        members = sorted(set(given), key=order)
        if len(members) != len(content):
            raise invalid(f"Input collection {_duplicates(kind, given, order)}contains duplicates.")
        return content if members == content else members, sum(size_bytes for _, size_bytes in measured)

    return measure


def _list(content: Any, depth: int) -> Measured:
    if type(content) is not list:
        raise TypeError(content)
    changed: list[AttributeValue] | None = None
    size_bytes = CONTAINER_BYTES + ELEMENT_BYTES * len(content)
    for position, value in enumerate(content):
        canonical, value_bytes = _measured_value(value, depth + 1)
        size_bytes += value_bytes
        if canonical is not value:
            if changed is None:
                changed = list(content)
            changed[position] = canonical
    return content if changed is None else changed, size_bytes


def _map(content: Any, depth: int) -> Measured:
    if type(content) is not dict:
        raise TypeError(content)
    members, size_bytes = _members(content, depth + 1)
    return members, CONTAINER_BYTES + ELEMENT_BYTES * len(content) + size_bytes


_KINDS: dict[str, Measure] = {
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
KINDS = frozenset(_KINDS)
