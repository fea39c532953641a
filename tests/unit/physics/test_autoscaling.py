"""Target tracking against alarms seen in live accounts, and the rules for decreases."""

import pytest

from capacity.physics.autoscaling import Autoscaler, TargetTracking
from capacity.physics.decreases import DecreaseAllowance

DAY0_S = 1_900_022_400.0  # midnight UTC


@pytest.mark.parametrize(
    ("capacity", "target", "high", "low"),
    [(1, 0.7, 42, 30), (1, 0.5, 30, 18), (500, 0.7, 21_000, 15_000), (1263, 0.7, 53_046, 37_890)],
)
def test_alarm_thresholds_are_those_of_live_accounts(capacity, target, high, low):
    policy = TargetTracking(1, 40_000, target)
    assert policy.high_threshold(capacity) == pytest.approx(high, rel=1e-9)
    assert policy.low_threshold(capacity) == pytest.approx(low, rel=1e-9)


def capacities(policy, start, minutes):
    """Capacity in force after each minute of consumption."""
    scaler = Autoscaler(policy, start, DAY0_S)
    seen = []
    for index, units in enumerate(minutes, start=1):
        now_s = DAY0_S + 60.0 * index
        scaler.apply(now_s)
        scaler.end_minute(now_s, units)
        seen.append(scaler.capacity_units)
    return seen


def test_two_minutes_above_the_target_raise_the_capacity_a_minute_later():
    assert capacities(TargetTracking(5, 1000), 100, [6000, 6000, 6000, 6000]) == [100, 100, 143, 143]


def test_one_minute_above_and_spikes_with_gaps_raise_nothing():
    assert capacities(TargetTracking(5, 1000), 100, [6000, 1000, 6000, 1000, 6000]) == [100] * 5


def test_fifteen_minutes_below_lower_it_fourteen_do_not():
    assert capacities(TargetTracking(5, 1000), 100, [2100] * 17)[-3:] == [100, 50, 50]
    assert capacities(TargetTracking(5, 1000), 100, [2100] * 14 + [4000] + [2100] * 14 + [4000]) == [100] * 30


def test_between_the_alarms_nothing_moves():
    assert capacities(TargetTracking(5, 1000), 100, [3600] * 40) == [100] * 40


def test_bounds_hold_and_missing_points_scale_nothing():
    assert capacities(TargetTracking(5, 120), 100, [60_000] * 5)[-1] == 120
    assert capacities(TargetTracking(40, 120), 100, [60] * 20)[-1] == 40
    assert capacities(TargetTracking(5, 120), 100, [None] * 40) == [100] * 40


def test_policies_name_every_fault():
    with pytest.raises(ValueError, match=r"minimum_units 9 and maximum_units 3 .* target 1.5 was given"):
        TargetTracking(9, 3, 1.5)


def test_four_decreases_at_midnight_then_one_an_hour_make_27_a_day():
    allowance = DecreaseAllowance(DAY0_S)
    assert [allowance.take(DAY0_S + 1) for _ in range(5)] == [True] * 4 + [False]
    taken = 4 + sum(allowance.take(DAY0_S + minute * 60.0) for minute in range(1, 24 * 60))
    assert taken == 27
    assert allowance.at_hand(DAY0_S + 86_400) == 4


def test_the_decks_rule_was_four_a_day():
    allowance = DecreaseAllowance(DAY0_S, per_hour=0)
    assert sum(allowance.take(DAY0_S + minute * 60.0) for minute in range(24 * 60)) == 4
    assert allowance.take(DAY0_S + 86_400)


def test_unused_decreases_do_not_pile_up():
    allowance = DecreaseAllowance(DAY0_S)
    assert allowance.at_hand(DAY0_S + 12 * 3600) == 4
