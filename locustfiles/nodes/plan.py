"""Who is who in a run, and when the scenario wants each of them to act: the same on any machine, for any worker count.

Nodes are counted over all groups in order, each group's host first. Every name that the run creates carries its run id.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from capacity.scenario import (
    STEADY,
    LoadClock,
    Scenario,
    Ticks,
    Timer,
    arrivals_s,
    lesson_begin_s,
    load_clock_of,
    phases,
)

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

    timed_operations = (
        "renewHeartbeat",
        "sendMemberHeartbeat",
        "reportDataByNode",
        "fireEventsByNode",
        "recordEventsByNode",
        "listGroupStatuses",
        "pollGroupData",
    )

    scenario: Scenario
    run_id: str
    groups: int
    planned: bool = True
    """Whether the scenario's schedule is in force; otherwise there are no lessons and no arrivals."""

    @property
    def nodes(self) -> int:
        """Hosts and members in all groups."""
        return self.groups * self.scenario.population.nodes_per_group

    def node(self, index: int) -> Member:
        """The place of node `index`."""
        population = self.scenario.population
        group, position = divmod(index, population.nodes_per_group)
        domain = (group % population.groups if self.planned else group) // population.groups_per_domain
        return Member(index, group, domain, position == 0)

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

    def lesson_begin_s(self, index: int) -> float:
        """Seconds from the start of the run at which the lesson of node `index` begins."""
        return float(lesson_begin_s(self.scenario, np.array([index]))[0]) if self.planned else 0.0

    def sending_until_s(self, index: int) -> float:
        """Seconds from the start of the run until the timers of node `index` stop; infinity without a schedule."""
        return self.lesson_begin_s(index) + self.scenario.schedule.lesson_sending_s if self.planned else float("inf")

    def leaves_s(self, index: int) -> float | None:
        """When node `index` leaves before the run's end, in seconds from its start; None when it stays until then."""
        schedule, begin_s = self.scenario.schedule, self.lesson_begin_s(index)
        is_last = begin_s == schedule.lesson_from_s(schedule.lessons - 1)
        return None if is_last or not self.planned else begin_s + schedule.lesson_s

    def load_clock(self, timer: Timer) -> LoadClock:
        """The clock by which a timer counts its period, against seconds from the start of the node's lesson."""
        return load_clock_of(self.scenario, timer) if self.planned else STEADY

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
        into_the_hold_s = schedule.hold_s * self._hash(len(_FAULTS), index)
        return self.lesson_begin_s(index) + schedule.measuring_from_s + into_the_hold_s

    def is_websocket(self, group_index: int) -> bool:
        """Whether a group uses WebSocket: as the scenario shares modes out, unless its host is behind a filter."""
        return self._may_use_websocket(group_index) and not self.has_fault("filtered", self.host_index(group_index))

    def _may_use_websocket(self, group_index: int) -> bool:
        groups = self.scenario.population.groups
        return self.scenario.mode.is_websocket(group_index % groups if self.planned else group_index)

    def _hash(self, salt: int, index: int) -> float:
        return float(phases(self.scenario.seed + 7919 * (salt + 1), "fault", np.array([index]))[0])

    def phase(self, timer: Timer, index: int) -> float:
        """The share of its period after which a timer of node `index` ticks first."""
        return float(phases(self.scenario.seed, timer, np.array([index]))[0])

    def planned_ticks(self, from_s: float, until_s: float) -> int:
        """Ticks of all timers of all nodes between two moments, in seconds from the start, if each joins on arrival.

        What a member reads once when it has joined goes by the name of a timer's request and is counted with it.
        """
        scenario = self.scenario
        nodes = np.arange(self.nodes)
        is_host = nodes % scenario.population.nodes_per_group == 0
        is_websocket = np.array([self._may_use_websocket(g) for g in range(self.groups)], dtype=bool)
        is_websocket = np.repeat(is_websocket, scenario.population.nodes_per_group)
        arrivals = self._arrivals_s
        settings, traffic = scenario.settings, scenario.traffic
        total = int(np.sum(~is_host & (arrivals >= from_s) & (arrivals < until_s)))
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
        who = np.flatnonzero(chosen)
        ticks = Ticks(self.scenario, timer, period_s, who, arrivals[who])
        return int((ticks.before(until_s) - ticks.before(from_s)).sum())
