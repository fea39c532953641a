"""Where an item lives: a 128-bit hash of its partition key, then its sort key (physics rule 1)."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from decimal import Decimal, localcontext
from hashlib import blake2b
from typing import Any

Bound = tuple[int, bytes]
"""A place in the key space: hash of the partition key, then the sort key as bytes that sort as DynamoDB sorts it."""

KEY_SPACE = 1 << 128
"""Number of hashes; the hash function of DynamoDB is not published, its uniformity is what matters."""


def key_hash(partition_key_av: Mapping[str, Any]) -> int:
    """128-bit hash of a partition key given in DynamoDB JSON, such as ``{"S": "room#1"}``.

    Type and value count: the string "1" and the number 1 differ, the numbers 1 and 1.0 do not.

    :raises ValueError: if it is not a string, a number or a binary.
    """
    ((kind, value),) = partition_key_av.items()
    if kind == "S":
        data = b"S" + value.encode()
    elif kind == "N":
        data = b"N" + str(_decimal(value)).encode()
    elif kind == "B":
        data = b"B" + _raw(value)
    else:
        raise ValueError(f'a key of type {kind} was given; expected "S", "N" or "B", such as {{"S": "room#1"}}')
    return int.from_bytes(blake2b(data, digest_size=16).digest(), "big")


def sort_key_bytes(sort_key_av: Mapping[str, Any]) -> bytes:
    """Bytes that compare as DynamoDB orders sort keys: strings by UTF-8, binaries unsigned, numbers by value.

    :raises ValueError: if it is not a string, a number or a binary.
    """
    ((kind, value),) = sort_key_av.items()
    if kind == "S":
        return bytes(value.encode())
    if kind == "B":
        return _raw(value)
    if kind == "N":
        return _number_bytes(_decimal(value))
    raise ValueError(f'a sort key of type {kind} was given; expected "S", "N" or "B", such as {{"N": "42"}}')


def even_bounds(partitions: int) -> list[Bound]:
    """Lower ends of ``partitions`` equal ranges of the key space."""
    return [(index * KEY_SPACE // partitions, b"") for index in range(partitions)]


def _raw(value: str | bytes) -> bytes:
    return bytes(value) if isinstance(value, (bytes, bytearray)) else b64decode(value)


def _decimal(text: str) -> Decimal:
    with localcontext() as context:
        context.prec = 60
        number = Decimal(text).normalize()
        return number if number else Decimal(0)


def _number_bytes(number: Decimal) -> bytes:
    """Sign, then the exponent, then the digits; all complemented below zero so that larger magnitudes come first."""
    if not number:
        return b"\x80"
    magnitude = (number.adjusted() + 0x4000).to_bytes(2, "big") + bytes(digit + 1 for digit in number.as_tuple().digits)
    if number > 0:
        return b"\x81" + magnitude
    return b"\x7f" + bytes(255 - byte for byte in magnitude) + b"\xff"
