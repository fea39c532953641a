"""The search for the highest rate, against targets whose limit is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.judgement.expect import parse_threshold
from capacity.scenario import Scenario
from capacity.studies.highest_rate import LOWEST_FACTOR, RESOLUTION, Limits, at_factor, highest_factor, next_factor

NO_CEILING = 1e9


def scenario(**traffic: float) -> Scenario:
    return Scenario.model_validate(
        {
            "population": {"groups_per_domain": 1, "members_per_group": 3},
            "settings": {"data_update_interval": 0.25},
            "traffic": {"reports": 1, "event_batches": 0.5, **traffic},
            "schedule": {"ramp": 2, "hold": 60, "drain": 2},
            "expect": ["latency.p(95) < 300ms"],
        }
    )


def search(limit: float, ceiling: float = NO_CEILING) -> list[tuple[float, bool]]:
    """Every factor tried against a target that holds rates up to `limit`."""
    tried: list[tuple[float, bool]] = []
    while (factor := next_factor(tried, ceiling)) is not None:
        tried.append((factor, factor <= limit))
    return tried


@pytest.mark.parametrize(
    ("tried", "following"),
    [
        pytest.param([], 1.0, id="it begins with the scenario as it is"),
        pytest.param([(1, True)], 2.0, id="what holds is doubled"),
        pytest.param([(1, False)], 0.5, id="what does not hold is halved"),
        pytest.param([(1, True), (2, False)], 1.5, id="then the gap is halved"),
        pytest.param([(1, True), (2, False), (1.5, True)], 1.75, id="from the highest that held"),
        pytest.param([(1, False), (0.5, True), (0.75, False)], 0.625, id="to the lowest that did not"),
        pytest.param([(1, False), (2, True), (4, False)], 3.0, id="one that failed below a higher one is bad luck"),
        pytest.param([(1, True), (1.05, False)], None, id="a gap of five per cent is narrow enough"),
    ],
)
def test_next_factor(tried: list[tuple[float, bool]], following: float | None) -> None:
    assert next_factor(tried, NO_CEILING) == following


@given(limit=st.floats(2 * LOWEST_FACTOR, 1000))
def test_the_limit_lies_between_the_last_two(limit: float) -> None:
    tried = search(limit)
    held = max(factor for factor, was_held in tried if was_held)
    failed = min(factor for factor, was_held in tried if not was_held)
    assert held <= limit < failed <= (1 + RESOLUTION) * held
    assert len(set(tried)) == len(tried)


def test_a_target_that_holds_nothing_ends_the_search() -> None:
    assert [factor for factor, _ in search(0)] == [1, 1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64]


def test_no_rate_above_the_ceiling_is_tried() -> None:
    assert search(limit=1000, ceiling=3) == [(1, True), (2, True), (3, True)]


def test_the_ceiling_is_the_highest_rate_that_a_scenario_may_have() -> None:
    assert highest_factor(scenario(reports=4, event_batches=1)) == 25
    assert highest_factor(scenario(reports=0, event_batches=0.5)) == 200
    with pytest.raises(ValueError, match="neither reports nor event batches"):
        highest_factor(scenario(reports=0, event_batches=0))


def test_a_factor_scales_traffic_alone() -> None:
    limits = Limits(max_p99_ms=50, min_achieved=0.98)
    whole, probed = scenario(), at_factor(scenario(), 8, 20, limits)
    assert (probed.traffic.reports_per_s, probed.traffic.event_batches_per_s) == (8, 4)
    assert (probed.settings.data_update_interval_s, probed.settings.event_batch_interval_s) == (0.125, 0.25)
    assert (probed.schedule.ramp_s, probed.schedule.hold_s) == (2, 20)
    assert probed.population == whole.population
    assert probed.settings.polling_interval_s == whole.settings.polling_interval_s


def test_a_lower_rate_keeps_the_clients_intervals() -> None:
    assert at_factor(scenario(), 0.5, 20, Limits()).settings == scenario().settings


def test_the_highest_factor_makes_a_valid_scenario() -> None:
    third = scenario(reports=1 / 3)
    assert at_factor(third, highest_factor(third), 20, Limits()).traffic.event_batches_per_s == 100


def test_limits_are_thresholds() -> None:
    parsed = [parse_threshold(text) for text in Limits(max_p99_ms=50, min_achieved=0.98).thresholds()]
    assert [(each.figure, each.operator, round(each.limit, 9)) for each in parsed] == [
        ("latency.p", "<", 50),
        ("generator.achieved", ">=", 0.98),
        ("errors.rate", "<=", 0.02),
        ("deliveries.lost", "==", 0),
    ]
