"""Size in bytes of items and attribute values: what DynamoDB rounds up to units.

Sources: Developer Guide, "DynamoDB item sizes and formats" (CapacityUnitCalculations, read 2026-11-30) for names,
text, binary, null, Boolean, lists and maps; paritysuite/dynamodb-conformance, captured in eu-west-2 on 2026-08-18,
for numbers and for the 400 KB limit; dynalite's byte-exact boundary vectors (2025-09-18) for sets.

This is a hot path of the sandbox's engine, one call per put: plain branches, no objects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

from capacity.dynamodb.attribute_value import AV, TYPES, Item

ITEM_LIMIT_BYTES = 409_600
"""Largest item accepted; one byte more is refused. Measured in eu-west-2, 2026-08-18."""

STORAGE_OVERHEAD_BYTES = 100
"""Billed storage per item or index entry beyond its size, not counted in units. Developer Guide, read 2026-11-30."""

GLOBAL_TABLE_OVERHEAD_BYTES = 48
"""Further billed storage per item of a global table. Developer Guide, read 2026-11-30."""

NUMBER_LIMIT_BYTES = 21
"""No number takes more: one of 20 digit pairs doesn't pay for its sign. DynamoDB Local, 2026-11-30."""

ELEMENT_BYTES = 1
CONTAINER_BYTES = 3
"""A list or map costs 3 bytes, and 1 more per element. Developer Guide, read 2026-11-30."""


def item_size_bytes(item: Item) -> int:
    """Size of an item in DynamoDB JSON, in bytes: UTF-8 names plus values, key attributes included.

    Raises ValueError for a value of unknown type or with malformed content.
    """
    size = 0
    for name, value in item.items():
        size += len(name) if name.isascii() else len(name.encode())
        for kind, content in value.items():
            if kind == "S":
                size += len(content) if content.isascii() else len(content.encode())
            elif kind == "N":
                size += number_size_bytes(content)
            else:
                size += _other_size_bytes(kind, content)
    return size


def value_size_bytes(av: AV) -> int:
    """Size of one attribute value without its name, in bytes."""
    size = 0
    for kind, content in av.items():
        if kind == "S":
            size += len(content) if content.isascii() else len(content.encode())
        elif kind == "N":
            size += number_size_bytes(content)
        else:
            size += _other_size_bytes(kind, content)
    return size


@lru_cache(maxsize=65_536)
def number_size_bytes(text: str) -> int:
    """Size of a number given as text, in bytes: 1, + 1 per pair of significant digits, + 1 if negative.

    Pairs are digits of base 100, so they start at an even exponent: 150 is 01 50 and takes two. Zero takes 1 byte.

    Fits the 23 literals captured in eu-west-2 on 2026-08-18 (confidence high). The rule published with that capture
    cuts zeros digit by digit and gives one byte less for numbers such as 150 or 0.015, which it didn't capture;
    DynamoDB Local (2026-11-30) and dynalite (2025-09-18) both pair digits as here (confidence middle).

    Raises ValueError when the text is not a number.
    """
    try:
        negative, digits, exponent = Decimal(text).as_tuple()
    except InvalidOperation:
        raise ValueError(f"{text!r} is not a number; example: {{'N': '12.5'}}") from None
    if not isinstance(exponent, int):
        raise ValueError(f"{text!r} is not a finite number; example: {{'N': '12.5'}}")
    written = "".join(map(str, digits)).lstrip("0")
    significant = written.rstrip("0")
    if not significant:
        return 1
    exponent += len(written) - len(significant)
    pairs = (len(significant) + exponent % 2 + 1) // 2
    return min(NUMBER_LIMIT_BYTES, 1 + pairs + negative)


def storage_bytes(size_bytes: int, *, global_table: bool = False) -> int:
    """Billed storage of one item or index entry of this size, in bytes."""
    return size_bytes + STORAGE_OVERHEAD_BYTES + (GLOBAL_TABLE_OVERHEAD_BYTES if global_table else 0)


def _other_size_bytes(kind: str, content: Any) -> int:
    size_of = _SIZES.get(kind)
    if size_of is None:
        raise ValueError(
            f"{kind!r} is not an attribute type; expected one of {', '.join(TYPES)}, example: {{'S': 'x'}}"
        )
    return size_of(content)


def _text_bytes(content: str) -> int:
    return len(content.encode())


def _binary_bytes(content: str | bytes) -> int:
    """Raw bytes behind base64 text; bytes count as they are."""
    if isinstance(content, str):
        return len(content) * 3 // 4 - content[-2:].count("=")
    return len(content)


def _list_bytes(content: list[AV]) -> int:
    size = CONTAINER_BYTES + ELEMENT_BYTES * len(content)
    for element in content:
        size += value_size_bytes(element)
    return size


def _map_bytes(content: Mapping[str, AV]) -> int:
    return CONTAINER_BYTES + ELEMENT_BYTES * len(content) + item_size_bytes(content)


_SIZES: dict[str, Callable[[Any], int]] = {
    "B": _binary_bytes,
    "BOOL": lambda content: 1,
    "NULL": lambda content: 1,
    "L": _list_bytes,
    "M": _map_bytes,
    "SS": lambda members: sum(map(_text_bytes, members)),
    "NS": lambda members: sum(map(number_size_bytes, members)),
    "BS": lambda members: sum(map(_binary_bytes, members)),
}
