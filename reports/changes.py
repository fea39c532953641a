"""What differs between two runs: one `Change` per figure, with its direction and whether it is beyond its tolerance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["better", "same", "worse", "unknown", "noise"]
"""`noise`: it moved, but so did the machine that measured it, so nothing follows."""
Area = Literal["units", "latency", "errors", "throttles", "deliveries", "cost"]


@dataclass(frozen=True)
class Change:
    """One figure of two runs; for all of them, less is better."""

    area: Area
    subject: str
    """What it is a figure of: an operation, a table, an index, a service."""
    figure: str
    """The figure's key among the sentences, such as `units_per_request`."""
    detail: str
    """What tells it from figures of the same kind: an index and its kind of units, a percentile."""
    before: float | None
    after: float | None
    outcome: Outcome
    interval: tuple[float, float] | None = None
    """95 % interval of after / before, where one is known."""


def judge(
    area: Area,
    subject: str,
    figure: str,
    before: float | None,
    after: float | None,
    *,
    detail: str = "",
    share: float = 0.0,
    least: float = 0.0,
    interval: tuple[float, float] | None = None,
) -> Change:
    """Compare two figures of which less is better.

    A difference counts when it is larger than `least` and than `share` of the value before; with an interval, the whole
    of it must lie beyond that share. A figure that either run does not know is unknown, never the same.
    """
    outcome: Outcome = "same"
    if before is None or after is None:
        outcome = "same" if before is None and after is None else "unknown"
    elif abs(after - before) > max(least, share * abs(before)) and _clear(interval, share):
        outcome = "worse" if after > before else "better"
    return Change(area, subject, figure, detail, before, after, outcome, interval)


def _clear(interval: tuple[float, float] | None, share: float) -> bool:
    """Tell whether the whole of a ratio's interval lies beyond the tolerance, in one direction."""
    return interval is None or interval[0] > 1 + share or interval[1] < 1 / (1 + share)
