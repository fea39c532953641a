"""Statistics by name: what a point answers to "Sum", "SampleCount" or "p99"."""

from __future__ import annotations

import re
from collections.abc import Callable

from sandbox.cloudwatch.errors import CloudWatchError, invalid, validation
from sandbox.cloudwatch.store import Point

Statistic = Callable[[Point], float | None]

_SIMPLE: dict[str, Statistic] = {
    "Sum": lambda point: point.total,
    "SampleCount": lambda point: point.samples,
    "Average": lambda point: point.total / point.samples if point.samples else None,
    "Minimum": lambda point: point.minimum,
    "Maximum": lambda point: point.maximum,
}
_PERCENTILE = re.compile(r"p(\d{1,2}(?:\.\d{1,10})?|100(?:\.0{1,10})?)")
_KNOWN_ON_AWS = re.compile(r"IQM|(tm|wm|tc|ts|pr|TM|WM|TC|TS|PR|p)[\d(].*")


def statistic(name: str) -> Statistic:
    """The function of a statistic's name. Raises CloudWatchError for a name that is none, or is none here."""
    simple = _SIMPLE.get(name)
    if simple is not None:
        return simple
    matched = _PERCENTILE.fullmatch(name)
    if matched:
        percent = float(matched.group(1))
        return lambda point: point.percentile(percent)
    raise _unknown(name)


def _unknown(name: str) -> CloudWatchError:
    shown = name[:60]
    if _KNOWN_ON_AWS.fullmatch(shown):
        return validation(
            f"The statistic {shown} is not offered by this sandbox; use Sum, SampleCount, Average, Minimum, Maximum or "
            f"a percentile such as p99."
        )
    return invalid(f"The value {shown} for parameter Stat is not a statistic; examples: Sum, SampleCount, p99.")


def check_period(period_s: int, name: str = "Period") -> int:
    """1, 5, 10, 20, 30 or a multiple of 60 seconds (API reference, MetricStat, 2026-11-30)."""
    if period_s in (1, 5, 10, 20, 30) or (period_s > 0 and period_s % 60 == 0 and period_s <= 86_400 * 455):
        return period_s
    raise validation(
        f"The parameter {name} must be 1, 5, 10, 20, 30 or a multiple of 60 seconds; it is {period_s}. Example: 60."
    )
