"""When each user of the timeline app acts, as the forecast has it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from capacity.scenario import Scenario
from capacity.scenario.workload import TimelineSettings
from capacity.workloads.timeline.schedule import Paces, posters, readers, settings_of


@dataclass(frozen=True)
class TimelinePlan:
    """The users of a scenario, posters first."""

    timed_operations = ("post", "reading")

    scenario: Scenario

    @property
    def settings(self) -> TimelineSettings:
        """The scenario's settings of the workload."""
        return settings_of(self.scenario)

    @cached_property
    def _paces(self) -> tuple[Paces, Paces]:
        return posters(self.scenario), readers(self.scenario)

    def posts(self, user: int) -> bool:
        """Whether a user posts; the others read."""
        return user < self.settings.posters

    def moments_s(self, user: int) -> Iterator[float]:
        """Seconds from the start of the run at which a user acts, one after the other."""
        paces = self._paces[0 if self.posts(user) else 1]
        at_s = float(paces.first_s[user if self.posts(user) else user - self.settings.posters])
        number = 0
        while (moment_s := at_s + number * paces.period_s) < paces.until_s:
            yield moment_s
            number += 1

    def planned_ticks(self, from_s: float, until_s: float) -> int:
        """Posts and readings meant for a span of time, in seconds from the start."""
        times_s = np.concatenate([paces.times_s() for paces in self._paces])
        return int(((times_s >= from_s) & (times_s < until_s)).sum())
