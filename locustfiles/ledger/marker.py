"""The running number that a message carries inside a value, so that the ledger can tell messages apart.

The value keeps the size that the scenario gives it: decimal digits first, then filler. A value too short for the whole
number carries its last digits, and the reader completes them from the number it saw before.
"""

from __future__ import annotations

from functools import lru_cache
from string import ascii_lowercase

_DIGITS = 7  # as many as the client's order key has: no session reaches ten million messages
_MODULI = [10**digits for digits in range(_DIGITS + 1)]


@lru_cache(maxsize=64)
def _filler(size_bytes: int) -> str:
    return (ascii_lowercase * (size_bytes // 26 + 1))[: max(0, size_bytes - _DIGITS)]


def stamp(sequence: int, size_bytes: int) -> str:
    """A text of exactly `size_bytes` that carries `sequence`."""
    digits = min(_DIGITS, size_bytes)
    return str(sequence % _MODULI[digits]).zfill(digits) + _filler(size_bytes)


def read_stamp(text: str, near: int) -> int | None:
    """The sequence in `text`, of all that fit the one closest to `near`; None when the text carries none."""
    digits = text[:_DIGITS]
    if not digits.isdecimal():
        return None
    modulus = _MODULI[len(digits)]
    ahead: int = (int(digits) - near + modulus // 2) % modulus - modulus // 2
    return near + ahead
