"""Is a provisioned table sized right? From CloudWatch's points alone, without any run.

Consumption is spread evenly over its period, for CloudWatch keeps nothing finer: what bursts within a minute did to a
bank is better seen in the throttles. Burst banks follow capacity/physics in world adaptive, full at the start.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from capacity.dynamodb.inverse import smallest_supply
from capacity.measurement.measured import Measured, measured_of
from capacity.measurement.metric_explanations import explanations, with_sums
from capacity.physics.options import Change, Options
from capacity.physics.parameters import DEFAULT, KINDS, Kind
from capacity.physics.settings import Settings
from capacity.physics.simulator import simulate_stretches
from capacity.pricing.billing_modes import planned_units
from capacity.pricing.prices import HOURS_PER_MONTH, PriceList
from capacity.run_tables import METRICS, dimension_text
from capacity.studies.sizing_record import Answer, Minutes, Sizing, ThroughputSizing

TABLE = "table"
LONGEST_S = 100 * 86_400
"""The newest so many seconds are looked at."""
GENEROUS = 1.5
"""A setting so many times the planned one is too large."""
_SPARE_UNITS = 1.0
_EMPTY = 1e-6

Floats = npt.NDArray[np.float64]


class SizingError(ValueError):
    """Metrics that hold nothing of the table; the message says what they hold."""


@dataclass(frozen=True)
class _Span:
    """Periods looked at: `count` of them from `start_s` on."""

    start_s: float
    period_s: int
    count: int

    def spread(self, points: dict[float, float]) -> Floats:
        """One figure per period, 0 where there is no point."""
        values = np.zeros(self.count)
        for at_s, value in points.items():
            place = int((at_s - self.start_s) // self.period_s)
            if 0 <= place < self.count:
                values[place] += value
        return values


def tables_in(metrics: pd.DataFrame) -> list[str]:
    """Names of the tables that rows as in metrics.parquet speak of."""
    texts = metrics.loc[metrics["namespace"].astype(str) == "AWS/DynamoDB", "dimensions"].astype(str).unique()
    pairs = (pair.split("=", 1) for text in texts for pair in text.split(",") if pair.startswith("TableName="))
    return sorted({value for _, value in pairs})


def sizing(metrics: pd.DataFrame, table: str | None, prices: PriceList) -> Sizing:
    """Judge every throughput of a table from rows as in metrics.parquet. `table` may be None where there is but one.

    Raises SizingError when the rows hold nothing of the table.
    """
    names = tables_in(metrics)
    if table is None and len(names) != 1:
        raise SizingError(f"which table? The metrics hold {', '.join(names) or 'none'}; say it, as in --table posts")
    table = table or names[0]
    if table not in names:
        raise SizingError(f"the metrics hold nothing of table {table!r}; they hold {', '.join(names) or 'no table'}")
    whole = with_sums(metrics)
    measured = measured_of(pa.Table.from_pandas(whole[METRICS.names], preserve_index=False), table)
    resources = [TABLE, *_indexes(metrics, table)]
    span = _span(whole, measured, resources)
    judged = [_Throughput(measured, resource, kind, span, prices).sizing() for resource in resources for kind in KINDS]
    return Sizing(
        table=table,
        start_s=None if span is None else span.start_s,
        end_s=None if span is None else span.start_s + span.count * span.period_s,
        period_s=None if span is None else span.period_s,
        region=prices.region,
        prices_as_of=prices.as_of.isoformat(),
        throughputs=judged,
        explanations=explanations(metrics),
        assumptions=[
            "consumption is even within its period, a period without a point consumed nothing",
            "the burst bank holds 300 s of the setting, is full at the start, and moves between partitions at once",
            "refused requests would have consumed the mean of the admitted ones, and none is a repeat of another",
        ],
    )


def _indexes(metrics: pd.DataFrame, table: str) -> list[str]:
    found = set()
    for text in metrics["dimensions"].astype(str).unique():
        pairs = dict(pair.split("=", 1) for pair in text.split(",") if "=" in pair)
        if pairs.get("TableName") == table and "GlobalSecondaryIndexName" in pairs:
            found.add(pairs["GlobalSecondaryIndexName"])
    return sorted(found)


def _span(metrics: pd.DataFrame, measured: Measured, resources: list[str]) -> _Span | None:
    """From the first to the last point of consumption, of whatever resource, at the coarsest period among them."""
    series = [points for name in resources for kind in KINDS if (points := measured.points(name, kind))]
    if not series:
        return None
    sums = metrics[metrics["metric"].str.startswith("Consumed") & (metrics["statistic"] == "Sum")]
    period_s = int(sums[sums["value"].notna()].groupby(["metric", "dimensions"])["period_s"].min().max())
    start_s = min(map(min, series)) // period_s * period_s
    end_s = max(map(max, series)) // period_s * period_s + period_s
    count = min(round((end_s - start_s) / period_s), LONGEST_S // period_s)
    return _Span(end_s - count * period_s, period_s, count)


class _Throughput:
    """Reads or writes of one resource."""

    def __init__(self, measured: Measured, resource: str, kind: Kind, span: _Span | None, prices: PriceList) -> None:
        self.measured, self.resource, self.kind, self.span, self.prices = measured, resource, kind, span, prices
        self.word = kind.capitalize()
        self.points = measured.points(resource, kind)
        self.throttles = self._series(f"{self.word}ThrottleEvents", "Sum")
        self.requests = self._series(f"Consumed{self.word}CapacityUnits", "SampleCount")
        self.provisioned = next(
            (
                found
                for statistic in ("Maximum", "Average", "Minimum")
                if (found := self._series(f"Provisioned{self.word}CapacityUnits", statistic))
            ),
            None,
        )

    def _series(self, metric: str, statistic: str) -> dict[float, float] | None:
        pairs = [("TableName", self.measured.table_name)]
        if self.resource != TABLE:
            pairs.append(("GlobalSecondaryIndexName", self.resource))
        return self.measured.series.get((metric, dimension_text(pairs), statistic))

    def sizing(self) -> ThroughputSizing:
        span = self.span
        if span is None or not self.points:
            return self._unknown()
        consumed = span.spread(self.points)
        throttled = None if self.throttles is None else span.spread(self.throttles)
        refused = np.zeros(span.count) if throttled is None else throttled * self._units_per_request(consumed)
        settings = self._settings(span)
        demand_per_s = np.repeat((consumed + refused) / span.period_s, span.period_s)
        levels = None if settings is None else self._levels(span, settings, demand_per_s)
        last = None if settings is None else float(settings[-1])
        mean, peak = float(consumed.sum()) / (span.count * span.period_s), float(consumed.max()) / span.period_s
        planned = planned_units(float(demand_per_s.max()))
        used = None if settings is None else consumed / span.period_s / settings
        events = None if throttled is None else float(throttled.sum())
        shares = None if levels is None or settings is None else levels.lowest / (DEFAULT.burst_s * settings)
        answer, sentence = self._answer(events, last, planned, levels, shares)
        return ThroughputSizing(
            resource=self.resource,
            kind=self.kind,
            answer=answer,
            sentence=sentence,
            consumed_units=float(consumed.sum()),
            mean_units_per_s=mean,
            peak_units_per_s=peak,
            throttle_events=events,
            throttled_units=None if throttled is None else float(refused.sum()),
            provisioned_units_per_s=last,
            mean_utilisation=None if used is None else float(used.mean()),
            peak_utilisation=None if used is None else float(used.max()),
            lowest_burst_share=None if shares is None else float(shares.min()),
            bank_empty_s=None if levels is None else float(levels.empty_s.sum()),
            smallest_setting_units=_whole(smallest_supply(demand_per_s)),
            without_burst_units=_whole(float(demand_per_s.max())),
            planned_units=planned,
            provisioned_usd_per_month=None if settings is None else self._hourly_usd(float(settings.mean())),
            planned_usd_per_month=self._hourly_usd(planned),
            on_demand_usd_per_month=self.prices.cost_usd(
                f"dynamodb.on_demand.{self.kind}_unit", mean * HOURS_PER_MONTH * 3600
            ),
            series=Minutes(
                step_s=span.period_s,
                consumed_units=np.round(consumed, 3).tolist(),
                throttle_events=None if throttled is None else throttled.tolist(),
                provisioned_units_per_s=[None] * span.count if settings is None else settings.tolist(),
                burst_left_units=None if levels is None else np.round(levels.lowest, 3).tolist(),
            ),
        )

    def _unknown(self) -> ThroughputSizing:
        known = {
            "resource": self.resource,
            "kind": self.kind,
            "answer": "unknown",
            "sentence": f"there is no Sum of Consumed{self.word}CapacityUnits, so nothing is known",
        }
        return ThroughputSizing.model_validate(dict.fromkeys(ThroughputSizing.model_fields) | known)

    def _units_per_request(self, consumed: Floats) -> float:
        """Mean units of an admitted request; 1 where requests were not counted."""
        requests = sum((self.requests or {}).values())
        return float(consumed.sum()) / requests if requests else 1.0

    def _settings(self, span: _Span) -> Floats | None:
        """Provisioned units per second in each period: the last known setting, before the first one that one."""
        if not self.provisioned:
            return None
        times = sorted(self.provisioned)
        starts = span.start_s + span.period_s * np.arange(span.count)
        place = np.searchsorted(times, starts, side="right") - 1
        return np.array([max(_EMPTY, self.provisioned[times[max(0, at)]]) for at in place])

    def _levels(self, span: _Span, settings: Floats, demand_per_s: Floats) -> _Levels:
        """Units left in the bank in each period, and seconds in which there were none."""
        changed = np.flatnonzero(np.diff(settings)) + 1
        keys = max(1, math.ceil(float(demand_per_s.max()) / DEFAULT.ceiling(self.kind)) + 1)
        stretches = simulate_stretches(
            (np.outer(part, np.full(keys, 1 / keys)) for part in _parts(demand_per_s, span.period_s)),
            keys,
            self._world(settings[0]),
            Options(
                kind=self.kind,
                request_units=None,
                start_s=span.start_s,
                changes=[Change(span.start_s + at * span.period_s, self._world(settings[at])) for at in changed],
            ),
            levels=True,
        )
        lowest, empty_s = [], []
        for stretch in stretches:
            assert stretch.table_level is not None
            steps = stretch.table_level.reshape(-1, span.period_s)
            lowest.append(steps.min(axis=1))
            empty_s.append((steps <= _EMPTY).sum(axis=1))
        return _Levels(np.concatenate(lowest).clip(min=0.0), np.concatenate(empty_s))

    def _world(self, units: float) -> Settings:
        return (
            Settings("adaptive", units, _SPARE_UNITS)
            if self.kind == "read"
            else Settings("adaptive", _SPARE_UNITS, units)
        )

    def _hourly_usd(self, units: float) -> float:
        return self.prices.cost_usd(f"dynamodb.provisioned.{self.kind}_unit_hour", units * HOURS_PER_MONTH)

    def _answer(
        self, events: float | None, last: float | None, planned: float, levels: _Levels | None, shares: Floats | None
    ) -> tuple[Answer, str]:
        if last is None or levels is None or shares is None:
            refused = f"; {events:,.0f} events were throttled" if events else ""
            return "on demand", f"there is no Provisioned{self.word}CapacityUnits: on demand, or not asked for{refused}"
        plan = f"{planned:,.0f} would put the busiest period at 70 %"
        if events:
            return "too small", f"{events:,.0f} events were throttled at {last:,.0f} units/s; {plan}"
        if float(levels.empty_s.sum()) > 0:
            return "too small", f"the burst bank was empty for {levels.empty_s.sum():,.0f} s; {plan}"
        if last > GENEROUS * planned:
            return "too large", f"{last:,.0f} units/s are {last / planned:,.1f} times what is planned for; {plan}"
        unasked = "" if events is not None else "; throttles were not asked for"
        return (
            "right",
            f"{last:,.0f} units/s held, with {shares.min():.0%} of the burst bank left at the least{unasked}",
        )


@dataclass(frozen=True)
class _Levels:
    lowest: Floats
    empty_s: npt.NDArray[np.int64]


def _parts(demand_per_s: Floats, period_s: int) -> Iterator[Floats]:
    length = max(1, 3600 // period_s) * period_s
    for start in range(0, len(demand_per_s), length):
        yield demand_per_s[start : start + length]


def _whole(units: float) -> float:
    return float(max(1, math.ceil(units - 1e-9)))
