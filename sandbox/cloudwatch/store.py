"""Metric series: what was added in each period, kept as CloudWatch keeps it.

A period holds how often each value was seen, from which sum, minimum, maximum, sample count and every percentile
follow. Adding a value is one dictionary update, because engine and AppSync do it several times per request; the current
period is moved to history by `tick`, which the server calls at each boundary of the clock.
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Dimensions = tuple[tuple[str, str], ...]

_MAX_DISTINCT_VALUES = 2_000  # per series and period; above it values are kept to three digits
_DAY_S = 86_400
# CloudWatch, "Metrics retention": (kept for, coarsest period that is still served at that age), 2026-11-30
RETENTION: tuple[tuple[float, int], ...] = (
    (3 * 3600, 1),
    (15 * _DAY_S, 60),
    (63 * _DAY_S, 300),
    (455 * _DAY_S, 3600),
)


def finest_period_s(age_s: float) -> int | None:
    """The finest period that CloudWatch still serves for points of this age; None when they have expired."""
    return next((period_s for kept_s, period_s in RETENTION if age_s < kept_s), None)


@dataclass(frozen=True, slots=True)
class Point:
    """One period's statistic set; counts maps value to sample count, or is None for a set without percentiles."""

    total: float
    samples: float
    minimum: float
    maximum: float
    counts: dict[float, float] | None

    @staticmethod
    def of(counts: dict[float, float]) -> Point:
        return Point(
            math.fsum(value * count for value, count in counts.items()),
            sum(counts.values()),
            min(counts),
            max(counts),
            counts,
        )

    def merge(self, other: Point) -> Point:
        """Both periods together; percentiles survive only when both have them."""
        counts: dict[float, float] | None = None
        if self.counts is not None and other.counts is not None:
            counts = dict(self.counts)
            for value, count in other.counts.items():
                counts[value] = counts.get(value, 0) + count
            if len(counts) > _MAX_DISTINCT_VALUES:
                counts = _rounded(counts)
        return Point(
            self.total + other.total,
            self.samples + other.samples,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
            counts,
        )

    def percentile(self, percent: float) -> float | None:
        """The smallest value that at least `percent` of the samples do not exceed (nearest rank); None when unknown.

        CloudWatch interpolates inside its own buckets by a rule it does not publish; nearest rank returns a value that
        was really measured.
        """
        if self.counts is None:
            # A statistic set has percentiles only when all its values must be the same (API reference, PutMetricData).
            return self.minimum if self.samples == 1 or self.minimum == self.maximum else None
        rank = percent / 100 * self.samples
        seen = 0.0
        value = self.minimum
        for value in sorted(self.counts):
            seen += self.counts[value]
            if seen >= rank - 1e-9:
                break
        return value


def _rounded(counts: dict[float, float]) -> dict[float, float]:
    fewer: dict[float, float] = {}
    for value, count in counts.items():
        key = float(f"{value:.3g}")
        fewer[key] = fewer.get(key, 0) + count
    return fewer


