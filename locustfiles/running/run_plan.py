"""The plan of a run by workload. Here alone the record of a run meets a certain workload."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from capacity.scenario import Scenario
from locustfiles.direct.direct_plan import DirectPlan
from locustfiles.nodes.plan import Plan
from locustfiles.nodes.session import Start
from locustfiles.reading.timeline_plan import TimelinePlan


class RunPlan(Protocol):
    """The requests whose number the plan knows: those that timers send."""

    @property
    def scenario(self) -> Scenario:
        """What is run."""

    @property
    def timed_operations(self) -> tuple[str, ...]:
        """Operations that timers send, which `planned_ticks` counts."""

    def planned_ticks(self, from_s: float, until_s: float) -> int:
        """Ticks of all timers between two moments, in seconds from the start."""


_PLANS: Mapping[str, Callable[[Scenario, Start], RunPlan]] = {
    "mesh": lambda scenario, start: Plan(scenario, start.run_id, start.groups, start.planned),
    "timeline": lambda scenario, _: TimelinePlan(scenario),
    "dynamodb": lambda scenario, _: DirectPlan(scenario),
}


def run_plan(scenario: Scenario, start: Start) -> RunPlan:
    """The plan of a run."""
    return _PLANS[scenario.workload.name](scenario, start)


def players(scenario: Scenario) -> int | None:
    """Locust users of a scenario whose workload has no groups; None for Mesh."""
    return None if scenario.workload.name == "mesh" else scenario.workload.users
