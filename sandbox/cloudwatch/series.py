"""One metric with its dimensions: the period being filled, and those that are kept as long as CloudWatch keeps them."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator

from sandbox.cloudwatch.point import Point

Dimensions = tuple[tuple[str, str], ...]

_MAX_OPEN_VALUES = 2_000  # in the period being filled, before they are packed
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
        self._extra: Point | None = None  # values of the current period that are packed already
        self._points: dict[int, Point] = {}
        self._times_s: list[int] = []

    def add(self, value: float, count: float = 1) -> None:
        """Record a value, `count` times, in the current period."""
        current = self._current
        if value in current:
            current[value] += count
        else:
            current[value] = count
            if len(current) > _MAX_OPEN_VALUES:
                self._compact()

    def _compact(self) -> None:
        # Latencies are nearly all distinct: pack those seen so far.
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

    def values_kept(self) -> int:
        """Distinct values in all closed periods; a period without percentiles counts as one."""
        return sum(point.distinct for point in self._points.values())

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
