"""Metric series: what was added in each period, kept as CloudWatch keeps it.

A period holds how often each value was seen, from which sum, minimum, maximum, sample count and every percentile
follow. Adding a value is one dictionary update, because engine and AppSync do it several times per request; the current
period is moved to history by `tick`, which the server calls at each boundary of the clock.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from sandbox.cloudwatch.point import Point
from sandbox.cloudwatch.series import Dimensions, Series, finest_period_s

__all__ = ["Dimensions", "MetricStore", "Point", "Series"]

_MAX_PUT_VALUES = 2_000_000  # distinct values of all periods that clients put, about 200 MB


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
        self._put_values = 0

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

    def has_room(self, points: list[Point]) -> bool:
        """Whether so many more points of clients are taken: what they put is bounded, lest memory fills."""
        return self._put_values + sum(point.distinct for point in points) <= _MAX_PUT_VALUES

    def put(
        self,
        namespace: str,
        metric: str,
        dimensions: Dimensions,
        unit: str,
        resolution_s: int,
        time_s: float,
        point: Point,
    ) -> None:
        """Merge what a client sends into the period of time_s."""
        self._put_values += point.distinct
        self.series(namespace, metric, dimensions, unit, resolution_s).put(time_s, point)

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
                self._forget_expired()

    def _forget_expired(self) -> None:
        """Drop clients' series without points, and count anew what is kept of them."""
        self._put_values = 0
        for key, by_unit in list(self._series.items()):
            if key[0].startswith("AWS/"):
                continue
            for unit, series in list(by_unit.items()):
                values = series.values_kept()
                self._put_values += values
                if not values:
                    del by_unit[unit]
            if not by_unit:
                del self._series[key]

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
