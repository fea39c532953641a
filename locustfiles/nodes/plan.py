"""Who is who in a run, and when the scenario wants each of them to act: the same on any machine, for any worker count.

Nodes are counted over all groups in order, each group's host first. Every name that the run creates carries its run id.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from capacity.scenario import Scenario, Timer, arrivals_s, phases

Fault = Literal["vanishing_hosts", "silent_members", "filtered", "reconnecting"]
_FAULTS: tuple[Fault, ...] = ("vanishing_hosts", "silent_members", "filtered", "reconnecting")


@dataclass(frozen=True)
class Member:
    """One node's place in the population."""

    index: int
    """Over all groups, hosts included."""
    group_index: int
    domain_index: int
    is_host: bool


@dataclass(frozen=True)
class Plan:
    """The traffic plan of one run.

    `groups` is the number of groups that take part: the scenario's own, or another one when the user asked Locust for
    another number of users; further groups open further domains of the same size.
    """

    scenario: Scenario
    run_id: str
    groups: int

    @property
    def nodes(self) -> int:
        """Hosts and members in all groups."""
        return self.groups * self.scenario.population.nodes_per_group

    def node(self, index: int) -> Member:
        """The place of node `index`."""
        population = self.scenario.population
        group, position = divmod(index, population.nodes_per_group)
        return Member(index, group, group // population.groups_per_domain, position == 0)

    def host_index(self, group_index: int) -> int:
        """The node that opens group `group_index`."""
        return group_index * self.scenario.population.nodes_per_group

    def node_name(self, index: int) -> str:
        """The node id that goes over the wire."""
        return f"{self.run_id}-n{index}"

    def group_name(self, group_index: int) -> str:
        """The name under which a host opens its group; its id is the server's to give."""
        return f"{self.run_id}-g{group_index}"

    def domain_name(self, domain_index: int) -> str:
        """The domain that stands for a school; a real client would use the one that createDomain returns."""
        return f"{self.run_id}-d{domain_index}"

    def arrival_s(self, index: int) -> float:
        """Seconds from the start of the run at which node `index` arrives."""
        return float(self._arrivals_s[index])

    @cached_property
    def _arrivals_s(self) -> NDArray[np.float64]:
        return arrivals_s(self.scenario, self.nodes)

    def has_fault(self, fault: Fault, index: int) -> bool:
        """Whether node `index` is one of those that the scenario's faults hit."""
        share: float = getattr(self.scenario.faults, fault)
        return share > 0 and self._hash(_FAULTS.index(fault), index) < share

    def fault_s(self, index: int) -> float:
        """When within the hold it happens, in seconds from the start."""
        schedule = self.scenario.schedule
        return schedule.ramp_s + schedule.hold_s * self._hash(len(_FAULTS), index)

    def is_websocket(self, group_index: int) -> bool:
        """Whether a group uses WebSocket: as the scenario shares modes out, unless its host is behind a filter."""
        return self.scenario.mode.is_websocket(group_index) and not self.has_fault(
            "filtered", self.host_index(group_index)
        )

    def _hash(self, salt: int, index: int) -> float:
        return float(phases(self.scenario.seed + 7919 * (salt + 1), "fault", np.array([index]))[0])

    def phase(self, timer: Timer, index: int) -> float:
        """The share of its period after which a timer of node `index` ticks first."""
        return float(phases(self.scenario.seed, timer, np.array([index]))[0])

    def planned_ticks(self, from_s: float, until_s: float) -> int:
        """Ticks of all timers of all nodes between two moments, in seconds from the start, if each joins on arrival."""
        scenario = self.scenario
        nodes = np.arange(self.nodes)
        is_host = nodes % scenario.population.nodes_per_group == 0
        is_websocket = np.array([scenario.mode.is_websocket(g) for g in range(self.groups)], dtype=bool)
        is_websocket = np.repeat(is_websocket, scenario.population.nodes_per_group)
        arrivals = self._arrivals_s
        settings, traffic = scenario.settings, scenario.traffic
        total = 0
        total += self._ticks("heartbeat", settings.host_heartbeat_interval_s, is_host, arrivals, from_s, until_s)
        total += self._ticks("heartbeat", settings.member_heartbeat_interval_s, ~is_host, arrivals, from_s, until_s)
        total += self._ticks("sync", settings.periodic_data_sync_interval_s, is_websocket, arrivals, from_s, until_s)
        total += self._ticks("poll", settings.polling_interval_s, ~is_websocket, arrivals, from_s, until_s)
        everybody = np.ones(self.nodes, dtype=bool)
        if traffic.reports_per_s:
            total += self._ticks("report", 1 / traffic.reports_per_s, everybody, arrivals, from_s, until_s)
        if traffic.event_batches_per_s:
            total += self._ticks("event", 1 / traffic.event_batches_per_s, everybody, arrivals, from_s, until_s)
        return total

    def _ticks(
        self,
        timer: Timer,
        period_s: float,
        chosen: NDArray[np.bool_],
        arrivals: NDArray[np.float64],
        from_s: float,
        until_s: float,
    ) -> int:
        first_s = (arrivals + phases(self.scenario.seed, timer, self.nodes) * period_s)[chosen]
        before_end = np.ceil((until_s - first_s) / period_s).clip(min=0)
        before_start = np.ceil((from_s - first_s) / period_s).clip(min=0)
        return int((before_end - before_start).sum())
