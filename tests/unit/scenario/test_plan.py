"""The traffic plan is the same on any machine and spreads nodes as the schedule says."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from capacity.scenario import Mode, arrivals_s, load_scenarios, phases

SHIPPED = load_scenarios(Path(__file__).parents[3] / "scenarios.yaml")


def test_phases_are_splitmix64() -> None:
    # The reference generator (Vigna, splitmix64.c) seeded with 0 gives 0xE220A8397B1DCDAF, then 0x6E789E6AA1B965F4.
    # Its second state is twice its increment, so the node and timer that make up one increment must give that output.
    increment = 0x9E3779B97F4A7C15
    node, poll = divmod(increment, 8)
    assert poll == 5
    assert phases(0, "poll", np.array([node]))[0] == (0x6E789E6AA1B965F4 >> 11) / 2**53


def test_phases_are_uniform_and_independent_between_timers() -> None:
    report, event = phases(1, "report", 20_000), phases(1, "event", 20_000)
    for values in (report, event):
        counts, _ = np.histogram(values, bins=20, range=(0, 1))
        chi_square = ((counts - 1000.0) ** 2 / 1000.0).sum()
        assert chi_square < 43.8  # 99.9 % quantile with 19 degrees of freedom
    assert abs(np.corrcoef(report, event)[0, 1]) < 0.03


def test_a_worker_that_holds_some_nodes_computes_their_phases_alone() -> None:
    whole = phases(7, "poll", 100)
    assert np.array_equal(phases(7, "poll", np.array([3, 97])), whole[[3, 97]])


def test_nodes_arrive_evenly_over_the_ramp_and_hosts_before_their_members() -> None:
    scenario = SHIPPED["classroom"]
    arrivals = arrivals_s(scenario)
    assert arrivals[0] == 0
    assert np.allclose(np.diff(arrivals), scenario.schedule.ramp_s / 40)
    assert arrivals[-1] < scenario.schedule.ramp_s


def test_shares_of_modes_are_spread_over_the_groups() -> None:
    mode = Mode(websocket=0.3)
    chosen = [mode.is_websocket(group) for group in range(100)]
    assert sum(chosen) == 30
    assert max(sum(chosen[start : start + 10]) for start in range(90)) <= 4
