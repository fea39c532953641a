"""The search for the highest rate that a target holds: which rate to try next, and what was found.

A rate is a factor on the traffic of a scenario. It is doubled until one is not held, or halved until one is, and then
the gap between the highest that was held and the lowest above it that was not is halved until it is narrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from capacity.judgement.expect import parse_threshold
from capacity.scenario import Scenario
from capacity.scenario.model import MAX_PER_S

SCHEMA_VERSION = 1
RESOLUTION = 0.05
"""The search ends when the next higher rate known not to hold is at most this share above the one that held."""
LOWEST_FACTOR = 1 / 64

_SENT = (("reports_per_s", "data_update_interval_s"), ("event_batches_per_s", "event_batch_interval_s"))


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Limits(_Part):
    """What a rate must hold to count as held. No delivery may be lost besides."""

    max_p99_ms: float = 100.0
    """p99 of the latency from the intended start."""
    min_achieved: float = 0.99
    """Share of the plan that was sent; at most the rest of it may be refused or fail."""

    def thresholds(self) -> list[str]:
        """The limits as a scenario's `expect`."""
        refused = round(1 - self.min_achieved, 9)
        return [
            f"latency.p(99) < {self.max_p99_ms:g}ms",
            f"generator.achieved >= {100 * self.min_achieved:g}%",
            f"errors.rate <= {100 * refused:g}%",
            "deliveries.lost == 0",
        ]


class Probe(_Part):
    """One rate that was tried, in a run of its own. Figures are of its measuring window; None is unknown."""

    factor: float
    run: str
    """Its run directory, within the search's own."""
    held: bool
    outcome: str
    """The verdict's: passed, failed, not valid."""
    gave_way: list[str]
    """What did not hold, as the verdict says it."""
    planned_requests_per_s: float | None
    requests_per_s: float | None
    deliveries_per_s: float | None
    achieved: float | None
    p99_ms: float | None
    lost: float | None
    generator_cpu_percent: float | None
    """Of one core, by the busiest process."""
    forecast_usd: float


class HighestRate(_Part):
    """find-max.json: what the search was asked, what it tried, and what it found."""

    schema_version: int = SCHEMA_VERSION
    scenario_name: str
    scenario_digest: str
    target: str
    limits: Limits
    probe_hold_s: float
    status: Literal["searching", "found", "out of probes", "interrupted", "stopped"]
    """`out of probes`: the gap is not narrow yet; `stopped`: a probe could not be run, `note` says why."""
    note: str | None = None
    probes: list[Probe] = []

    @property
    def highest(self) -> Probe | None:
        """The highest rate that was held; None when none was."""
        return max((probe for probe in self.probes if probe.held), key=lambda probe: probe.factor, default=None)


def next_factor(tried: Sequence[tuple[float, bool]], ceiling: float) -> float | None:
    """The factor to try next, given those tried and whether each was held; None when the search is over.

    Never above `ceiling`. A rate that was not held although a higher one was is taken for bad luck.
    """
    if not tried:
        return min(1.0, ceiling)
    held = max((factor for factor, was_held in tried if was_held), default=0.0)
    failed = min((factor for factor, was_held in tried if not was_held and factor > held), default=None)
    if failed is None:
        return min(2 * held, ceiling) if held < ceiling else None
    if held == 0:
        return failed / 2 if failed / 2 >= LOWEST_FACTOR else None
    return (held + failed) / 2 if failed > (1 + RESOLUTION) * held else None


def highest_factor(scenario: Scenario) -> float:
    """The factor beyond which a node would send more than any scenario may. Raises ValueError when it sends nothing."""
    rates_per_s: list[float] = [getattr(scenario.traffic, rate) for rate, _ in _SENT]
    if not any(rates_per_s):
        raise ValueError("the scenario's traffic has neither reports nor event batches, so there is no rate to raise")
    return min(MAX_PER_S / rate_per_s for rate_per_s in rates_per_s if rate_per_s)


def at_factor(scenario: Scenario, factor: float, hold_s: float, limits: Limits) -> Scenario:
    """The scenario with `factor` times its traffic, held for `hold_s`, judged by the search's limits.

    The client's intervals shrink where they would merge what is sent more often.
    """
    traffic, settings = scenario.traffic, scenario.settings
    rates, intervals = {}, {}
    for rate, interval in _SENT:
        rates[rate] = min(MAX_PER_S, getattr(traffic, rate) * factor)
        if rates[rate] * getattr(settings, interval) > 1:
            intervals[interval] = 1 / rates[rate]
    changes = {
        "traffic": traffic.model_copy(update=rates),
        "settings": settings.model_copy(update=intervals),
        "schedule": scenario.schedule.model_copy(update={"hold_s": hold_s}),
        "expect": tuple(map(parse_threshold, limits.thresholds())),
    }
    return Scenario.model_validate(scenario.model_copy(update=changes).model_dump(mode="json"))
