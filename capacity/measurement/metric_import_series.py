"""One series of imported points, and how what its file leaves open is filled in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from capacity.document import Fault
from capacity.measurement.metric_catalogue import Dimensions, catalogue

STATISTICS = ("Sum", "Average", "Minimum", "Maximum", "SampleCount")
_NO_STATISTIC = (
    "does not say which statistic it is; give the file of --metric-data-queries too, or say it, as in --statistic Sum"
)
_PERCENTILE = re.compile(r"p\d{1,2}(\.\d+)?")
_PERIODS = (1, 5, 10, 30, 60)
_CSV_TIMES = ("%Y/%m/%d %H:%M:%S", "%Y/%m/%d %H:%M", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%d %b %Y %H:%M:%S")


@dataclass(frozen=True)
class Whose:
    """What the caller says of data that doesn't say it itself."""

    table: str
    index: str | None = None
    operation: str | None = None
    statistic: str | None = None
    period_s: int | None = None

    @property
    def dimensions(self) -> Dimensions:
        """The dimensions of a series that names none."""
        more = (("GlobalSecondaryIndexName", self.index), ("Operation", self.operation))
        return (("TableName", self.table), *((name, value) for name, value in more if value is not None))


@dataclass(frozen=True)
class ImportedSeries:
    """Points by epoch second, and what the file says of them; None where it says nothing."""

    file: str
    label: str
    metric: str | None
    points: dict[float, float] = field(default_factory=dict)
    namespace: str = "AWS/DynamoDB"
    dimensions: Dimensions = ()
    statistic: str | None = None
    period_s: int | None = None


def finished(series: ImportedSeries, whose: Whose, faults: list[Fault], notes: list[str]) -> ImportedSeries | None:
    """The series with everything known; None, with a fault or note, when it can't be."""
    title = f"{series.label or series.metric}"
    if series.metric is None:
        faults.append(Fault(series.file, 1, title, f"names no metric of DynamoDB, such as {next(iter(_known()))}"))
        return None
    table = dict(series.dimensions).get("TableName")
    if table is not None and table != whose.table:
        notes.append(f"{series.file}: {title} belongs to table {table} and is left out")
        return None
    statistic = series.statistic or whose.statistic
    if statistic is None:
        faults.append(Fault(series.file, 1, title, _NO_STATISTIC))
        return None
    if statistic not in STATISTICS and not _PERCENTILE.fullmatch(statistic):
        faults.append(Fault(series.file, 1, title, f"statistic {statistic!r} is none of {', '.join(STATISTICS)}, pNN"))
        return None
    period_s = series.period_s or whose.period_s or period_of(series.points)
    if period_s is None:
        if series.points:
            faults.append(Fault(series.file, 1, title, "has one point and no period; say it, as in --period 60"))
            return None
        period_s = 60
    elif series.period_s is None and whose.period_s is None:
        notes.append(f"{series.file}: {title}: the period is taken as {period_s} s, the least distance of two points")
    dimensions = series.dimensions or whose.dimensions
    return replace(series, dimensions=dimensions, statistic=statistic, period_s=period_s)


def period_of(points: Iterable[float]) -> int | None:
    """The least distance of two points, as a period that CloudWatch has; None for fewer than two points."""
    times = sorted(points)
    gaps = [round(later - earlier) for earlier, later in pairwise(times)]
    least = min((gap for gap in gaps if gap > 0), default=0)
    if least in _PERIODS:
        return least
    return least // 60 * 60 if least >= 60 else None


def metric_in(text: str) -> str | None:
    """The longest known metric name that stands in a label."""
    words = set(re.findall(r"\w+", text))
    return max((name for name in _known() if name in words), key=len, default=None)


def epoch_s(value: Any) -> float | None:
    """Epoch seconds of a time as the CLI or the console writes it, without a zone UTC; None when it is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value) if math.isfinite(value) and 0 < value < 1e11 else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = next((found for form in _CSV_TIMES if (found := _time(text, form)) is not None), None)  # type: ignore[assignment]
        if moment is None:
            return None
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)).timestamp()


def _time(text: str, form: str) -> datetime | None:
    try:
        return datetime.strptime(text, form)
    except ValueError:
        return None


def _known() -> dict[str, None]:
    return {metric: None for namespace, metric in catalogue() if namespace == "AWS/DynamoDB"}
