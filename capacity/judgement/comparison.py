"""Planned, sent and measured side by side, with every error split into its causes.

* planned: the forecast of the scenario.
* sent: the model applied to the requests that the run really sent.
* measured: what CloudWatch says.

`measured - planned` is the sum of three parts: the traffic differed from the plan (`sent - planned`), a call cost other
units than the model says, and the unexplained rest: calls that no request of this run accounts for. The last two are
told apart by CloudWatch's count of calls; without it they stand together, and `unexplained` is unknown.

What was sent is known up to the units of capacity/judgement/open_units.py; the model errs where measured is beyond.

A metric without points is unknown, not zero; only throttle metrics have no points because nothing happened.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from capacity.forecasting.forecast import Forecast, read_forecast
from capacity.judgement.comparison_record import (
    KINDS,
    CallsComparison,
    Comparison,
    ErrorName,
    Kind,
    OperationComparison,
    ThrottleComparison,
    UnitsComparison,
    UnitsSeries,
)
from capacity.judgement.open_units import ThrottledKinds, open_units
from capacity.measurement.measured import MOST_PERIODS, Measured, read_measured
from capacity.record import RunDirectoryError, RunRecord, read_run
from capacity.run_tables import read_table
from capacity.workloads.charge_rows import CALLS, TABLE, Charges
from capacity.workloads.registry import workload_of
from capacity.workloads.sent_rows import is_throttle
from capacity.workloads.stream import Floats, Outcome, Sent

__all__ = [
    "CallsComparison",
    "Comparison",
    "ErrorName",
    "Kind",
    "OperationComparison",
    "ThrottleComparison",
    "UnitsComparison",
    "UnitsSeries",
    "compare",
    "comparison_of",
]


def compare(run_dir: Path) -> Comparison:
    """Compare the files of a run directory. Raises RunDirectoryError when run.json or requests.parquet is missing."""
    record = read_run(run_dir)
    path = run_dir / "requests.parquet"
    if not path.exists():
        raise RunDirectoryError(
            f"{run_dir} has no requests.parquet; run the scenario again, as in meshcap run classroom"
        )
    requests = read_table(path)
    return comparison_of(record, requests, read_forecast(run_dir), read_measured(run_dir, record.target.table_name))


def comparison_of(
    record: RunRecord, requests: pa.Table, forecast: Forecast | None, measured: Measured | None
) -> Comparison:
    """Compare a run's requests with its forecast and measurement, either of which may be missing."""
    return _Comparing(record, requests, forecast, measured).comparison()


