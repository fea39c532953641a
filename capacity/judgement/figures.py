"""The figures of a finished run that thresholds and reports speak of, each None where it is unknown.

Requests and latencies are those whose intended start lies in the measuring window; units, throttles and deliveries
are those of the whole run, because CloudWatch's periods do not end where the window does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from hdrh.histogram import HdrHistogram
from numpy.typing import NDArray

from capacity.forecasting.forecast import Forecast
from capacity.judgement.comparison import Comparison, ErrorName, Kind
from capacity.judgement.expect import Threshold
from capacity.record import RunRecord
from capacity.run_tables import DELIVERIES, REQUESTS, read_table
from capacity.workloads.charge_rows import TABLE
from capacity.workloads.sent_rows import is_throttle

MIN_TAIL_SAMPLES = 10
"""A percentile needs this many samples beyond it: p95 needs 200 requests, p99 needs 1,000."""


class UnknownFigure(Exception):
    """A figure that this run does not know; the message says why."""


def required_samples(percentile: float) -> int:
    """How many samples a percentile needs so that MIN_TAIL_SAMPLES lie beyond it."""
    return 1 if percentile >= 100 else int(np.ceil(round(100 * MIN_TAIL_SAMPLES / (100 - percentile), 6)))


@dataclass(frozen=True)
class Figures:
    """Every figure of one run, computed when asked for."""

    record: RunRecord
    requests: pa.Table
    deliveries: pa.Table
    comparison: Comparison | None
    forecast: Forecast | None

    @cached_property
    def measured_requests(self) -> pa.Table:
        """The requests of the measuring window."""
        start, end = self.record.measuring_from, self.record.measuring_until
        if start is None or end is None:
            return self.requests
        return self.requests.filter(_between(self.requests["intended_start"], start, end))

    @property
    def window_s(self) -> float:
        """Length of the measuring window in seconds. Raises UnknownFigure when the run never reached it."""
        if self.record.measuring_from is None or self.record.measuring_until is None:
            raise UnknownFigure("the run has no measuring window")
        return (self.record.measuring_until - self.record.measuring_from).total_seconds()

    def of_operation(self, operation: str | None) -> pa.Table:
        """The window's requests of one operation, or of all."""
        if operation is None:
            return self.measured_requests
        chosen = self.measured_requests.filter(pc.equal(self.measured_requests["operation"], operation))
        if chosen.num_rows == 0:
            raise UnknownFigure(f"no {operation} was sent in the measuring window")
        return chosen

    def latencies_ms(self, column: str, operation: str | None) -> NDArray[np.float64]:
        """Latencies of the answered requests of one operation, or of all; shape (requests,)."""
        table = self.of_operation(operation)
        answered = table.filter(pc.not_equal(table["outcome"], "error"))
        return np.asarray(answered[column].to_numpy(zero_copy_only=False), dtype=np.float64)

    def value(self, threshold: Threshold) -> float:
        """The figure of a threshold in its base unit. Raises UnknownFigure when this run does not know it."""
        figure: float = _FIGURES[threshold.figure](self, *threshold.arguments)
        return figure


def load_figures(run_dir: Path, record: RunRecord, comparison: Comparison | None, forecast: Forecast | None) -> Figures:
    """The figures of a run directory; files that are not there make their figures unknown."""
    return Figures(
        record,
        _read(run_dir / "requests.parquet", REQUESTS),
        _read(run_dir / "deliveries.parquet", DELIVERIES),
        comparison,
        forecast,
    )


def _read(path: Path, schema: pa.Schema) -> pa.Table:
    return read_table(path) if path.exists() else schema.empty_table()


def _between(column: pa.ChunkedArray, start: datetime, end: datetime) -> pa.ChunkedArray:
    bounds = [pa.scalar(bound, type=column.type) for bound in (start, end)]
    return pc.and_(pc.greater_equal(column, bounds[0]), pc.less(column, bounds[1]))


def _percentile(column: str) -> Callable[..., float]:
    def figure(figures: Figures, percentile: str, operation: str | None = None) -> float:
        values = figures.latencies_ms(column, operation)
        needed = required_samples(float(percentile))
        if len(values) < needed:
            raise UnknownFigure(f"not enough data: p{percentile} needs {needed:,} answers, the run has {len(values):,}")
        return float(np.percentile(values, float(percentile), method="higher"))

    return figure


def _latency_max(figures: Figures, operation: str | None = None) -> float:
    values = figures.latencies_ms("intended_latency_ms", operation)
    if not len(values):
        raise UnknownFigure("no request was answered")
    return float(values.max())


def _count(figures: Figures, operation: str | None = None) -> float:
    return float(figures.of_operation(operation).num_rows)


def _errors(figures: Figures, operation: str | None = None) -> float:
    outcome = figures.of_operation(operation)["outcome"]
    return float(pc.sum(pc.not_equal(outcome, "ok")).as_py() or 0)


def _error_rate(figures: Figures, operation: str | None = None) -> float:
    count = _count(figures, operation)
    if count == 0:
        raise UnknownFigure("no request was sent in the measuring window")
    return _errors(figures, operation) / count


