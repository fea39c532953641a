import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.burst import Burst, bank_units, debt_s, lasts_s, refill_s, throttled_share
from capacity.physics import shares

rates = st.integers(1, 5_000)


@given(st.integers(1, 50), rates)
def test_a_burst_lasts_as_long_as_stepping_second_by_second_says(supply: int, excess: int) -> None:
    demand = supply + excess
    seconds = math.ceil(lasts_s(supply, demand)) + 2
    consumed = np.empty((seconds, 1))
    level, rate = np.array([300.0 * supply]), np.array([float(supply)])
    shares.run(np.full((seconds, 1), float(demand)), consumed, level, rate, rate * 300, None)
    throttled_at = int(np.flatnonzero(consumed[:, 0] < demand - 1e-6)[0])
    # A second's requests come at its start here, so the last one can fall short by one second's demand.
    early_s = demand / (demand - supply) + 1
    assert lasts_s(supply, demand) - early_s <= throttled_at <= lasts_s(supply, demand) + 1
    assert consumed[-1, 0] / demand == pytest.approx(1 - throttled_share(supply, demand))


@given(rates, st.floats(0, 2_000))
def test_no_more_than_five_minutes_are_ever_kept(supply: int, idle: float) -> None:
    assert bank_units(supply, idle) <= bank_units(supply) == 300 * supply


@given(rates, rates)
def test_demand_that_fits_never_throttles_and_demand_above_never_refills(supply: int, demand: int) -> None:
    assert (lasts_s(supply, demand) == math.inf) == (demand <= supply)
    assert (refill_s(supply, demand) == math.inf) == (demand >= supply)


def test_one_large_request_passes_and_blocks_the_table_until_it_is_paid_back() -> None:
    assert debt_s(5, 400, held_units=1_500) == 0
    assert debt_s(5, 400, held_units=1) == pytest.approx(79.8)


def test_a_fifth_of_the_traffic_on_one_key_exhausts_one_partition_of_four() -> None:
    # Four partitions of 250; the hot one is asked for 0.2 x 900 + 0.8 x 900 / 4 = 360.
    burst = Burst(supply=1_000, demand=900, ceiling=1_000, partitions=4, key_share=0.2)
    assert burst.first_throttle_s == pytest.approx(250 * 300 / 110)
    assert burst.throttled_share == pytest.approx(110 / 360)
    assert burst.unused_share == pytest.approx(1 - (250 + 540) / 1_000)
    assert any("total fits" in danger for danger in burst.dangers)


def test_nothing_saved_up_lifts_the_ceiling_of_a_partition() -> None:
    burst = Burst(supply=4_000, demand=1_001, ceiling=1_000, key_share=1.0, partitions=4)
    assert burst.first_throttle_s == 0
    assert "can serve 1,000 at most" in burst.dangers[0]


def test_demand_that_fits_everywhere_holds_no_danger() -> None:
    assert Burst(supply=1_000, demand=900, ceiling=1_000, partitions=4).dangers == ()


@given(rates, rates, st.integers(1, 20), st.floats(0, 1))
def test_a_hotter_key_never_throttles_later(supply: int, demand: int, partitions: int, share: float) -> None:
    cool = Burst(supply, demand, 1_000, partitions, key_share=share / 2)
    hot = Burst(supply, demand, 1_000, partitions, key_share=share)
    assert hot.first_throttle_s <= cool.first_throttle_s * (1 + 1e-9)
