"""The traffic plan that generator and forecast share: when each node arrives and at which phase its timers tick.

A phase is a hash of seed, node and timer, so that the plan is the same on any machine, with any number of workers.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from capacity.scenario.model import Scenario

Timer = Literal["heartbeat", "report", "event", "sync", "poll", "fault"]

_TIMERS: dict[Timer, int] = {"heartbeat": 1, "report": 2, "event": 3, "sync": 4, "poll": 5, "fault": 6}
_STEPS = 4


def arrivals_s(scenario: Scenario, nodes: int | None = None) -> NDArray[np.float64]:
    """Seconds from the start of the run at which each node arrives; shape (nodes,), groups in order, host first.

    `nodes` is the scenario's own number unless given. Times rise with the index, so a host never comes after its
    members.
    """
    count = scenario.population.nodes if nodes is None else nodes
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


def phases(seed: int, timer: Timer, nodes: NDArray[np.int64] | int) -> NDArray[np.float64]:
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