class Series:
    """One metric with its dimensions. `add` is the hot path; everything else is for reading."""

    __slots__ = (
        "_current",
        "_extra",
        "_points",
        "_times_s",
        "dimensions",
        "metric",
        "namespace",
        "resolution_s",
        "touched_s",
        "unit",
    )

    def __init__(self, namespace: str, metric: str, dimensions: Dimensions, unit: str, resolution_s: int) -> None:
        self.namespace = namespace
        self.metric = metric
        self.dimensions = dimensions
        self.unit = unit
        self.resolution_s = resolution_s
        self.touched_s = 0.0  # start of the newest period with a value
        self._current: dict[float, float] = {}
        self._extra: Point | None = None  # exact statistics of values that were rounded in the current period
        self._points: dict[int, Point] = {}
        self._times_s: list[int] = []

    def add(self, value: float, count: float = 1) -> None:
        """Record a value, `count` times, in the current period."""
        current = self._current
        if value in current:
            current[value] += count
        else:
            current[value] = count
            if len(current) > _MAX_DISTINCT_VALUES:
                self._compact()

    def _compact(self) -> None:
        # Latencies are nearly all distinct. Keep their histogram to three digits and their exact sum beside it.
        point = Point.of(self._current)
        self._extra = point if self._extra is None else self._extra.merge(point)
        self._current = {}

    def open_point(self) -> Point | None:
        """What was added since the last tick."""
        point = Point.of(self._current) if self._current else None
        if self._extra is None:
            return point
        return self._extra if point is None else self._extra.merge(point)

    def close_period(self, start_s: int) -> None:
        """Move what was added since the last tick into the period that starts at start_s."""
        if self._current or self._extra is not None:
            point = self.open_point()
            self._current = {}
            self._extra = None
            if point is not None:
                self.put(start_s, point)

    def put(self, time_s: float, point: Point) -> None:
        """Merge a statistic set into the period of time_s."""
        start_s = int(time_s // self.resolution_s) * self.resolution_s
        known = self._points.get(start_s)
        if known is None:
            self._points[start_s] = point
            if not self._times_s or start_s > self._times_s[-1]:
                self._times_s.append(start_s)
            else:
                insort(self._times_s, start_s)
        else:
            self._points[start_s] = known.merge(point)
        self.touched_s = max(self.touched_s, start_s)

    def points(self, start_s: float, end_s: float) -> Iterator[tuple[int, Point]]:
        """Closed periods with start_s <= time < end_s, oldest first."""
        times_s = self._times_s
        for place in range(bisect_left(times_s, start_s), bisect_left(times_s, end_s)):
            yield times_s[place], self._points[times_s[place]]

    def age(self, now_s: float) -> None:
        """Coarsen and forget points whose retention ended."""
        if not self._times_s or now_s - self._times_s[0] < RETENTION[0][0]:
            return
        kept: dict[int, Point] = {}
        for time_s in self._times_s:
            period_s = finest_period_s(now_s - time_s)
            if period_s is not None:
                start_s = time_s // period_s * period_s
                point = self._points[time_s]
                kept[start_s] = kept[start_s].merge(point) if start_s in kept else point
        self._points = kept
        self._times_s = sorted(kept)


class MetricStore:
    """All series of one account and region.

    clock: epoch seconds. resolution_s: the period at which the sandbox's own metrics are published (AWS: 60 s; the
    sandbox's default of 10 s is a CloudWatch high-resolution period and gives a one-minute run a curve).
    zero_when_idle: metrics that get a sample of 0 in a period without any other.
    """

    def __init__(
        self, clock: Callable[[], float], resolution_s: int = 10, zero_when_idle: frozenset[str] = frozenset()
    ) -> None:
        self.clock = clock
        self._zero_when_idle = zero_when_idle
        self.resolution_s = resolution_s
        self._series: dict[tuple[str, str, Dimensions], dict[str, Series]] = {}  # by name, then by unit
        self._start_s = self._period_start()
        self._aged_s = clock()

    def _period_start(self) -> int:
        return int(self.clock() // self.resolution_s) * self.resolution_s

    def series(
        self,
        namespace: str,
        metric: str,
        dimensions: Dimensions = (),
        unit: str = "Count",
        resolution_s: int | None = None,
    ) -> Series:
        """The series of that name, created on first use; keep the handle for hot paths. Dimensions are unordered."""
        key = (namespace, metric, tuple(sorted(dimensions)))
        by_unit = self._series.setdefault(key, {})
        found = by_unit.get(unit)
        if found is None:
            found = by_unit[unit] = Series(namespace, metric, key[2], unit, resolution_s or self.resolution_s)
        elif resolution_s is not None and resolution_s < found.resolution_s:
            found.resolution_s = resolution_s
        return found

    def find(self, namespace: str, metric: str, dimensions: Dimensions, unit: str | None = None) -> list[Series]:
        """The series with exactly these dimensions, as CloudWatch matches them, one per unit unless one is named."""
        by_unit = self._series.get((namespace, metric, tuple(sorted(dimensions))), {})
        return [series for series in by_unit.values() if unit is None or series.unit == unit]

    def _every(self) -> Iterator[Series]:
        return (series for by_unit in self._series.values() for series in by_unit.values())

    def all(self) -> Iterator[Series]:
        """Every series that has at least one value."""
        self.tick()
        return (series for series in self._every() if series.touched_s or series.open_point() is not None)

    def tick(self) -> None:
        """Close the current period when the clock has left it. Call at every boundary; more often is harmless."""
        start_s = self._period_start()
        if start_s != self._start_s:
            for series in self._every():
                if series.open_point() is None and series.metric in self._zero_when_idle:
                    series.add(0.0)
                series.close_period(self._start_s)
            self._start_s = start_s
            now_s = self.clock()
            if now_s - self._aged_s >= 600:
                self._aged_s = now_s
                for series in self._every():
                    series.age(now_s)

    def read(
        self, series: Series, start_s: float, end_s: float, period_s: int, late_s: float = 0.0
    ) -> list[tuple[int, Point]]:
        """Points of `period_s`, aligned to the clock, oldest first; periods without values are absent.

        A point belongs to the answer when its period's start lies in [start rounded down to the period, end). Data
        coarser than period_s, by publication or by age, are absent too: CloudWatch gives nothing rather than an error.
        late_s: values become visible this long after the end of the period they were published for.
        """
        self.tick()
        now_s = self.clock()
        first_s = int(start_s // period_s) * period_s
        last_s = -int(-end_s // period_s) * period_s
        if period_s < series.resolution_s:
            return []
        visible_s = now_s - late_s - series.resolution_s if late_s else math.inf
        periods: dict[int, Point] = {}
        for time_s, point in series.points(first_s, last_s):
            finest_s = finest_period_s(now_s - time_s)
            if finest_s is not None and finest_s <= period_s and time_s <= visible_s:
                at_s = time_s // period_s * period_s
                periods[at_s] = periods[at_s].merge(point) if at_s in periods else point
        current = series.open_point()
        if current is not None and first_s <= self._start_s < last_s and not late_s:
            at_s = self._start_s // period_s * period_s
            periods[at_s] = periods[at_s].merge(current) if at_s in periods else current
        return list(periods.items())

    def read_all(
        self,
        namespace: str,
        metric: str,
        dimensions: Dimensions,
        unit: str | None,
        start_s: float,
        end_s: float,
        period_s: int,
        late_s: float = 0.0,
    ) -> list[tuple[int, Point]]:
        """`read` by name; series of several units are added up when no unit is named."""
        found = self.find(namespace, metric, dimensions, unit)
        if len(found) == 1:
            return self.read(found[0], start_s, end_s, period_s, late_s)
        periods: dict[int, Point] = {}
        for series in found:
            for time_s, point in self.read(series, start_s, end_s, period_s, late_s):
                periods[time_s] = periods[time_s].merge(point) if time_s in periods else point
        return sorted(periods.items())