def _throttled(figures: Figures, operation: str | None = None) -> float:
    failed = figures.of_operation(operation)
    failed = failed.filter(pc.not_equal(failed["outcome"], "ok"))
    columns = (failed[name].to_pylist() for name in ("error_type", "error_message"))
    return float(sum(is_throttle(error, message) for error, message in zip(*columns, strict=True)))


def _throttle_rate(figures: Figures, operation: str | None = None) -> float:
    count = _count(figures, operation)
    if count == 0:
        raise UnknownFigure("no request was sent in the measuring window")
    return _throttled(figures, operation) / count


def _deliveries(outcome: str) -> Callable[[Figures], float]:
    def figure(figures: Figures) -> float:
        if figures.deliveries.num_rows == 0 and _sends_anything(figures.record):
            raise UnknownFigure("the run recorded no deliveries")
        total = pc.sum(figures.deliveries[outcome]).as_py() or 0
        if outcome == "lost":
            total += pc.sum(figures.deliveries["lost_after_ack"]).as_py() or 0
        return float(total)

    return figure


def _sends_anything(record: RunRecord) -> bool:
    traffic = record.scenario.traffic
    return traffic.reports_per_s > 0 or traffic.event_batches_per_s > 0


def _delivery_rate(figures: Figures) -> float:
    arrived = ("delivered", "late", "out_of_order")
    sums = {
        name: pc.sum(figures.deliveries[name]).as_py() or 0
        for name in (*arrived, "expected", "superseded", "unsettled")
    }
    due = sums["expected"] - sums["superseded"] - sums["unsettled"]  # overwritten, or not yet due: neither is a loss
    if due == 0:
        raise UnknownFigure("no delivery was expected")
    return sum(sums[name] for name in arrived) / float(due)


def _delivery_percentile(figures: Figures, percentile: str) -> float:
    whole = HdrHistogram(1, 3_600_000_000, 3)
    for encoded in figures.deliveries["latency_histogram"].to_pylist():
        if encoded is not None:
            whole.decode_and_add(encoded)
    needed = required_samples(float(percentile))
    if whole.get_total_count() < needed:
        raise UnknownFigure(f"not enough data: p{percentile} needs {needed:,} deliveries")
    return float(whole.get_value_at_percentile(float(percentile))) / 1000


def _cost(name: str) -> Callable[[Figures], float]:
    def figure(figures: Figures) -> float:
        if figures.forecast is None:
            raise UnknownFigure("the run has no forecast")
        return float(getattr(figures.forecast.cost, name))

    return figure


def _achieved(figures: Figures) -> float:
    if figures.record.generator is None:
        raise UnknownFigure("the generator left no record of itself")
    return figures.record.generator.achieved


def _comparison(figures: Figures) -> Comparison:
    if figures.comparison is None:
        raise UnknownFigure("the run has no comparison")
    return figures.comparison


def _unit_error(which: ErrorName, kind: Kind) -> Callable[..., float]:
    def figure(figures: Figures, resource: str | None = None) -> float:
        try:
            error = _comparison(figures).largest_error(which, kind, resource)
        except KeyError as fault:
            raise UnknownFigure(str(fault.args[0])) from None
        if error is None:
            raise UnknownFigure(f"CloudWatch has no points of the {kind} units, or nothing was sent or planned")
        return error

    return figure


def _throttles(figures: Figures, resource: str | None = None) -> float:
    events = _comparison(figures).throttle_events(resource)
    if events is None:
        known = ", ".join(dict.fromkeys(each.resource for each in _comparison(figures).throttles))
        raise UnknownFigure(f"CloudWatch does not tell the throttles of {resource or 'one of'} {known}")
    return float(events)


def _table_throttles(figures: Figures) -> float:
    return _throttles(figures, TABLE)


def _first_throttle_error_s(figures: Figures) -> float:
    error_s = _comparison(figures).first_throttle_error_s
    if error_s is None:
        raise UnknownFigure("forecast and measurement do not both have a first throttle")
    return error_s


def _rate(figures: Figures, operation: str | None = None) -> float:
    return _count(figures, operation) / figures.window_s


_FIGURES: dict[str, Callable[..., float]] = {
    "latency.p": _percentile("intended_latency_ms"),
    "latency.raw_p": _percentile("latency_ms"),
    "latency.max": _latency_max,
    "requests.count": _count,
    "requests.rate": _rate,
    "errors.rate": _error_rate,
    "errors.count": _errors,
    "throttles.answered": _throttled,
    "throttles.rate": _throttle_rate,
    **{
        f"deliveries.{name}": _deliveries(name)
        for name in ("lost", "lost_by_cursor", "late", "duplicate", "out_of_order", "crosstalk")
    },
    "deliveries.rate": _delivery_rate,
    "deliveries.p": _delivery_percentile,
    "throttles.table": _table_throttles,
    "throttles.GSI": _throttles,
    "throttles.total": _throttles,
    "prediction.error.wcu": _unit_error("prediction_error", "write"),
    "prediction.error.rcu": _unit_error("prediction_error", "read"),
    "prediction.error.first_throttle_s": _first_throttle_error_s,
    "model.error.wcu": _unit_error("model_error", "write"),
    "model.error.rcu": _unit_error("model_error", "read"),
    "cost.run_usd": _cost("run_usd"),
    "cost.monthly_usd": _cost("monthly_usd"),
    "generator.achieved": _achieved,
}
