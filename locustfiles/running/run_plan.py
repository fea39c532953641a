"""What the record must know of a run's plan, whatever its workload."""

from __future__ import annotations

from typing import Protocol

from capacity.scenario import Scenario
from capacity.workloads.direct.draws import settings_of
from locustfiles.nodes.plan import Plan
from locustfiles.nodes.session import Start

_MESH_TIMERS = (
    "renewHeartbeat",
    "sendMemberHeartbeat",
    "reportDataByNode",
    "fireEventsByNode",
    "recordEventsByNode",
    "listGroupStatuses",
    "pollGroupData",
)


class RunPlan(Protocol):
    """The requests whose number the plan knows: those that timers send."""

    @property
    def scenario(self) -> Scenario:
        """What is run."""

    def planned_ticks(self, from_s: float, until_s: float) -> int:
        """Ticks of all timers between two moments, in seconds from the start."""


def players(scenario: Scenario) -> int | None:
    """Locust users of a scenario whose workload has no groups; None for Mesh."""
    return None if scenario.workload.name == "mesh" else scenario.workload.users


def run_plan(scenario: Scenario, start: Start) -> RunPlan:
    """The plan of a run."""
    if scenario.workload.name == "timeline":
        from locustfiles.reading.timeline_plan import TimelinePlan

        return TimelinePlan(scenario)
    if scenario.workload.name == "dynamodb":
        from locustfiles.direct.direct_plan import DirectPlan

        return DirectPlan(scenario)
    return Plan(scenario, start.run_id, start.groups, start.planned)


def timed_operations(scenario: Scenario) -> tuple[str, ...]:
    """Operations that timers send, which `planned_ticks` counts."""
    if scenario.workload.name == "dynamodb":
        return tuple(settings_of(scenario).mix)
    return ("post", "reading") if scenario.workload.name == "timeline" else _MESH_TIMERS
