"""Scenarios that tests build from a few words."""

from __future__ import annotations

from typing import Any

from capacity.scenario import Scenario


def scenario(
    groups: int = 1, members: int = 3, hold: str = "60s", traffic: dict[str, Any] | None = None, **more: Any
) -> Scenario:
    """One school, ramp of nothing, 1 report and half a batch of events per node and second."""
    return Scenario.model_validate(
        {
            "population": {"groups_per_domain": groups, "members_per_group": members},
            "traffic": traffic or {"reports": "1/s", "event_batches": "0.5/s"},
            "schedule": {"ramp": "0s", "hold": hold, "drain": "1s"},
            **more,
        }
    )
