"""What metrics.parquet says of a table: units, throttles and calls, with unknown kept apart from zero.

Source of the metric's names, dimensions and the meaning of absent points: CloudWatch and DynamoDB metrics pages, read
2026-11. `Consumed*CapacityUnits` of the table alone leave its global indexes out. A throttle metric has no points when
nothing was throttled; a consumption metric without points is unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from capacity.run_tables import dimension_text, read_table
from capacity.workloads.charge_rows import TABLE

NAMESPACE = "AWS/DynamoDB"
_KIND = {"read": "Read", "write": "Write"}
MOST_PERIODS = 1_000_000
"""Between the first and the last moment of a run's metrics: CloudWatch keeps 455 days in minutes, 655,200 periods.

What a file says lies further apart is damage, and would fill the memory with the periods between.
"""


@dataclass(frozen=True)
class Measured:
    """CloudWatch's points of one table: (metric, dimensions, statistic) -> {period start: value}.

    A series that was asked for and has no points is there, and empty.
    """

    table_name: str
    period_s: int
    series: dict[tuple[str, str, str], dict[float, float]]

    def points(self, resource: str, kind: str) -> dict[float, float]:
        """Consumed units by period start (epoch seconds)."""
        return self.series.get((f"Consumed{_KIND[kind]}CapacityUnits", self._dimensions(resource), "Sum"), {})

    def units(self, resource: str, kind: str) -> float | None:
        """Consumed units of the run; None when CloudWatch has no points."""
        points = self.points(resource, kind)
        return sum(points.values()) if points else None

    def throttles(self, resource: str, kind: str) -> int | None:
        """Throttle events of the run: 0 when the metric was asked for and has no points, None when it was not."""
        points = self._throttle_points(resource, kind)
        return None if points is None else int(sum(points.values()))

    def first_throttle_s(self, resource: str, kind: str) -> float | None:
        """Start of the first period with a throttle event, epoch seconds."""
        points = self._throttle_points(resource, kind) or {}
        return min((start for start, value in points.items() if value > 0), default=None)

    def calls(self, operation: str) -> int | None:
        """Successful calls of a DynamoDB operation; None when CloudWatch was not asked or has none."""
        dimensions = dimension_text((("TableName", self.table_name), ("Operation", operation)))
        points = self.series.get(("SuccessfulRequestLatency", dimensions, "SampleCount"))
        return int(sum(points.values())) if points else None

    def _throttle_points(self, resource: str, kind: str) -> dict[float, float] | None:
        return self.series.get((f"{_KIND[kind]}ThrottleEvents", self._dimensions(resource), "Sum"))

    def _dimensions(self, resource: str) -> str:
        table = ("TableName", self.table_name)
        return dimension_text((table,) if resource == TABLE else (table, ("GlobalSecondaryIndexName", resource)))


def read_measured(run_dir: Path, table_name: str) -> Measured | None:
    """The DynamoDB metrics of a run directory; None when it has no metrics.parquet."""
    path = run_dir / "metrics.parquet"
    return measured_of(read_table(path), table_name) if path.exists() else None


def sound(metrics: pa.Table) -> pa.Table:
    """The points as they are. Raises ValueError when periods or moments are none that CloudWatch could have given."""
    if not metrics.num_rows:
        return metrics
    periods_s = pc.min_max(metrics["period_s"])
    if periods_s["min"].as_py() < 1:
        raise ValueError("metrics hold a period that is no whole number of seconds from 1")
    moments = pc.cast(pc.cast(metrics["timestamp"], pa.timestamp("us", tz="UTC")), pa.int64())
    bounds = pc.min_max(moments)
    if bounds["min"].is_valid:
        span_s = (bounds["max"].as_py() - bounds["min"].as_py()) / 1e6
        if span_s / periods_s["min"].as_py() > MOST_PERIODS:
            raise ValueError(f"metrics hold moments that lie {span_s / 86_400:,.0f} days apart")
    return metrics


def measured_of(metrics: pa.Table, table_name: str) -> Measured:
    """The DynamoDB metrics of a table of points; of a series kept in several periods, the finest counts.

    Raises ValueError for points that are not sound.
    """
    metrics = sound(metrics).filter(pc.equal(metrics["namespace"], NAMESPACE))
    columns = [metrics[name].to_pylist() for name in ("metric", "dimensions", "statistic", "period_s", "timestamp")]
    values = metrics["value"].to_pylist()
    finest: dict[tuple[str, str, str], int] = {}
    rows = list(zip(*columns, values, strict=True))
    for metric, dimensions, statistic, period_s, _, value in rows:
        key = (metric, dimensions, statistic)
        if value is not None:
            finest[key] = min(period_s, finest.get(key, period_s))
    series: dict[tuple[str, str, str], dict[float, float]] = {}
    for metric, dimensions, statistic, period_s, timestamp, value in rows:
        key = (metric, dimensions, statistic)
        points = series.setdefault(key, {})
        if value is not None and timestamp is not None and period_s == finest[key]:
            points[timestamp.timestamp()] = value
    return Measured(table_name, min(finest.values(), default=60), series)
