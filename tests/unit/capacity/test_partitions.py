import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.on_demand import OnDemand, ramp_s
from capacity.dynamodb.partitions import Change, Partitions, history, key_ceiling, new_partitions, on_demand_partitions
from capacity.dynamodb.table import Throughput
from capacity.physics.parameters import DEFAULT
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings

throughputs = st.builds(Throughput, st.integers(1, 40_000), st.integers(1, 40_000))
sizes_gb = st.floats(0, 500)
changes = st.lists(st.builds(Change, st.none() | throughputs, st.none() | sizes_gb), max_size=6)


@given(throughputs, sizes_gb, changes)
def test_partitions_are_split_and_never_merged(throughput: Throughput, size_gb: float, later: list[Change]) -> None:
    seen = [partitions.count for partitions in history(Partitions.new(throughput, size_gb), later)]
    assert seen == sorted(seen)


@given(throughputs, sizes_gb, changes)
def test_every_partition_can_always_serve_its_share(
    throughput: Throughput, size_gb: float, later: list[Change]
) -> None:
    for partitions in history(Partitions.new(throughput, size_gb), later):
        share = partitions.share
        assert share.read_units / 3_000 + share.write_units / 1_000 <= 1 + 1e-9
        assert partitions.largest_gb <= 10 + 1e-9
        assert sum(partitions.key_space) == pytest.approx(1)


@given(throughputs)
def test_the_formula_is_that_of_the_equivalent_published_form(throughput: Throughput) -> None:
    # (R + 3 W) / 3000, as Neptune's engineering blog writes it
    assert new_partitions(throughput) == max(1, -(-(throughput.read_units + 3 * throughput.write_units) // 3_000))


@given(throughputs)
def test_the_live_resource_starts_with_as_many_partitions(throughput: Throughput) -> None:
    live = ThroughputResource(Settings("static", throughput.read_units, throughput.write_units), 0.0)
    assert len(live.partitions(0.0)) == new_partitions(throughput)


def test_a_table_of_three_partitions_that_outgrows_30_gb_has_six() -> None:
    table = Partitions.new(Throughput(0, 2_500), 29)
    assert [table.count, table.grown(30).count, table.grown(31).count] == [3, 3, 6]
    assert table.grown(31).share == Throughput(0, 2_500 / 6)


def test_a_fuller_partition_splits_alone() -> None:
    uneven = Partitions((0.5, 0.25, 0.25), Throughput(30, 30), 19)
    assert uneven.grown(21).key_space == (0.25, 0.25, 0.25, 0.25)


def test_a_past_peak_dilutes_what_is_set_later() -> None:
    peak = Partitions.new(Throughput(0, 500)).retuned(Throughput(0, 10_000))
    after = peak.retuned(Throughput(0, 500))
    assert (peak.count, after.count, after.dilution) == (16, 16, 16)
    assert after.share.write_units == 31.25


def test_one_key_stops_at_what_one_partition_serves() -> None:
    assert key_ceiling() == Throughput(3_000, 1_000)


def test_a_new_on_demand_table_has_four_partitions() -> None:
    assert on_demand_partitions() == 4


@given(throughputs, throughputs)
def test_a_configured_maximum_and_the_quota_bound_on_demand(peak: Throughput, maximum: Throughput) -> None:
    served = OnDemand(peak, maximum=maximum).limit
    assert served.read_units <= min(maximum.read_units, 40_000)
    assert served.write_units <= min(maximum.write_units, 40_000)


def test_warm_throughput_is_served_at_once() -> None:
    assert OnDemand(warm=Throughput(30_000, 10_000)).limit == Throughput(30_000, 10_000)


@pytest.mark.parametrize(
    ("units", "minutes"), [(4_000, 0), (4_001, 30), (8_000, 30), (16_000, 60), (32_000, 90), (40_000, 120)]
)
def test_each_doubling_of_an_on_demand_peak_takes_half_an_hour(units: float, minutes: float) -> None:
    assert ramp_s(units, 4_000) == minutes * 60


def test_a_ramp_from_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="positive units per second"):
        ramp_s(40_000, 0)


def test_simulator_and_formulas_speak_of_the_same_ceilings() -> None:
    assert (DEFAULT.ceiling_read_units, DEFAULT.ceiling_write_units) == (3_000, 1_000)
