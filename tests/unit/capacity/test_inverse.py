import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.burst import Burst, lasts_s
from capacity.dynamodb.inverse import largest_key_share, largest_population, smallest_setting, smallest_supply
from capacity.dynamodb.partitions import new_partitions
from capacity.dynamodb.table import Throughput

demands = st.lists(st.integers(0, 50_000), min_size=1, max_size=900).filter(any)


def lowest_level(demand: list[int], supply: float) -> float:
    """Units left in a bank of 300 s at its emptiest, when every second is served from it and refills it."""
    level = lowest = 300 * supply
    for units in demand:
        level = min(level, 300 * supply) - units
        lowest = min(lowest, level)
        level += supply
    return lowest


@given(demands)
def test_the_smallest_supply_just_empties_the_bank(demand: list[int]) -> None:
    supply = smallest_supply(demand)
    assert lowest_level(demand, supply) == pytest.approx(0, abs=1e-6 * max(demand) * len(demand))
    assert lowest_level(demand, supply * 0.99) < 0


@given(demands)
def test_a_bank_never_raises_the_supply_needed(demand: list[int]) -> None:
    assert smallest_supply(demand) <= smallest_supply(demand, burst=False) == max(demand)
    assert smallest_supply(demand) >= np.mean(demand) * len(demand) / (299 + len(demand)) - 1e-9


def test_one_second_of_traffic_needs_a_three_hundredth() -> None:
    assert smallest_supply([0, 0, 30_000, 0]) == 100


def test_the_knowledge_centres_example_backwards() -> None:
    # 200 per second last 900 s at 150: 300 x 150 + 899 x 150 units for the first 900 seconds of 200, nearly.
    assert smallest_supply(np.full(900, 200.0)) == pytest.approx(150, abs=0.2)


@given(st.lists(st.integers(0, 3_000), min_size=1, max_size=60).filter(any), st.floats(0, 0.3), st.booleans())
def test_the_smallest_setting_brings_the_partitions_it_needs(demand: list[int], share: float, even: bool) -> None:
    setting = smallest_setting(demand, ceiling=1_000, key_share=share, burst=False, even_split=even)
    partitions = new_partitions(Throughput(0, setting))
    hottest = max(demand) * (share + (1 - share) / partitions)
    assert hottest <= 1_000 + 1e-6
    assert setting >= max(demand)
    if even:
        assert hottest <= setting / partitions + 1e-6


@pytest.mark.parametrize(
    ("share", "setting"),
    [
        pytest.param(0.0, 2_000, id="even traffic needs what it asks for"),
        pytest.param(0.3, 3_800, id="a key with 0.3 needs four partitions, of 0.475 x 2,000 each"),
        pytest.param(0.5, math.inf, id="a key at the ceiling leaves no room for any other key beside it"),
        pytest.param(0.6, math.inf, id="a key above the ceiling is never served"),
    ],
)
def test_settings_for_a_hot_key_of_2000_writes_per_second(share: float, setting: float) -> None:
    assert smallest_setting([2_000], ceiling=1_000, key_share=share, burst=False) == setting


def test_a_refused_series_says_what_is_expected() -> None:
    with pytest.raises(ValueError, match="from 0 up"):
        smallest_supply([])
    with pytest.raises(ValueError, match="from 0 up"):
        smallest_supply([1, -1])


def test_the_first_limit_decides_the_population() -> None:
    bottleneck = largest_population(
        {"table": 3.0, "index": 1.0, "key": 0.5}, {"table": 4_000, "index": 4_000, "key": 600}
    )
    assert (bottleneck.name, bottleneck.population) == ("key", 1_200)


def test_a_bank_bears_a_larger_population_for_a_while() -> None:
    assert largest_population({"table": 1}, {"table": 150}, for_s=900).population == 200
    assert lasts_s(150, 200) == 900


def test_a_population_that_asks_for_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match=r"missing \['index'\]"):
        largest_population({"index": 1.0}, {"table": 10})


@given(st.integers(1, 10_000), st.integers(1, 20_000), st.integers(1, 20), st.booleans())
def test_the_largest_key_share_is_the_last_that_holds(supply: int, demand: int, partitions: int, even: bool) -> None:
    share = largest_key_share(supply, demand, 1_000, partitions=partitions, even_split=even)
    assert 0 <= share <= 1
    if share and even:
        held = Burst(supply, demand * (1 - 1e-9), 1_000, partitions, share)
        assert held.first_throttle_s == math.inf
    if even and 0 < share < 0.99:
        assert Burst(supply, demand, 1_000, partitions, share + 0.01).first_throttle_s < math.inf