class _Comparing:
    def __init__(
        self, record: RunRecord, table: pa.Table, forecast: Forecast | None, measured: Measured | None
    ) -> None:
        self.record, self.table, self.forecast, self.measured = record, table, forecast, measured
        scenario = record.scenario
        workload = workload_of(scenario)
        self.operations = workload.operations
        indexes = [index.name for index in workload.table.indexes]
        kinds = _throttled_kinds(measured, [TABLE, *indexes])
        self.sent: Sent[Any] = workload.sent(table, only_reads_throttled=kinds.only_reads)
        self.charges: Charges = workload.charge(self.sent.requests)
        self.open = open_units(self.sent, self.charges, workload.charge, kinds)
        self.time_s = self.sent.requests.start_s + self.sent.requests.time_s[self.charges.request]
        begin, ahead_s = record.measuring_from, scenario.schedule.measuring_from_s
        self.start_s = begin.timestamp() - ahead_s if begin is not None else record.started_at.timestamp()
        self.calls_sent = self.charges.calls(self.sent.requests.items)

    def comparison(self) -> Comparison:
        throttles = [self._throttles(name, kind) for name in self.charges.resources for kind in KINDS]
        return Comparison(
            run_id=self.record.run_id,
            start_s=self.start_s,
            units=[self._units(name, kind) for name in self.charges.resources for kind in KINDS],
            series=[self._series(name, kind) for name in self.charges.resources for kind in KINDS],
            operations=self._operations(),
            calls=self._calls(),
            throttles=throttles,
            first_throttle_error_s=_first_error(throttles),
            notes=self._notes(),
        )

    def _units(self, name: str, kind: Kind) -> UnitsComparison:
        sent = self.charges.total(name, KINDS.index(kind))
        planned = None
        if self.forecast is not None:
            planned = getattr(self.forecast.resource(name), kind).units
        measured = None if self.measured is None else self.measured.units(name, kind)
        unexplained = self._unexplained(name, kind) if measured is not None else None
        place = self.charges.resources.index(name), KINDS.index(kind)
        below, above = float(self.open.below[place]), float(self.open.above[place])
        return UnitsComparison(
            resource=name,
            kind=kind,
            planned=planned,
            sent=sent,
            measured=measured,
            traffic_units=None if planned is None else sent - planned,
            model_units=None if measured is None else measured - sent - (unexplained or 0.0),
            unexplained_units=unexplained,
            open_below_units=below,
            open_above_units=above,
            traffic_error=_share(sent, planned),
            model_error=_share(measured, sent) if measured is None else _beyond(measured, sent, below, above),
            prediction_error=_share(measured, planned),
        )

    def _unexplained(self, name: str, kind: Kind) -> float | None:
        """Units of the calls that CloudWatch counted beyond those of the requests sent, at the model's mean cost."""
        if self.measured is None:
            return None
        charges, total = self.charges, 0.0
        rows = (charges.resource == charges.resources.index(name)) & (charges.kind == KINDS.index(kind))
        for number, call in enumerate(CALLS):
            sent, counted = self.calls_sent[call], self.measured.calls(call)
            units = float(charges.units[rows & (charges.call == number)].sum())
            if sent == 0 and not counted:
                continue
            if counted is None:
                return None
            total += (counted - sent) * (units / sent if sent else 1.0)
        return total

    def _series(self, name: str, kind: Kind) -> UnitsSeries:
        chosen = (self.charges.resource == self.charges.resources.index(name)) & (
            self.charges.kind == KINDS.index(kind)
        )
        period_s = 10 if self.measured is None else self.measured.period_s
        points = {} if self.measured is None else self.measured.points(name, kind)
        end_s = self.start_s + self.record.scenario.schedule.total_s
        if len(self.time_s):
            end_s = max(end_s, float(self.time_s.max()))
        first = np.floor(min([self.start_s, *self.time_s[:1], *points]) / period_s) * period_s
        last = max([end_s, *points])
        if (last - first) / period_s > MOST_PERIODS:
            raise ValueError(f"it holds moments that lie {(last - first) / 86_400:,.0f} days apart")
        starts = np.arange(first, last + period_s * 1e-9, period_s)
        slot = ((self.time_s[chosen] - first) // period_s).astype(np.int64)
        sent = np.bincount(slot, self.charges.units[chosen], minlength=len(starts))
        return UnitsSeries(
            resource=name,
            kind=kind,
            period_s=period_s,
            start_s=starts.tolist(),
            planned=self._planned(name, kind, starts, period_s),
            sent=np.round(sent, 3).tolist(),
            measured=[points.get(float(start)) for start in starts],
        )

    def _planned(self, name: str, kind: Kind, starts: Floats, period_s: int) -> list[float] | None:
        """The forecast's units, second by second, laid on the periods of the measurement."""
        if self.forecast is None:
            return None
        seconds = self.forecast.units_by_second(name, kind)
        ends = self.start_s + np.arange(len(seconds) + 1)
        cumulative = np.concatenate(([0.0], np.cumsum(seconds)))
        edges = np.interp(np.append(starts, starts[-1] + period_s), ends, cumulative)
        planned: list[float] = np.round(np.diff(edges), 3).tolist()
        return planned

    def _operations(self) -> list[OperationComparison]:
        requests, sent = self.sent.requests, []
        planned = {} if self.forecast is None else {each.name: each.requests for each in self.forecast.operations}
        per_request = self.charges.per_request(len(requests))
        unanswered = np.zeros(len(requests), bool)
        unanswered[self.sent.uncertain] = True
        for number, name in enumerate(self.operations):
            of = requests.operation == number
            if not of.any() and name not in planned:
                continue
            units = per_request[of].sum(axis=0)
            accepted = of & (requests.outcome == Outcome.DONE) & ~unanswered
            sent.append(
                OperationComparison(
                    name=name,
                    planned=None if self.forecast is None else planned.get(name, 0),
                    sent=int(of.sum()),
                    accepted=int(accepted.sum()),
                    refused=int((of & (requests.outcome != Outcome.DONE)).sum()),
                    unanswered=int((of & unanswered).sum()),
                    units_sent={
                        resource: {"read": float(units[r, 0]), "write": float(units[r, 1])}
                        for r, resource in enumerate(self.charges.resources)
                        if units[r].any()
                    },
                )
            )
        return sent

    def _calls(self) -> list[CallsComparison]:
        found = []
        for name, sent in self.calls_sent.items():
            measured = None if self.measured is None else self.measured.calls(name)
            if sent or measured:
                found.append(CallsComparison(name=name, sent=sent, measured=measured))
        return found

    def _throttles(self, name: str, kind: Kind) -> ThrottleComparison:
        planned = None if self.forecast is None else getattr(self.forecast.resource(name), kind)
        events = None if self.measured is None else self.measured.throttles(name, kind)
        first_s, resolution_s = self._first_throttle(name, kind)
        return ThrottleComparison(
            resource=name,
            kind=kind,
            forecast=None if planned is None else planned.throttled,
            measured=events,
            forecast_first_s=None if planned is None else planned.first_throttle_s,
            measured_first_s=None if first_s is None else first_s - self.start_s,
            resolution_s=resolution_s,
        )

    def _first_throttle(self, name: str, kind: Kind) -> tuple[float | None, float | None]:
        """Epoch second of the first throttle: the first refused answer within the metric's first period, if any."""
        period = None if self.measured is None else self.measured.first_throttle_s(name, kind)
        if period is None or self.measured is None:
            return None, None
        length_s = self.measured.period_s
        times = self.sent.requests.start_s + self.sent.requests.time_s[self._throttled]
        inside = times[(times >= period - 1) & (times < period + length_s + 1)]
        if len(inside):
            return float(inside.min()), 1.0
        return period + length_s / 2, length_s / 2

    @cached_property
    def _throttled(self) -> NDArray[np.bool_]:
        """Which of the sent requests were answered with a throttle."""
        columns = (self.table[name].to_pylist() for name in ("error_type", "error_message"))
        throttled = np.array(
            [error is not None and is_throttle(error, text) for error, text in zip(*columns, strict=True)]
        )
        return throttled[self.sent.row]

    def _notes(self) -> list[str]:
        notes = []
        if self.forecast is None:
            notes.append("there is no forecast.json, so nothing is known of the plan")
        if self.measured is None:
            notes.append("there is no metrics.parquet, so nothing is known of the measurement")
        if len(self.sent.uncertain):
            notes.append(f"{len(self.sent.uncertain)} requests without an answer count as done; they may not have been")
        if self.open.stopped:
            notes.append(
                f"{self.open.stopped} throttled requests make several calls; how many of these were done before "
                "the throttle is not known"
            )
        if self.open.unread:
            notes.append(
                f"reads were throttled: {self.open.unread} refused requests may not have read what the model charges "
                "them for"
            )
        return notes


def _throttled_kinds(measured: Measured | None, names: list[str]) -> ThrottledKinds:
    if measured is None:
        return ThrottledKinds()
    reads, writes = (any(measured.throttles(name, kind) for name in names) for kind in KINDS)
    return ThrottledKinds(reads, writes)


def _share(actual: float | None, expected: float | None) -> float | None:
    if actual is None or expected is None:
        return None
    if expected == 0:
        return 0.0 if actual == 0 else None
    return (actual - expected) / expected


def _beyond(measured: float, sent: float, below: float, above: float) -> float | None:
    """How far the measurement lies outside of what may have been sent, as a share of the units sent."""
    nearest = min(max(measured, sent - below), sent + above)
    return 0.0 if measured == nearest else _share(sent + measured - nearest, sent)


def _first_error(throttles: list[ThrottleComparison]) -> float | None:
    forecast = [each.forecast_first_s for each in throttles if each.forecast_first_s is not None]
    measured = [each.measured_first_s for each in throttles if each.measured_first_s is not None]
    return abs(min(forecast) - min(measured)) if forecast and measured else None
