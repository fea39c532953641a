"""The traffic plan that generator and forecast share: when each node arrives and when its timers tick.

Everything is a function of seed, node and timer, so that the plan is the same on any machine, with any number of
workers. Nodes are counted over all lessons in order, and within one over its groups, each group's host first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from capacity.scenario.load_shape import STEADY, LoadClock
from capacity.scenario.model import Scenario

Timer = Literal["heartbeat", "report", "event", "sync", "poll", "fault"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TIMERS: dict[Timer, int] = {"heartbeat": 1, "report": 2, "event": 3, "sync": 4, "poll": 5, "fault": 6}
_SHAPED: tuple[Timer, ...] = ("report", "event")
"""The timers of what a project sends; the load shape is theirs. The others keep their pace."""
_STEPS = 4


def lesson_of(scenario: Scenario, nodes: Ints) -> Ints:
    """The lesson in which each node takes part, the first of them 0."""
    return np.minimum(nodes // scenario.population.nodes, scenario.schedule.lessons - 1)


def lesson_begin_s(scenario: Scenario, nodes: Ints) -> Floats:
    """Seconds from the start of the run at which each node's lesson begins."""
    begin_s: Floats = lesson_of(scenario, nodes) * np.float64(scenario.schedule.lesson_from_s(1))
    return begin_s


def arrivals_s(scenario: Scenario, nodes: int | None = None) -> Floats:
    """Seconds from the start of the run at which each node arrives; shape (nodes,).

    `nodes` is the number of nodes in all lessons, the scenario's own unless given. Within a lesson times rise with the
    index, so a host never comes after its members.
    """
    lessons = scenario.schedule.lessons
    count = (scenario.nodes if nodes is None else nodes) // lessons
    begin = np.repeat([scenario.schedule.lesson_from_s(lesson) for lesson in range(lessons)], count)
    return begin + np.tile(_arrivals_s(scenario, count), lessons)


def _arrivals_s(scenario: Scenario, count: int) -> Floats:
    """Of the nodes of one lesson, from its beginning."""
    ramp_s, curve = scenario.schedule.ramp_s, scenario.schedule.arrivals
    if not isinstance(curve, str):
        return np.asarray(curve, dtype=np.float64)[np.arange(count) * len(curve) // count]
    share = np.arange(count, dtype=np.float64) / count
    if curve == "bell":
        # The share that has come by t is t - sin(2 pi t) / (2 pi), in ramps: its rate 1 - cos(2 pi t) is a bell.
        moments = np.linspace(0.0, 1.0, 4097)
        share = np.interp(share, moments - np.sin(2 * np.pi * moments) / (2 * np.pi), moments)
    elif curve == "steps":
        share = np.floor(share * _STEPS) / _STEPS
    elif curve == "spike":
        share = np.full(count, 0.5)
    return ramp_s * share


@dataclass(frozen=True)
class Ticks:
    """One timer of several nodes: ticks every `period_s` from a first one until the node's lesson stops sending.

    Times are seconds from the start of the run. The timers of what a project sends follow the load shape.
    """

    scenario: Scenario
    timer: Timer
    period_s: float
    nodes: Ints
    arrival_s: Floats
    """When each of `nodes` has joined its group."""

    def times_s(self) -> tuple[Floats, Ints]:
        """Every tick, and the position in `nodes` of the one whose it is; node by node."""
        first_s, begin_s, clock = self._first_load_s(), self._begin_s(), self._clock()
        count = self.before(float("inf"))
        position = np.repeat(np.arange(len(count)), count)
        nth = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        return clock.time_s(first_s[position] + nth * self.period_s) + begin_s[position], position

    def before(self, until_s: float) -> Ints:
        """How many ticks of each node come before a moment."""
        relative_s = np.minimum(until_s - self._begin_s(), self.scenario.schedule.lesson_sending_s)
        load_s = self._clock().load_s(np.maximum(relative_s, 0.0))
        return np.ceil((load_s - self._first_load_s()) / self.period_s).clip(min=0).astype(np.int64)

    def _first_load_s(self) -> Floats:
        joined_s = self._clock().load_s(self.arrival_s - self._begin_s())
        return joined_s + phases(self.scenario.seed, self.timer, self.nodes) * self.period_s

    def _begin_s(self) -> Floats:
        return lesson_begin_s(self.scenario, self.nodes)

    def _clock(self) -> LoadClock:
        return load_clock_of(self.scenario, self.timer)


def load_clock_of(scenario: Scenario, timer: Timer) -> LoadClock:
    """The clock by which a timer counts its period, against seconds from the start of the lesson."""
    return scenario.schedule.load_clock() if timer in _SHAPED else STEADY


def phases(seed: int, timer: Timer, nodes: Ints | int) -> Floats:
    """The phase of one timer of each node, uniform in [0, 1): its first tick comes `phase * period` after joining.

    `nodes` is the number of nodes, or the indices of those wanted. The hash is splitmix64 (Steele et al., 2014).
    """
    indices = np.arange(nodes) if isinstance(nodes, int) else np.asarray(nodes)
    with np.errstate(over="ignore"):
        z = indices.astype(np.uint64) * np.uint64(8) + np.uint64(_TIMERS[timer])
        z += np.uint64(seed) * np.uint64(0xD1342543DE82EF95)
        z += np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(11)).astype(np.float64) / float(1 << 53)
