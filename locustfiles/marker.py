"""The running number that a message carries inside a value, so that the ledger can tell messages apart.

The value keeps the size that the scenario gives it: decimal digits first, then filler. A value too short for the whole
number carries its last digits, and the reader completes them from the number it saw before.
"""

from __future__ import annotations

_DIGITS = 7  # as many as the client's order key has: no session reaches ten million messages
_FILLER = "abcdefghijklmnopqrstuvwxyz" * 400


def stamp(sequence: int, size_bytes: int) -> str:
    """A text of exactly `size_bytes` that carries `sequence`."""
    digits = min(_DIGITS, size_bytes)
    return f"{sequence % 10**digits:0{digits}d}{_FILLER[: size_bytes - digits]}"


def read_stamp(text: str, near: int) -> int | None:
    """The sequence in `text`, of all that fit the one closest to `near`; None when the text carries none."""
    digits = text[: min(_DIGITS, len(text))]
    if not digits.isdecimal():
        return None
    modulus = 10 ** len(digits)
    return near + (int(digits) - near + modulus // 2) % modulus - modulus // 2
