"""The token bucket against closed forms (docs/physics.md)."""

import pytest

from capacity.physics.bucket import Bucket

EPOCH_S = 1_900_000_000.25


def seconds_until_refused(bucket: Bucket, demand: float, start_s: float) -> int:
    """Feed ``demand`` one-unit requests at the start of each second; the second of the first refusal."""
    for second in range(100_000):
        for _ in range(int(demand)):
            if bucket.level_at(start_s + second) <= 0.0:
                return second
            bucket.charge(start_s + second, 1.0)
    raise AssertionError("never refused")


def test_the_knowledge_centres_150_units_last_900_seconds_at_200_a_second():
    # re:Post, dynamodb-spiky-workloads-short-intervals: 45,000 units saved, 50 a second too many.
    # The requests of second t come before its refill, so the bank is empty within second 899.
    bucket = Bucket(150.0, 300.0, EPOCH_S)
    assert bucket.level_at(EPOCH_S) == 45_000.0
    assert seconds_until_refused(bucket, 200.0, EPOCH_S) in (897, 898, 899, 900)


@pytest.mark.parametrize(
    ("rate", "steps_per_s"),
    [(1.0, 1), (100.0 / 3.0, 1), (0.1, 1), (100.0 / 3.0, 7), (166.67, 1000), (40_000.0, 333)],
)
def test_a_level_does_not_drift_however_often_it_is_touched(rate, steps_per_s):
    bucket = Bucket(rate, 300.0, EPOCH_S, level=0.0)
    steps = 250 * steps_per_s
    for step in range(1, steps + 1):
        bucket.charge(EPOCH_S + step / steps_per_s, 0.0)
    assert bucket.level_at(EPOCH_S + 250.0) == pytest.approx(rate * 250.0, rel=1e-9)


def test_whole_seconds_add_up_without_any_rounding():
    # 100/3 has no exact binary form; 299 steps of a second and one step of 299 seconds still agree to the last bit.
    stepped, leapt = Bucket(100.0 / 3.0, 300.0, EPOCH_S, level=0.0), Bucket(100.0 / 3.0, 300.0, EPOCH_S, level=0.0)
    for second in range(1, 300):
        stepped.charge(EPOCH_S + second, 0.0)
    assert stepped.level == leapt.level_at(EPOCH_S + 299.0)


def test_the_grid_moves_a_rate_by_less_than_1e_11_of_it():
    for rate in (0.5, 1.0, 1.0 / 7.0, 100.0 / 3.0, 999.999, 40_000.0):
        assert Bucket(rate, 300.0, EPOCH_S).rate == pytest.approx(rate, rel=1e-11)


def test_a_debt_of_400_units_at_5_a_second_is_paid_back_in_80_seconds():
    bucket = Bucket(5.0, 300.0, EPOCH_S, level=0.0)
    bucket.charge(EPOCH_S, 400.0)
    assert bucket.wait_s(EPOCH_S) == 80.0
    assert bucket.level_at(EPOCH_S + 79.9) < 0.0
    assert bucket.level_at(EPOCH_S + 80.1) > 0.0


def test_a_clock_that_steps_back_neither_refills_nor_rewinds():
    bucket = Bucket(10.0, 1.0, EPOCH_S)
    bucket.charge(EPOCH_S + 5.0, 8.0)
    bucket.charge(EPOCH_S, 1.0)
    assert bucket.level_at(EPOCH_S) == 1.0
    assert bucket.level_at(EPOCH_S + 5.5) == 6.0


def test_retuning_keeps_savings_that_fit_and_every_debt():
    bucket = Bucket(10.0, 300.0, EPOCH_S)
    bucket.retune(EPOCH_S, 2.0, 300.0)
    assert bucket.level_at(EPOCH_S) == 600.0
    bucket.charge(EPOCH_S, 1000.0)
    bucket.retune(EPOCH_S, 100.0, 300.0)
    assert bucket.level_at(EPOCH_S + 2.0) == -200.0
