"""What must hold whatever arrives: supply bounds consumption, and more of anything never hurts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capacity.physics.parameters import DEFAULT
from capacity.physics.placement import KEY_SPACE
from capacity.physics.settings import Settings
from capacity.physics.simulator import Options, simulate

FLOW = Options(request_units=None)
LONGEST_S = 240  # below eight hot minutes, so that no partition splits

rates = st.one_of(st.integers(1, 300).map(float), st.floats(0.5, 300.0))
worlds = st.sampled_from(["static", "adaptive"])


@st.composite
def demands(draw, keys=None):
    """Lulls, steady load and bursts far above any setting drawn here, [seconds, keys]."""
    keys = keys or draw(st.integers(1, 4))
    seconds = draw(st.integers(1, LONGEST_S))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    scale = draw(st.sampled_from([5.0, 100.0, 900.0]))
    return np.round(rng.gamma(0.7, scale, (seconds, keys)) * rng.choice([0.0, 1.0], (seconds, keys), p=[0.3, 0.7]))


def longest_excess(consumed, rate):
    """The most that any stretch of seconds consumed beyond what the rate supplied during it."""
    worst, running = 0.0, 0.0
    for units in consumed:
        running = max(running, 0.0) + units - rate
        worst = max(worst, running)
    return worst


@settings(max_examples=30, deadline=None)
@given(demand=demands(), world=worlds, write=rates, unit=st.sampled_from([None, 1.0, 4.0]))
def test_no_stretch_of_time_consumes_more_than_supply_plus_burst_plus_one_request(demand, world, write, unit):
    keys = demand.shape[1]
    result = simulate(demand, Settings(world, 1, write), Options(request_units=unit))
    table = result.consumed.sum(axis=1)
    overdraft = (unit or 0.0) * (keys if world == "static" else 1)
    assert longest_excess(table, write) <= 300.0 * write + overdraft + 1e-6
    assert result.consumed.max() <= DEFAULT.ceiling_write_units + (unit or 0.0)
    if world == "static":
        for column in result.consumed.T:
            assert longest_excess(column, write / keys) <= 300.0 * write / keys + (unit or 0.0) + 1e-6
    assert (result.consumed <= demand).all()
    assert (result.consumed >= 0.0).all()


@settings(max_examples=30, deadline=None)
@given(demand=demands(keys=4), maximum=st.one_of(st.none(), st.integers(1, 6000)))
def test_on_demand_consumes_no_more_than_its_limits(demand, maximum):
    result = simulate(demand, Settings("on_demand", maximum_write_units=maximum), FLOW)
    assert longest_excess(result.consumed.sum(axis=1), min(4000.0, maximum or 4000.0)) <= min(4000.0, maximum or 4000.0)
    assert result.consumed.max() <= 1000.0


@settings(max_examples=30, deadline=None)
@given(demand=demands(), world=worlds, write=rates, more=st.floats(1.0, 5.0))
def test_more_capacity_never_throttles_more_on_the_same_partitions(demand, world, write, more):
    less_throttled = simulate(demand, Settings(world, 1, write * more), FLOW).consumed
    throttled = simulate(demand, Settings(world, 1, write), FLOW).consumed
    # Second by second for the table as a whole, and in the static world for every partition.
    assert (less_throttled.sum(axis=1) >= throttled.sum(axis=1) - 1e-6).all()
    if world == "static":
        assert (less_throttled >= throttled - 1e-6).all()


@settings(max_examples=30, deadline=None)
@given(demand=demands(), world=worlds, write=rates, more=st.floats(1.0, 5.0), unit=st.sampled_from([0.5, 1.0, 3.0]))
def test_with_whole_requests_more_capacity_may_shift_one_request_per_bucket_but_never_lose_more(
    demand, world, write, more, unit
):
    options = Options(request_units=unit)
    richer = simulate(demand, Settings(world, 1, write * more), options).consumed.sum(axis=1).cumsum()
    poorer = simulate(demand, Settings(world, 1, write), options).consumed.sum(axis=1).cumsum()
    assert (richer >= poorer - unit * (demand.shape[1] + 1)).all()


@settings(max_examples=30, deadline=None)
@given(demand=demands(keys=1), world=st.sampled_from(["static", "adaptive", "on_demand"]), write=rates,
       keys=st.integers(2, 8))  # fmt: skip
def test_splitting_demand_over_more_keys_never_throttles_more(demand, world, write, keys):
    start = Settings(world) if world == "on_demand" else Settings(world, 1, write)
    places = [(2 * index + 1) * KEY_SPACE // 16 for index in range(8)]
    one = simulate(demand, start, Options(request_units=None, partitions=8, positions=places[:1]))
    spread = np.repeat(demand / keys, keys, axis=1)
    many = simulate(spread, start, Options(request_units=None, partitions=8, positions=places[:keys]))
    # Up to any moment: what was served earlier may be missing later.
    assert (many.consumed.sum(axis=1).cumsum() >= one.consumed.sum(axis=1).cumsum() - 1e-6).all()


@settings(max_examples=30, deadline=None)
@given(demand=demands(), world=worlds, write=rates, extra=st.integers(0, 400), at=st.integers(0, LONGEST_S - 1))
def test_asking_for_more_never_yields_less_in_total(demand, world, write, extra, at):
    more = demand.copy()
    more[at % len(demand), 0] += extra
    start = Settings(world, 1, write)
    first = simulate(demand, start, FLOW).consumed.sum()
    assert simulate(more, start, FLOW).consumed.sum() >= first - 1e-6 * max(first, 1.0)


@pytest.mark.parametrize("world", ["static", "adaptive"])
@settings(max_examples=30, deadline=None)
@given(rate=st.floats(0.5, 500.0), over=st.floats(1.02, 1.9))
def test_steady_load_above_supply_meets_the_closed_form(world, rate, over):
    """From a full bank of 300 r, demand d: the bank is empty after 300 r / (d - r) seconds; then 1 - r/d is refused."""
    asked = rate * over
    seconds = int(300.0 * rate / (asked - rate)) + 100
    if seconds > 20_000:
        seconds = 20_000
    demand = np.full((seconds, 1), asked)
    result = simulate(demand, Settings(world, 1, rate), Options(request_units=None, partitions=1))
    closed_s = 300.0 * rate / (asked - rate)
    first_s = result.first_throttle_s()
    # The requests of a second come before its refill: the last d / (d - r) seconds of the bank are asked for at once.
    assert first_s == pytest.approx(closed_s - asked / (asked - rate), abs=1.0 + 1e-6)
    assert (result.throttled[int(first_s) + 1 :] / asked).ravel() == pytest.approx(1.0 - rate / asked, abs=1e-9)
    before = np.arange(int(first_s))
    levels = 300.0 * rate - before * (asked - rate) - asked
    buckets = result.table_level if world == "adaptive" else result.partition_level[:, 0]
    limit = np.minimum(levels, 1000.0 - asked) if world == "static" else levels
    assert buckets[: int(first_s)] == pytest.approx(limit, rel=1e-9, abs=1e-9 * 300.0 * rate)


@settings(max_examples=30, deadline=None)
@given(write=st.integers(10, 900), partitions=st.integers(1, 12), share=st.floats(0.05, 1.0), load=st.floats(0.3, 1.0))
def test_a_key_with_too_large_a_share_throttles_in_the_static_world_and_only_then(write, partitions, share, load):
    """Closed form: a key with share s of demand d throttles for good when s d > r / N, once its bank is gone."""
    key_demand, limit = share * load * write, write / partitions
    if abs(key_demand / limit - 1.0) < 0.1:  # the bank would last for more than 3,000 s
        return
    result = simulate(
        np.full((3200, 1), key_demand),
        Settings("static", 1, write),
        Options(request_units=None, partitions=partitions, positions=[0]),
    )
    assert (result.consumed[-1, 0] < key_demand * (1 - 1e-9)) == (key_demand > limit)
