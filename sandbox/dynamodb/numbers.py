"""DynamoDB numbers: up to 38 significant digits, magnitude 1E-130 to 9.99E+125, kept as canonical decimal text.

Canonical text makes equality of two numbers equality of two strings, so items can be compared as they are stored.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from sandbox.dynamodb.errors import validation

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)
MAX_DIGITS = 38
MAX_EXPONENT = 125
MIN_EXPONENT = -130

Number = int | Decimal


@lru_cache(maxsize=16384)
def canonical_number(text: str) -> str:
    """`text` without exponent, plus sign and superfluous zeros; ValidationException where DynamoDB refuses it."""
    if text.isdecimal() and text.isascii() and len(text) <= MAX_DIGITS and (text[0] != "0" or text == "0"):
        return text
    if _NUMBER.match(text) is None:
        raise validation(f"The parameter cannot be converted to a numeric value: {text}")
    mantissa, _, exponent_text = text.lower().partition("e")
    if len(exponent_text) > 6:
        mantissa_is_zero = not mantissa.strip("+-0.")
        if mantissa_is_zero:
            return "0"
        raise _overflow() if not exponent_text.startswith("-") else _underflow()
    return plain_text(Decimal(text))


def plain_text(value: Decimal) -> str:
    """Decimal as DynamoDB prints it; ValidationException beyond 38 digits or the supported magnitude."""
    sign, digits, exponent = value.as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).lstrip("0")
    if not text:
        return "0"
    significant = text.rstrip("0")
    exponent += len(text) - len(significant)
    magnitude = exponent + len(significant) - 1
    if magnitude > MAX_EXPONENT:
        raise _overflow()
    if magnitude < MIN_EXPONENT:
        raise _underflow()
    if len(significant) > MAX_DIGITS:
        raise validation("Attempting to store more than 38 significant digits in a Number")
    if exponent >= 0:
        plain = significant + "0" * exponent
    elif magnitude >= 0:
        plain = f"{significant[: magnitude + 1]}.{significant[magnitude + 1 :]}"
    else:
        plain = "0." + "0" * (-magnitude - 1) + significant
    return "-" + plain if sign else plain


@lru_cache(maxsize=16384)
def number_value(text: str) -> Number:
    """The comparable value of canonical text: int where possible, because int compares fastest."""
    return int(text) if "." not in text else Decimal(text)


def _overflow() -> Exception:
    return validation("Number overflow. Attempting to store a number with magnitude larger than supported range")


def _underflow() -> Exception:
    return validation("Number underflow. Attempting to store a number with magnitude smaller than supported range")
