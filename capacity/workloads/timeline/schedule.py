"""Who does what when in a run of the timeline app: the plan that load generator and forecast share.

Users are counted posters first. Each arrives as the scenario says and acts at a steady pace from then on, with a phase
of its own, until the hold is over.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from capacity.scenario import Scenario, Timer, arrivals_s, phases
from capacity.scenario.workload import TimelineSettings
from capacity.workloads.stream import Floats, Ints
from capacity.workloads.timeline.app import Timeline


def settings_of(scenario: Scenario) -> TimelineSettings:
    """The scenario's settings of this workload. Raises TypeError for a scenario of another one."""
    settings = scenario.workload
    if not isinstance(settings, TimelineSettings):
        raise TypeError(f"the scenario runs workload {settings.name}, expected timeline")
    return settings


def app_of(scenario: Scenario, table_name: str = "timelines") -> Timeline:
    """The app as the scenario builds and uses it."""
    settings, billing = settings_of(scenario), scenario.billing
    index = next(iter(billing.indexes.values()), None)
    return Timeline(
        posts_per_s=settings.posters * settings.posts_per_s,
        readings_per_s=settings.readers * settings.readings_per_s,
        pages_per_reading=settings.pages,
        per_page=settings.per_page,
        body_bytes=settings.body_bytes,
        shards=settings.shards,
        table_name=table_name,
        throughput=None if billing.table is None else billing.table.throughput,
        index_throughput=None if index is None else index.throughput,
    )


@dataclass(frozen=True)
class Paces:
    """When users act first, in seconds from the start of the run, how often, and until when."""

    first_s: Floats
    period_s: float
    until_s: float

    def times_s(self) -> Floats:
        """Every moment at which one of them acts, in rising order."""
        counts = np.ceil((self.until_s - self.first_s) / self.period_s).clip(min=0).astype(np.int64)
        tick = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.sort(np.repeat(self.first_s, counts) + tick * self.period_s)


def posters(scenario: Scenario) -> Paces:
    """The paces of those who post."""
    settings = settings_of(scenario)
    return _paces(scenario, np.arange(settings.posters), "event", settings.posts_per_s)


def readers(scenario: Scenario) -> Paces:
    """The paces of those who read."""
    settings = settings_of(scenario)
    return _paces(scenario, np.arange(settings.posters, settings.users), "poll", settings.readings_per_s)


def _paces(scenario: Scenario, users: Ints, timer: Timer, per_s: float) -> Paces:
    arrival_s = arrivals_s(scenario, settings_of(scenario).users)[users]
    return Paces(arrival_s + phases(scenario.seed, timer, users) / per_s, 1 / per_s, scenario.schedule.sending_s)
