"""The workload of a scenario. Here alone the rooms of forecast, comparison and measurement meet a certain workload."""

from __future__ import annotations

from typing import Any

from capacity.scenario import Scenario
from capacity.workloads.protocol import Workload


def workload_of(scenario: Scenario) -> Workload[Any]:
    """The workload that a scenario names. Its modules are loaded when it is asked for."""
    if scenario.workload.name == "timeline":
        from capacity.workloads.timeline.workload import TimelineWorkload

        return TimelineWorkload(scenario)
    if scenario.workload.name == "dynamodb":
        from capacity.workloads.direct.workload import DirectWorkload

        return DirectWorkload(scenario)
    from capacity.workloads.mesh.workload import MeshWorkload

    return MeshWorkload(scenario)
