"""forecast.json: what a scenario should do to its target. Times are seconds from the start of the run; series have one
figure per `step_s`.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from capacity.pricing.cost import CostLine
from capacity.workloads.limit_use import LimitUse

SCHEMA_VERSION: Literal[1] = 1
STEP_S = 10
"""Seconds per figure of a series: the sandbox's metric period, and a high-resolution period of CloudWatch."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Units(_Part):
    """Read and write units of one resource."""

    read: float
    write: float


class OperationForecast(_Part):
    """One GraphQL operation: how often it is sent and what its admitted steps consume."""

    name: str
    requests: int
    requests_per_s: list[int]
    """Requests in each second."""
    units: dict[str, Units]
    """Resource ("table" or an index) -> units of all its requests."""
    units_per_step: dict[str, dict[Literal["read", "write"], list[float]]]
    """Resource -> units in each step; resources that it does not touch are left out."""


class ThroughputForecast(_Part):
    """Reads or writes of the table or of one index."""

    units: float
    """Consumed: throttled requests consume nothing."""
    units_per_step: list[float]
    peak_units_per_s: float
    provisioned_units_per_s: float | None
    """None on demand."""
    burst_left_units: list[float] | None
    """Left of the bank of unused capacity every `burst_step_s`; None where the physics keeps none."""
    throttled: int
    """Throttle events."""
    throttled_per_step: list[int]
    throttled_per_s: list[int] = Field(default_factory=list)
    """In each second; empty where there are none, and in a forecast of an earlier release."""
    first_throttle_s: float | None
    first_throttle_limit: str | None
    """Middle of the throttling reason, such as ProvisionedThroughput."""
    hold_units_per_s: float | None = None
    """Mean over the hold."""


class ResourceForecast(_Part):
    """The table or one index."""

    name: str
    read: ThroughputForecast
    write: ThroughputForecast
    partitions: int = Field(ge=1, le=100_000)
    """At the end of the run."""


class DeliveryForecast(_Part):
    """Real-time traffic over WebSocket."""

    publications: int
    deliveries: int
    connections: int
    connection_minutes: float


class CostForecast(_Part):
    """Cost at list prices, free tiers not applied."""

    run_usd: float
    monthly_usd: float
    """A month of 730 hours at the rate of the hold."""
    run: list[CostLine]
    month: list[CostLine]
    currency: Literal["USD"] = "USD"
    region: str
    prices_in_force_from: str | None
    prices_as_of: str
    """The oldest date among the sources of the prices used."""
    unverified: list[str]
    """Prices used that no document was seen for."""


class Forecast(_Part):
    """forecast.json."""

    schema_version: Literal[1] = SCHEMA_VERSION
    scenario_digest: str
    layout: str
    region: str
    world: str
    start_s: float
    """Epoch seconds of the start of the run; 0 when only durations matter."""
    duration_s: int
    hold_from_s: float
    hold_until_s: float
    step_s: int = Field(default=STEP_S, ge=1, le=3_600)
    burst_step_s: int = Field(default=STEP_S, ge=1, le=3_600)
    """Of what is left of the banks, which a short run may spend within seconds."""
    requests: int
    operations: list[OperationForecast]
    resources: list[ResourceForecast]
    limits: list[LimitUse]
    """The most used first."""
    deliveries: DeliveryForecast
    cost: CostForecast
    assumptions: list[str] = Field(default_factory=list)

    @property
    def first_limit(self) -> LimitUse:
        """The limit that the load comes nearest to, or passes first."""
        return self.limits[0]

    def units_by_second(self, name: str, kind: Literal["read", "write"]) -> NDArray[np.float64]:
        """Units of the table or an index in each second: those of a step, shared out as its operations' requests are.

        What no operation accounts for lies evenly in its step. Raises KeyError with the names there are.
        """
        steps = np.array(getattr(self.resource(name), kind).units_per_step)
        found, told = np.zeros(len(steps) * self.step_s), np.zeros(len(steps))
        for operation in self.operations:
            mine = np.array(operation.units_per_step.get(name, {}).get(kind, np.zeros(len(steps))))
            requests = np.zeros(len(found))
            requests[: len(operation.requests_per_s)] = operation.requests_per_s[: len(found)]
            in_step = requests.reshape(len(steps), self.step_s).sum(axis=1)
            per_request = np.divide(mine, in_step, out=np.zeros(len(steps)), where=in_step > 0)
            found += np.repeat(per_request, self.step_s) * requests
            told += np.where(in_step > 0, mine, 0.0)
        spread: NDArray[np.float64] = found + np.repeat((steps - told) / self.step_s, self.step_s)
        return spread

    def resource(self, name: str) -> ResourceForecast:
        """The table ("table") or an index; raises KeyError with the names there are."""
        for resource in self.resources:
            if resource.name == name:
                return resource
        raise KeyError(f"no resource {name!r}; there are {', '.join(r.name for r in self.resources)}")
