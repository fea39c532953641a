"""The vectorised simulator and the live resource are one machine: equal to the last bit, whatever arrives."""

from itertools import pairwise

import numpy as np
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from capacity.physics.parameters import Parameters
from capacity.physics.placement import KEY_SPACE
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings
from capacity.physics.simulator import Change, Options, arrival_offset, simulate, simulate_stretches

T0 = 1_900_000_020 - 7  # seven seconds before a whole minute
SMALL = Parameters(
    ceiling_read_units=40,
    ceiling_write_units=12,
    burst_s=7,
    on_demand_read_units=80,
    on_demand_write_units=24,
    quota_write_units=60,
    heat_minutes=1,
    split_delay_s=20,
    peak_age_s=120,
)


def live(demand, resource, positions, request_units, kind, seed, changes=()):
    """Feed a live resource request by request; consumed, partition levels and table levels per second."""
    seconds, keys = demand.shape
    consumed, level, table = np.zeros(demand.shape), np.zeros(demand.shape), np.zeros(seconds)
    changes = sorted(changes, key=lambda change: change.at_s)
    order = sorted(range(keys), key=lambda index: positions[index])
    for second in range(seconds):
        now_s = float(T0 + second)
        while changes and changes[0].at_s <= now_s:
            resource.retune(now_s, changes.pop(0).settings)
        offset = arrival_offset(seed, T0 + second, keys)
        for key in order[offset:] + order[:offset]:
            place, left = positions[key], demand[second, key]
            while left > 0:
                units = min(left, request_units[key])
                if not resource.check(now_s, kind, *place):
                    resource.charge(now_s, kind, place[0], units, place[1])
                    consumed[second, key] += units
                left -= units
        resource.settle(now_s)
        for key, place in enumerate(positions):
            buckets = resource.partition_of(*place).limits[kind]
            level[second, key] = min((bucket.level_at(now_s) for bucket, _ in buckets), default=np.inf)
        table[second] = min((bucket.level_at(now_s) for bucket, _ in resource.table_limits(kind)), default=np.inf)
    resource.settle(float(T0 + seconds))
    return consumed, level, table


def settings_of(world, read, write):
    return Settings(world) if world in ("on_demand", "off") else Settings(world, read, write)


rates = st.one_of(st.just(60.0), st.integers(1, 60).map(float), st.floats(0.2, 60.0))
worlds = st.sampled_from(["adaptive", "on_demand", "static", "adaptive", "on_demand", "off"])


@st.composite
def cases(draw):
    keys = draw(st.integers(1, 5))
    seconds = draw(st.sampled_from([280, 190, 130, 20, 1]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    # Bursts, lulls and steady stretches, in half units as DynamoDB charges them.
    size = draw(st.sampled_from([90, 30, 3]))
    demand = rng.integers(0, size, (seconds, keys)) * rng.choice([0.0, 0.5, 0.5, 1.0], (seconds, keys))
    if draw(st.booleans()):
        demand[: seconds // 2] = demand[0]
    positions = [
        (
            draw(st.sampled_from([KEY_SPACE * n // 64 for n in range(0, 64, 5)])),
            draw(st.sampled_from([b"", b"a", b"b", b"c"])),
        )
        for _ in range(keys)
    ]
    changes = draw(
        st.lists(st.builds(Change, st.integers(0, seconds).map(lambda s: T0 + s),
                           st.builds(settings_of, worlds, rates, rates)), max_size=2)
    )  # fmt: skip
    units = [draw(st.sampled_from([0.5, 1.0, 1.5, 3.0, 8.0])) for _ in range(keys)]
    return demand, positions, units, changes


# Seeded arrays do not shrink to anything a person could read, so a failure is reported as found.
@settings(max_examples=120, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    case=cases(),
    world=worlds,
    read=rates,
    write=rates,
    kind=st.sampled_from(["read", "write"]),
    partitions=st.sampled_from([None, 1, 3, 4]),
    has_local_index=st.booleans(),
    seed=st.integers(0, 10),
    cuts=st.lists(st.integers(0, 200), max_size=3),
)
def test_equal_to_the_live_resource_to_the_last_bit(
    case, world, read, write, kind, partitions, has_local_index, seed, cuts
):
    demand, positions, units, changes = case
    start = settings_of(world, read, write)
    resource = ThroughputResource(start, float(T0), SMALL, has_local_index=has_local_index, partitions=partitions)
    consumed, level, table = live(demand, resource, positions, units, kind, seed, changes)
    options = {
        "kind": kind, "positions": positions, "partitions": partitions, "request_units": units, "start_s": T0,
        "seed": seed, "parameters": SMALL, "has_local_index": has_local_index, "changes": changes,
    }  # fmt: skip
    result = simulate(demand, start, Options(**options))
    np.testing.assert_array_equal(result.consumed, consumed)
    np.testing.assert_array_equal(result.partition_level, level)
    np.testing.assert_array_equal(result.table_level, table)
    assert result.partitions == resource.count or any(change.at_s >= T0 + len(demand) for change in changes)

    bounds = sorted({0, len(demand), *(cut for cut in cuts if cut < len(demand))})
    pieces = [demand[a:b] for a, b in pairwise(bounds)]
    stretches = simulate_stretches(pieces, demand.shape[1], start, Options(**options))
    np.testing.assert_array_equal(np.concatenate([stretch.consumed.copy() for stretch in stretches]), consumed)


@settings(max_examples=60, deadline=None)
@given(
    seconds=st.integers(1, 400),
    keys=st.integers(1, 4),
    write=rates,
    unit=st.sampled_from([0.5, 1.0, 3.0]),
    seed=st.integers(0, 2**32),
)
@example(seconds=400, keys=3, write=10.0, unit=1.0, seed=0)
def test_one_key_per_partition_takes_the_fast_path_and_still_agrees(seconds, keys, write, unit, seed):
    demand = np.random.default_rng(seed).integers(0, 12, (seconds, keys)).astype(float)
    start = Settings("static", 1, write * keys)
    positions = [(index * KEY_SPACE // keys, b"") for index in range(keys)]
    resource = ThroughputResource(start, float(T0), SMALL, partitions=keys)
    consumed, level, _ = live(demand, resource, positions, [unit] * keys, "write", 0)
    result = simulate(demand, start, Options(request_units=unit, start_s=T0, parameters=SMALL))
    np.testing.assert_array_equal(result.consumed, consumed)
    np.testing.assert_array_equal(result.partition_level, level)
