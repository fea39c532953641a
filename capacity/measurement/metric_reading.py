"""A reading of CloudWatch while it is under way: what is known of each series, what is still awaited, and its rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

import pandas as pd

from capacity.measurement.metric_catalogue import MetricQuery
from capacity.run_tables import METRICS, dimension_text

Ending = Literal["complete", "settled", "out of patience"]


@dataclass(frozen=True)
class Expectation:
    """What a series must reach before a reading is complete: at least so much, summed over the run."""

    namespace: str
    metric: str
    dimensions: tuple[tuple[str, str], ...]
    statistic: str
    at_least: float


@dataclass(frozen=True)
class Patience:
    """How long a reading waits.

    total_s: at the most. settle_s: it ends once there are points and none has changed for so long. confirm_s: once all
    that is expected is there, nothing may change for so long either, because metrics of one minute do not become
    visible together. interval_s: between two questions.
    """

    total_s: float = 300.0
    settle_s: float = 60.0
    confirm_s: float = 0.0
    interval_s: float = 5.0


@dataclass
class Reading:
    """What came of it: metrics are rows as in metrics.parquet; a series without points has one row without a value."""

    metrics: pd.DataFrame
    ended: Ending
    waited_s: float
    asked_metrics: int
    """Metrics requested, which is what CloudWatch bills."""
    notes: list[str] = field(default_factory=list)

    @property
    def points(self) -> int:
        """How many values there are."""
        return int(self.metrics["value"].notna().sum())


@dataclass
class Series:
    """One metric and statistic, and what is known of it so far."""

    query: MetricQuery
    statistic: str
    period_s: int | None = None  # the period that gave points
    points: dict[float, float] = field(default_factory=dict)
    status: str = "Complete"

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.query.namespace, self.query.metric, self.query.dimension_text, self.statistic


def period_of_namespace(series: Iterable[Series], namespace: str) -> int | None:
    """The finest period at which a namespace is known to publish; None before it gave a point."""
    return min((each.period_s for each in series if each.query.namespace == namespace and each.period_s), default=None)


def missing_from(series: Sequence[Series], expected: Sequence[Expectation]) -> list[tuple[Expectation, float]]:
    """The expectations that are not met, with what there is instead."""
    sums = {each.key: sum(each.points.values()) for each in series}
    missing = []
    for each in expected:
        key = (each.namespace, each.metric, dimension_text(each.dimensions), each.statistic)
        found = sums.get(key, 0.0)
        if found < each.at_least:
            missing.append((each, found))
    return missing


def notes_on(series: Sequence[Series], periods: tuple[int, ...], expected: Sequence[Expectation]) -> list[str]:
    """What a reader of the report should know about this reading."""
    notes = []
    if not periods:
        notes.append("the run is older than 455 days: CloudWatch keeps nothing of it")
    for each, found in missing_from(series, expected):
        notes.append(
            f"CloudWatch has {found:,.0f} of the {each.at_least:,.0f} expected in {each.metric} ({each.statistic})"
        )
    for status in sorted({each.status for each in series} - {"Complete"}):
        metrics = sorted({each.query.metric for each in series if each.status == status})
        notes.append(f"{status} for {', '.join(metrics[:5])}{' and others' if len(metrics) > 5 else ''}")
    return notes


def frame_of(series: Sequence[Series], periods: tuple[int, ...]) -> pd.DataFrame:
    """The rows of metrics.parquet."""
    rows: list[tuple[str, str, str, str, int, float | None, float | None]] = []
    for each in series:
        period_s = each.period_s or period_of_namespace(series, each.query.namespace) or (periods or (60,))[-1]
        if each.points:
            rows += [(*each.key, period_s, at_s, value) for at_s, value in sorted(each.points.items())]
        else:
            rows.append((*each.key, period_s, None, None))
    return metrics_frame(rows)


def metrics_frame(rows: Sequence[tuple[object, ...]]) -> pd.DataFrame:
    """Rows in the columns of metrics.parquet, with timestamps in epoch seconds; None where nothing is known."""
    frame = pd.DataFrame(rows, columns=METRICS.names)
    for name in ("namespace", "metric", "dimensions", "statistic"):
        frame[name] = frame[name].astype("category")
    frame["period_s"] = frame["period_s"].astype("int32")
    frame["timestamp"] = pd.to_datetime(frame["timestamp"].astype("float64"), unit="s", utc=True).astype(
        "datetime64[us, UTC]"
    )
    frame["value"] = frame["value"].astype("float64")
    return frame
