"""Intervals of percentiles and the attribution of units, on data whose truth is known."""

from __future__ import annotations

import numpy as np
import pytest

from reports.attribution import attribute
from reports.bootstrap import ratio_interval


def _run(random: np.random.Generator, scale: float = 1.0, slow_blocks: bool = False) -> tuple[np.ndarray, np.ndarray]:
    time_s = np.sort(random.uniform(0, 120, 3000))
    latency_ms = 5 * scale * random.lognormal(0, 0.5, len(time_s))
    if slow_blocks:  # whole stretches of 5 s are slower together, as on a machine that does other things
        latency_ms *= np.exp(random.normal(0, 0.4, 24))[(time_s // 5).astype(int)]
    return time_s, latency_ms


@pytest.mark.parametrize("slow_blocks", [False, True])
@pytest.mark.parametrize("quantile", [0.5, 0.95])
def test_two_runs_of_one_system_mostly_have_a_ratio_of_one_in_the_interval(quantile: float, slow_blocks: bool) -> None:
    random = np.random.default_rng(11)
    inside = 0
    for _ in range(60):
        found = ratio_interval(_run(random, slow_blocks=slow_blocks), _run(random, slow_blocks=slow_blocks), quantile)
        inside += found.low <= 1 <= found.high
    assert inside >= 51  # 57 of 60 would be 95 %


def test_a_system_twice_as_slow_is_seen_as_such() -> None:
    random = np.random.default_rng(12)
    found = ratio_interval(_run(random), _run(random, scale=2.0), 0.95)
    assert found.low < 2 < found.high
    assert found.low > 1.6


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(ValueError, match="a sample of latencies is empty"):
        ratio_interval(_run(np.random.default_rng(1)), (np.array([]), np.array([])), 0.5)


STEADY = np.array([30.0, 50, 50, 50, 50, 50, 20])
BURSTY = np.array([2.0, 0, 17, 0, 0, 16, 0])
HALF = np.array([16.0, 24, 26, 25, 24, 26, 9])  # nearly half as often as the steady one, in nearly the same shape
LAST = np.array([0.0, 0, 0, 0, 0, 0, 12])
REQUESTS = {"steady": STEADY, "bursty": BURSTY, "half": HALF, "last": LAST}


@pytest.mark.parametrize(
    ("surplus", "found"),
    [
        (BURSTY, [("bursty", 1.0)]),
        (0.5 * STEADY, [("steady", 0.5)]),
        (-2 * BURSTY, [("bursty", -2.0)]),
        (STEADY + np.array([1, -1, 0, 1, -1, 0, 1.0]), [("steady", 1.0)]),
        (HALF, [("half", 1.0)]),
        (2 * HALF, [("half", 2.0)]),
        (STEADY + LAST, [("steady", 1.0), ("last", 1.0)]),
        (3 * BURSTY + LAST, [("bursty", 3.0), ("last", 1.0)]),
    ],
)
def test_a_surplus_belongs_to_operations_of_its_shape(surplus: np.ndarray, found: list[tuple[str, float]]) -> None:
    assert [(each.operation, each.units_per_request) for each in attribute(surplus, REQUESTS)] == found


@pytest.mark.parametrize(
    "surplus",
    [
        np.zeros(7),
        np.array([1.0, -1, 1, -1, 0, 0, 1]),  # less than noise
        np.array([0.0, 0, 0, 300, 0, 0, 0]),  # one spike that no operation has
    ],
)
def test_what_no_operation_accounts_for_is_not_pinned_on_one(surplus: np.ndarray) -> None:
    assert attribute(surplus, REQUESTS) == []
