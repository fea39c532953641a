"""What a scenario should do to its target: requests, units, burst, throttles, first limit, deliveries and cost.

`forecast(scenario)` plans the requests, charges them, runs the throughput physics over the charges and prices the
rest. Times are seconds from the start of the run; series have one figure per `step_s`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from capacity.forecasting.admission import KINDS, Admission, Refusal, admit
from capacity.forecasting.forecast_record import (
    STEP_S,
    CostForecast,
    DeliveryForecast,
    Forecast,
    OperationForecast,
    ResourceForecast,
    ThroughputForecast,
    Units,
)
from capacity.forecasting.limits_in_use import limits_in_use
from capacity.pricing.cost import Use, cost_lines, total_usd
from capacity.pricing.prices import HOURS_PER_MONTH, PriceList, load
from capacity.scenario import Scenario
from capacity.workloads.capacity_uses import on_demand_uses, provisioned_uses, within
from capacity.workloads.charge_rows import TABLE, Charges
from capacity.workloads.protocol import Services
from capacity.workloads.registry import workload_of
from capacity.workloads.stream import Outcome, RequestStream, Stream

__all__ = [
    "STEP_S",
    "CostForecast",
    "DeliveryForecast",
    "Forecast",
    "OperationForecast",
    "ResourceForecast",
    "ThroughputForecast",
    "Units",
    "forecast",
    "read_forecast",
]

SHORT_RUN_S = 600
"""A run of at most this length tells by the second what is left of its banks; a longer one every STEP_S."""


def forecast(scenario: Scenario, start_s: float = 0.0, *, prices: PriceList | None = None) -> Forecast:
    """Forecast a run of `scenario`. `prices` default to the newest list of its region."""
    prices = prices or load(scenario.region)
    workload = workload_of(scenario)
    table, requests = workload.table, workload.planned()
    charges = workload.charge(requests)
    duration_s = int(np.floor(requests.time_s[-1])) + 1
    burst_step_s = 1 if duration_s <= SHORT_RUN_S else STEP_S
    admission = admit(charges, requests.time_s, table, scenario.physics, seconds=duration_s, step_s=burst_step_s)
    services = workload.services(_answered(requests, admission))
    series = _Series(workload.operations, requests, charges, admission, duration_s)
    found = limits_in_use(requests, charges, table, scenario.physics, duration_s) + services.limits(duration_s)
    live = services.realtime
    return Forecast(
        scenario_digest=scenario.digest(),
        layout=workload.layout,
        region=scenario.region,
        world=scenario.physics,
        start_s=start_s,
        duration_s=duration_s,
        burst_step_s=burst_step_s,
        hold_from_s=scenario.schedule.measuring_from_s,
        hold_until_s=scenario.schedule.sending_s,
        requests=len(requests),
        operations=series.operations(),
        resources=[series.resource(name, scenario) for name in charges.resources],
        limits=sorted(found, key=lambda limit: -limit.used),
        deliveries=DeliveryForecast(
            publications=live.publications,
            deliveries=live.deliveries,
            connections=live.connections,
            connection_minutes=live.connection_minutes,
        ),
        cost=_cost(scenario, series, services, prices),
        assumptions=list(workload.assumptions),
    )


def _answered(requests: Stream, admission: Admission) -> Stream:
    """The requests with those marked that were throttled: nobody hears of them."""
    outcome = requests.outcome.copy()
    outcome[[refusal.request for refusal in admission.refusals]] = Outcome.THROTTLED
    return replace(requests, outcome=outcome)  # type: ignore[type-var]  # every stream is a dataclass


def read_forecast(run_dir: Path) -> Forecast | None:
    """forecast.json of a run directory; None when there is none. Raises ValueError for one of another version."""
    path = run_dir / "forecast.json"
    if not path.exists():
        return None
    return Forecast.model_validate_json(path.read_text(encoding="utf-8"))


class _Series:
    """Sums over time of charges and requests."""

    def __init__(
        self,
        names: tuple[str, ...],
        requests: RequestStream,
        charges: Charges,
        admission: Admission,
        duration_s: int,
    ) -> None:
        self.names = names
        self.requests, self.charges, self.admission, self.duration_s = requests, charges, admission, duration_s
        self.steps = -(-duration_s // STEP_S)
        self.units = np.where(admission.admitted, charges.units, 0.0)
        self.time_s = requests.time_s[charges.request]
        self.step = (self.time_s // STEP_S).astype(np.int64)
        self.operation = requests.operation[charges.request]
        shape = (len(names), len(charges.resources), 2, self.steps)
        index = np.ravel_multi_index((self.operation, charges.resource, charges.kind, self.step), shape)
        self.sums = np.bincount(index, self.units, minlength=int(np.prod(shape))).reshape(shape)

    def operations(self) -> list[OperationForecast]:
        second = np.minimum(self.requests.time_s.astype(np.int64), self.duration_s - 1)
        found = []
        for number in np.unique(self.requests.operation):
            per_s = np.bincount(second[self.requests.operation == number], minlength=self.duration_s)
            sums = self.sums[number]
            touched = {name: sums[r] for r, name in enumerate(self.charges.resources) if sums[r].any()}
            found.append(
                OperationForecast(
                    name=self.names[number],
                    requests=int(per_s.sum()),
                    requests_per_s=per_s.tolist(),
                    units={name: Units(read=float(s[0].sum()), write=float(s[1].sum())) for name, s in touched.items()},
                    units_per_step={name: {"read": _round(s[0]), "write": _round(s[1])} for name, s in touched.items()},
                )
            )
        return found

    def resource(self, name: str, scenario: Scenario) -> ResourceForecast:
        return ResourceForecast(
            name=name,
            read=self._throughput(name, 0, scenario),
            write=self._throughput(name, 1, scenario),
            partitions=self.admission.partitions[name],
        )

    def _throughput(self, name: str, kind: int, scenario: Scenario) -> ThroughputForecast:
        number = self.charges.resources.index(name)
        per_step = self.sums[:, number, kind].sum(axis=0)
        chosen = (self.charges.resource == number) & (self.charges.kind == kind)
        per_s = np.bincount(self.time_s[chosen].astype(np.int64), self.units[chosen], minlength=1)
        schedule = scenario.schedule
        in_hold = chosen & (self.time_s > schedule.measuring_from_s) & (self.time_s < schedule.sending_s)
        refusals = [r for r in self.admission.refusals if r.resource == name and r.kind == KINDS[kind]]
        first = refusals[0] if refusals else None
        levels = self.admission.levels.get((name, KINDS[kind]))
        return ThroughputForecast(
            units=float(per_step.sum()),
            units_per_step=_round(per_step),
            peak_units_per_s=float(per_s.max()),
            hold_units_per_s=float(self.units[in_hold].sum()) / schedule.measuring_s,
            provisioned_units_per_s=_provisioned(scenario, name, kind),
            burst_left_units=None if levels is None else _round(levels),
            throttled=len(refusals),
            throttled_per_step=self._throttled(refusals, STEP_S, self.steps),
            throttled_per_s=self._throttled(refusals, 1, self.duration_s) if refusals else [],
            first_throttle_s=None if first is None else first.time_s,
            first_throttle_limit=None if first is None else first.limit,
        )

    @staticmethod
    def _throttled(refusals: list[Refusal], step_s: int, steps: int) -> list[int]:
        at = np.array([int(r.time_s // step_s) for r in refusals], np.int64)
        counts: list[int] = np.bincount(np.minimum(at, steps - 1), minlength=steps).tolist()
        return counts


def _round(figures: NDArray[np.float64]) -> list[float]:
    rounded: list[float] = np.round(figures, 3).tolist()
    return rounded


def _provisioned(scenario: Scenario, name: str, kind: int) -> float | None:
    given = scenario.billing.table if name == TABLE else scenario.billing.indexes.get(name)
    if given is None:
        return None
    return given.read_units if kind == 0 else given.write_units


def _cost(scenario: Scenario, series: _Series, services: Services, prices: PriceList) -> CostForecast:
    schedule = scenario.schedule

    def uses(window_s: tuple[float, float] | None) -> list[Use]:
        found, requests = services.uses(window_s), series.requests
        if not scenario.billing.is_on_demand:
            return found
        inside = within(requests, window_s)
        return found + on_demand_uses(series.names, requests, series.charges, inside, series.admission.admitted)

    run = uses(None) + provisioned_uses(scenario, schedule.total_s / 3600)
    hold = uses((schedule.measuring_from_s, schedule.sending_s))
    factor = HOURS_PER_MONTH * 3600 / schedule.measuring_s
    month = [use.times(factor) for use in hold] + provisioned_uses(scenario, HOURS_PER_MONTH)
    run_lines, month_lines = cost_lines(_paid(run), prices), cost_lines(_paid(month), prices)
    used = {line.price for line in [*run_lines, *month_lines]}
    return CostForecast(
        run_usd=total_usd(run_lines),
        monthly_usd=total_usd(month_lines),
        run=run_lines,
        month=month_lines,
        region=prices.region,
        prices_in_force_from=None if prices.in_force_from is None else prices.in_force_from.isoformat(),
        prices_as_of=prices.read_of(used).isoformat(),
        unverified=sorted(used & set(prices.unverified)),
    )


def _paid(uses: list[Use]) -> list[Use]:
    """Without uses of nothing."""
    return [use for use in uses if use.quantity > 0]
