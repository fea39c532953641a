"""The simulator's door: shapes, order of arrival, settings over time, what it refuses."""

import numpy as np
import pytest

from capacity.physics.autoscaling import TargetTracking
from capacity.physics.settings import Settings
from capacity.physics.simulator import Change, Options, arrival_offset, simulate, simulate_stretches

ADAPTIVE = Settings("adaptive", 1, 100)


def test_the_same_seed_gives_the_same_and_another_seed_serves_other_keys_first():
    demand = np.full((400, 5), 50.0)
    first, again = (simulate(demand, ADAPTIVE, Options(seed=1)).consumed for _ in range(2))
    other = simulate(demand, ADAPTIVE, Options(seed=2)).consumed
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()
    np.testing.assert_array_equal(first.sum(axis=1), other.sum(axis=1))


def test_no_key_is_favoured_while_the_table_is_short():
    demand = np.full((20_000, 5), 50.0)
    consumed = simulate(demand, ADAPTIVE, Options(request_units=None)).consumed[1000:]
    # 100 of 250 a second; a key's yield in a second is 0 to 50, so its mean over 19,000 s has an error of about 0.2.
    assert consumed.mean(axis=0) == pytest.approx([20.0] * 5, abs=1.0)


def test_the_turn_depends_on_the_second_alone_and_covers_all_keys():
    turns = [arrival_offset(7, second, 5) for second in range(1000)]
    assert sorted(set(turns)) == [0, 1, 2, 3, 4]
    assert [turns.count(key) for key in range(5)] == pytest.approx([200] * 5, abs=60)


def test_settings_change_at_their_second():
    changes = [Change(10, Settings("adaptive", 1, 200)), Change(20, Settings("off"))]
    demand = np.full((30, 1), 40_000.0)
    result = simulate(demand, ADAPTIVE, Options(request_units=None, partitions=50, changes=changes))
    assert result.consumed[:10, 0].tolist() == [1000.0] * 10, "one key's partition: its ceiling"
    assert result.consumed[20:, 0].tolist() == [40_000.0] * 10
    assert result.capacity_changes == ((0.0, 100.0), (10.0, 200.0), (20.0, 0.0))
    assert np.isinf(result.table_level[20:]).all()


def test_auto_scaling_sees_consumption_not_demand():
    # 300 a second on 100: consumed is all of it while savings last (30,000 / 200 = 150 s), so two minutes of 300 ask
    # for 300 / 0.7 = 429, which holds a minute later.
    result = simulate(np.full((600, 1), 300.0), ADAPTIVE, Options(autoscaling=TargetTracking(10, 1000)))
    assert result.capacity_changes[:2] == ((0.0, 100.0), (180.0, 429.0))
    assert result.first_throttle_s() == pytest.approx(150.0, abs=2.0)
    assert result.consumed[200:].min() == 300.0


def test_stretches_use_their_arrays_again_and_simulate_does_not():
    stretches = simulate_stretches([np.ones((3, 2)), np.ones((3, 2))], 2, ADAPTIVE, levels=True)
    first, second = next(stretches), next(stretches)
    assert first.consumed is second.consumed
    assert (first.start_s, second.start_s) == (0.0, 3.0)
    assert first.table_level is not None


def test_levels_are_those_after_the_seconds_requests():
    result = simulate(np.array([[30.0], [0.0], [10.0]]), ADAPTIVE)
    assert result.table_level.tolist() == [29_970.0, 30_000.0, 29_990.0]
    assert result.partition_level[:, 0].tolist() == [970.0, 1000.0, 990.0]


@pytest.mark.parametrize(
    ("why", "call", "message"),
    [
        (
            "one number per second",
            lambda: simulate(np.ones(3), ADAPTIVE),
            r"shape \(3,\) was given; expected \(seconds",
        ),
        (
            "another number of keys on the way",
            lambda: list(simulate_stretches([np.ones((2, 2)), np.ones((2, 3))], 2, ADAPTIVE)),
            r"shape \(2, 3\) was given; expected \(seconds, 2\)",
        ),
        (
            "positions and sizes that do not fit",
            lambda: simulate(np.ones((2, 2)), ADAPTIVE, Options(positions=[1], request_units=[1.0, 2.0, 3.0])),
            "1 positions were given for 2 keys; expected one each; 3 request_units",
        ),
        (
            "half a second and an empty request",
            lambda: Options(start_s=0.5, request_units=0.0),
            r"start_s 0.5 was given; expected a whole second.*; request_units 0.0 was given; expected more than 0",
        ),
        (
            "auto scaling on demand",
            lambda: simulate(np.ones((2, 2)), Settings("on_demand"), Options(autoscaling=TargetTracking(1, 2))),
            'auto scaling was given in world "on_demand"',
        ),
    ],
)
def test_faults_say_what_was_given_and_what_was_expected(why, call, message):
    with pytest.raises(ValueError, match=message):
        call()
