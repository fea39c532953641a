"""Reading a decoded request field by field. Nothing is trusted: a client can send any shape in three encodings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sandbox.cloudwatch.errors import invalid, missing

Fields = Mapping[str, Any]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FAR_S = 253_402_300_800.0  # year 10000


def text(fields: Fields, name: str, where: str = "") -> str:
    """A string that must be there and not be empty."""
    value = fields.get(name)
    if value is None or value == "":
        raise missing(where + name)
    if not isinstance(value, str):
        raise invalid(f"The value {_shown(value)} for parameter {where}{name} is not a string.")
    return value


def optional_text(fields: Fields, name: str, where: str = "") -> str | None:
    """A string, or None when absent."""
    return None if fields.get(name) is None else text(fields, name, where)


def number(value: Any, name: str) -> float:
    """A finite number in the range that CloudWatch takes (PutMetricData: -2^360 to 2^360)."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):  # str: the query protocol has nothing else
        raise invalid(f"The value {_shown(value)} for parameter {name} is not a number.")
    try:
        found = float(value)
    except ValueError:
        raise invalid(f"The value {_shown(value)} for parameter {name} is not a number.") from None
    except OverflowError:
        found = math.inf
    if not math.isfinite(found) or abs(found) > 2.0**360:
        raise invalid(f"The value {found} for parameter {name} is invalid.")
    return found


def whole(fields: Fields, name: str, where: str = "") -> int:
    """An integer that must be there."""
    if fields.get(name) is None:
        raise missing(where + name)
    value = number(fields[name], where + name)
    if value != int(value):
        raise invalid(f"The value {value} for parameter {where}{name} is not an integer.")
    return int(value)


def flag(fields: Fields, name: str, default: bool) -> bool:
    """A boolean; the query protocol spells it in letters."""
    value = fields.get(name, default)
    if value is True or value == "true":
        return True
    if value is False or value == "false":
        return False
    raise invalid(f"The value {_shown(value)} for parameter {name} is not true or false.")


def instant_s(fields: Fields, name: str, where: str = "") -> float:
    """A point in time as epoch seconds, from whichever form the protocol uses."""
    value = fields.get(name)
    if value is None:
        raise missing(where + name)
    try:
        if isinstance(value, datetime):
            seconds = (value - _EPOCH).total_seconds()
        elif isinstance(value, str):
            try:
                seconds = float(value)
            except ValueError:
                at = datetime.fromisoformat(value)
                seconds = ((at if at.tzinfo else at.replace(tzinfo=UTC)) - _EPOCH).total_seconds()
        elif isinstance(value, int | float) and not isinstance(value, bool):
            seconds = float(value)
        else:
            raise ValueError
    except (ValueError, OverflowError):
        raise invalid(f"The value {_shown(value)} for parameter {where}{name} is not a timestamp.") from None
    if not 0 <= seconds < _FAR_S:
        raise invalid(f"The value {_shown(value)} for parameter {where}{name} is outside the years 1970 to 9999.")
    return seconds


def entries(fields: Fields, name: str, at_most: int, where: str = "") -> list[Fields]:
    """A list of structures; absent means empty."""
    found = values(fields, name, at_most, where)
    for place, entry in enumerate(found, 1):
        if not isinstance(entry, Mapping):
            raise invalid(f"The value {_shown(entry)} for parameter {where}{name}.member.{place} is not a structure.")
    return found


def values(fields: Fields, name: str, at_most: int, where: str = "") -> list[Any]:
    """A list of anything; absent means empty."""
    found = fields.get(name)
    if found is None or found == "":  # "" is an empty list of the query protocol
        return []
    if not isinstance(found, list):
        raise invalid(f"The value {_shown(found)} for parameter {where}{name} is not a list.")
    if len(found) > at_most:
        raise invalid(f"The collection {where}{name} must not have a size greater than {at_most}; it has {len(found)}.")
    return found


def structure(fields: Fields, name: str, where: str = "") -> Fields | None:
    """A structure, or None when absent."""
    found = fields.get(name)
    if found is not None and not isinstance(found, Mapping):
        raise invalid(f"The value {_shown(found)} for parameter {where}{name} is not a structure.")
    return found


def dimensions(fields: Fields, where: str = "") -> tuple[tuple[str, str], ...]:
    """Name and value pairs, sorted; a metric has at most 30."""
    pairs = []
    for place, entry in enumerate(entries(fields, "Dimensions", 30, where), 1):
        here = f"{where}Dimensions.member.{place}."
        pairs.append((text(entry, "Name", here), text(entry, "Value", here)))
    if len({name for name, _ in pairs}) != len(pairs):
        raise invalid(f"The parameter {where}Dimensions names a dimension twice.")
    return tuple(sorted(pairs))


def _shown(value: Any) -> str:
    if isinstance(value, str | int | float | bool | datetime):
        shown = str(value)
        return shown if len(shown) <= 100 else shown[:100] + "..."
    return f"of type {type(value).__name__}"
