"""What a calculator answers: figures for programs, lines for people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


class CalculatorError(ValueError):
    """A question that can't be answered; the message says what was given, what is expected and an example."""


@dataclass(frozen=True)
class Answer:
    """`figures`: JSON, names carry units, null = never or unbounded. `lines`: label and text, in reading order.
    `notes`: sentences.
    """

    figures: Mapping[str, Any]
    lines: Sequence[tuple[str, str]]
    notes: Sequence[str] = ()


def finite(value: float) -> float | None:
    """JSON has no infinity: None stands for never and unbounded."""
    return None if math.isinf(value) else value


def amount(value: float) -> str:
    """A number for people: thousands grouped, at most two decimals."""
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def duration(seconds: float) -> str:
    """Seconds for people."""
    if math.isinf(seconds):
        return "never"
    if seconds < 120:
        return f"{amount(seconds)} s"
    minutes = seconds / 60
    return (
        f"{amount(seconds)} s ({minutes:,.1f} min)" if minutes < 120 else f"{amount(seconds)} s ({minutes / 60:,.1f} h)"
    )
