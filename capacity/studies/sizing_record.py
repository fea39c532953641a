"""What an analysis of CloudWatch data says of a table's throughput."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

Answer = Literal["too small", "too large", "right", "on demand", "unknown"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Minutes(_Part):
    """Series over time, one figure per step; units are sums over the step, levels the lowest within it."""

    step_s: int
    consumed_units: list[float]
    throttle_events: list[float] | None
    provisioned_units_per_s: list[float | None]
    burst_left_units: list[float] | None
    """None on demand and where nothing was provisioned."""


class ThroughputSizing(_Part):
    """Reads or writes of the table or of one GSI."""

    resource: str
    """table, or a GSI's name."""
    kind: Literal["read", "write"]
    answer: Answer
    sentence: str
    consumed_units: float | None
    mean_units_per_s: float | None
    peak_units_per_s: float | None
    """Mean of the busiest period; what happens inside a period doesn't show."""
    throttle_events: float | None
    """None: not asked for."""
    throttled_units: float | None
    """Estimate: throttle events times the mean units of a request. Repeats of one request count each."""
    provisioned_units_per_s: float | None
    """The last setting."""
    mean_utilisation: float | None
    peak_utilisation: float | None
    lowest_burst_share: float | None
    """Least of the burst bank that was left, as a share of what it holds, by the physics of world adaptive."""
    bank_empty_s: float | None
    """Seconds in which the bank was empty."""
    smallest_setting_units: float | None
    """Least whole setting that never throttles this demand, the burst bank used to the end."""
    without_burst_units: float | None
    """Least whole setting that never throttles it without the bank."""
    planned_units: float | None
    """Setting at which the busiest period is 70 % of the capacity."""
    provisioned_usd_per_month: float | None
    planned_usd_per_month: float | None
    on_demand_usd_per_month: float | None
    series: Minutes | None


class Sizing(_Part):
    """Every throughput of one table, and what was wrong with the data."""

    schema_version: Literal[1] = 1
    table: str
    start_s: float | None
    end_s: float | None
    period_s: int | None
    region: str
    prices_as_of: str
    throughputs: list[ThroughputSizing]
    explanations: list[str]
    """Metrics that were asked for wrongly."""
    assumptions: list[str]
