"""How many requests the users of a direct load mean to send."""

from __future__ import annotations

from dataclasses import dataclass

from capacity.scenario import Scenario
from capacity.workloads.direct.draws import draws, settings_of


@dataclass(frozen=True)
class DirectPlan:
    """The users of a scenario."""

    scenario: Scenario

    @property
    def timed_operations(self) -> tuple[str, ...]:
        """All that the mix names."""
        return tuple(settings_of(self.scenario).mix)

    def planned_ticks(self, from_s: float, until_s: float) -> int:
        """Requests meant for a span of time, in seconds from the start."""
        users = range(settings_of(self.scenario).users)
        return sum(from_s <= draw.time_s < until_s for user in users for draw in draws(self.scenario, user))
