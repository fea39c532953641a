"""Durations, rates and sizes as people write them in a scenario: `30s`, `50/s`, `64KiB`.

Each type accepts the text form or a bare number and stores a float or int in the base unit (seconds, per second,
bytes), so that names in the code can carry the unit.
"""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

_NUMBER = r"(?P<number>\d+(?:\.\d+)?)"
_DURATION = re.compile(_NUMBER + r"\s*(?P<unit>ms|s|m|min|h|d)")
_RATE = re.compile(_NUMBER + r"\s*/\s*(?P<unit>s|m|min|h)")
_SIZE = re.compile(_NUMBER + r"\s*(?P<unit>B|KB|KiB|MB|MiB)")

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
_BYTES = {"B": 1, "KB": 1000, "KiB": 1024, "MB": 1_000_000, "MiB": 1024 * 1024}


def _quantity(value: Any, pattern: re.Pattern[str], kind: str, example: str) -> tuple[float, str | None]:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{value!r} is no {kind}; write it like {example}")
    if isinstance(value, int | float):
        if not math.isfinite(value) or value < 0:
            raise ValueError(f"{value!r} is no {kind}: it must be finite and not negative, like {example}")
        return float(value), None
    match = pattern.fullmatch(value.strip())
    if match is None:
        raise ValueError(f"{value!r} is no {kind}; write it like {example}")
    return float(match["number"]), match["unit"]


def parse_duration_s(value: Any) -> float:
    """Seconds in `250ms`, `30s`, `5m`, `2h`, `1d`, or a bare number of seconds. Raises ValueError otherwise."""
    number, unit = _quantity(value, _DURATION, "duration", "30s, 250ms or 5m")
    return number * _SECONDS[unit or "s"]


def parse_rate_per_s(value: Any) -> float:
    """Events per second in `50/s`, `6/min`, `90/h`, or a bare number per second. Raises ValueError otherwise."""
    number, unit = _quantity(value, _RATE, "rate", "4/s or 30/min")
    return number / _SECONDS[unit or "s"]


def parse_size_bytes(value: Any) -> int:
    """Bytes in `200B`, `64KiB`, `1MB`, or a bare number of bytes. Raises ValueError for anything else or a fraction."""
    number, unit = _quantity(value, _SIZE, "size", "200B or 64KiB")
    size = number * _BYTES[unit or "B"]
    if size != int(size):
        raise ValueError(f"{value!r} is no whole number of bytes; write it like 200B or 64KiB")
    return int(size)


def _schema(kind: str, pattern: re.Pattern[str], example: str) -> WithJsonSchema:
    text = pattern.pattern.replace("?P<number>", "").replace("?P<unit>", "")
    return WithJsonSchema(
        {
            "anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": f"^{text}$"}],
            "examples": [example],
            "description": kind,
        }
    )


Seconds = Annotated[
    float, BeforeValidator(parse_duration_s), _schema("a duration; a bare number is seconds", _DURATION, "30s")
]
PerSecond = Annotated[
    float, BeforeValidator(parse_rate_per_s), _schema("a rate; a bare number is per second", _RATE, "4/s")
]
SizeBytes = Annotated[int, BeforeValidator(parse_size_bytes), _schema("a size; a bare number is bytes", _SIZE, "64B")]
