"""The live resource in each world, under a virtual clock; figures from published pages and closed forms."""

import pytest

from capacity.physics.parameters import Parameters
from capacity.physics.partition import ACCOUNT, KEY_RANGE, MAXIMUM, PROVISIONED
from capacity.physics.placement import KEY_SPACE
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings

T0 = 1_900_000_020.0


def key_in(partition: int, partitions: int) -> int:
    """A hash in the middle of one of ``partitions`` equal ranges."""
    return (2 * partition + 1) * KEY_SPACE // (2 * partitions)


def spend(resource, now_s, kind, hash128, requests, units=1.0, sort_key=None):
    """Send requests at one moment; units admitted and the limits of the first refusal."""
    admitted, refused = 0.0, ()
    for _ in range(requests):
        limits = resource.check(now_s, kind, hash128, sort_key)
        if limits:
            refused = refused or limits
        else:
            resource.charge(now_s, kind, hash128, units, sort_key)
            admitted += units
    return admitted, refused


@pytest.mark.parametrize(
    ("why", "read", "write", "size_gb", "partitions"),
    [
        ("Black Belt deck, slide 40: 8 GB, 5,000 RCU, 500 WCU", 5000, 500, 8, 3),
        ("susana.github.io 2016-07-30", 10_000, 1000, 0, 5),
        ("Stack Overflow 51240422: 15 GB at 500 WCU", 1, 500, 15, 2),
        ("ATC'22: 3,200 WCU", 1, 3200, 0, 4),
        ("the smallest table", 1, 1, 0, 1),
    ],
)
def test_a_new_table_has_as_many_partitions_as_published(why, read, write, size_gb, partitions):
    resource = ThroughputResource(Settings("static", read, write), T0, size_bytes=size_gb * 1e9)
    assert len(resource.partitions(T0)) == partitions, why


def test_raised_settings_double_the_partitions_and_lowered_ones_thin_the_shares():
    # ATC'22 through public reading notes: 4 x 800, then 4 x 900, then 8 x 750; never merged.
    resource = ThroughputResource(Settings("static", 1, 3200), T0)
    for write, count, share in ((3200, 4, 800), (3600, 4, 900), (6000, 8, 750), (800, 8, 100)):
        resource.retune(T0, Settings("static", 1, write))
        views = resource.partitions(T0)
        assert [view.share["write"] for view in views] == pytest.approx([share] * count, rel=1e-11)


def test_static_a_hot_partition_throttles_while_the_table_has_capacity_to_spare():
    # Guide, bp-partition-key-design: 400 WCU over 4 partitions; 150 a second on one of them. Without adaptive
    # capacity its 100 x 300 s of savings last 30,000 / 50 = 600 s, then 100 a second remain.
    resource = ThroughputResource(Settings("static", 1, 400), T0, partitions=4)
    refused = {}
    for second in range(700):
        for partition, demand in enumerate((50, 50, 50, 150)):
            admitted, limits = spend(resource, T0 + second, "write", key_in(partition, 4), demand)
            if limits:
                refused.setdefault(partition, (second, limits))
    assert set(refused) == {3}
    assert refused[3][0] == pytest.approx(600, abs=3)
    assert refused[3][1] == (KEY_RANGE,)
    assert admitted == pytest.approx(100, abs=1)


def test_adaptive_lets_the_hot_partition_borrow_what_others_leave():
    resource = ThroughputResource(Settings("adaptive", 1, 400), T0, partitions=4)
    for second in range(1000):
        for partition, demand in enumerate((50, 50, 50, 150)):
            assert spend(resource, T0 + second, "write", key_in(partition, 4), demand) == (demand, ())


def test_a_partition_never_exceeds_its_ceiling_in_any_world():
    for settings in (Settings("static", 1, 4000), Settings("adaptive", 1, 4000), Settings("on_demand")):
        resource = ThroughputResource(settings, T0)
        for second in range(3):
            admitted, limits = spend(resource, T0 + second, "write", key_in(0, 4), 1200)
            assert admitted == 1000.0
            assert limits == (KEY_RANGE,)
        assert spend(resource, T0, "read", key_in(0, 4), 10)[1] == (), "reads have a bucket of their own"


def test_a_table_over_its_setting_says_so():
    for world in ("static", "adaptive"):
        resource = ThroughputResource(Settings(world, 5, 5), T0)
        resource.charge(T0, "write", 1, 1500.0)
        assert PROVISIONED in resource.check(T0, "write", 1)
        assert resource.check(T0 + 301.0, "write", 1) == ()


def test_a_400_kb_put_passes_a_fresh_5_unit_table_and_blocks_it_once_the_savings_are_gone():
    # paritysuite/dynamodb-conformance PR 43 (2026-06-19): accepted on a fresh table, throttled when the burst is spent.
    resource = ThroughputResource(Settings("adaptive", 5, 5), T0)
    answers = []
    for second in range(6):
        answers.append(resource.check(T0 + second, "write", 7))
        if not answers[-1]:
            resource.charge(T0 + second, "write", 7, 400.0)
    assert [bool(limits) for limits in answers] == [False, False, False, False, True, True]
    # 1,500 saved + 5 a second, 1,600 spent: 100 owed at T0, above zero 20 s later.
    assert resource.check(T0 + 19.9, "write", 7) != ()
    assert resource.check(T0 + 20.1, "write", 7) == ()


def test_on_demand_starts_at_4000_writes_and_12000_reads():
    resource = ThroughputResource(Settings("on_demand"), T0)
    assert len(resource.partitions(T0)) == 4
    for kind, per_partition in (("write", 1000), ("read", 3000)):
        assert sum(spend(resource, T0, kind, key_in(p, 4), 4000)[0] for p in range(4)) == 4 * per_partition


def test_on_demand_serves_twice_the_peak_once_that_is_30_minutes_old():
    resource = ThroughputResource(Settings("on_demand"), T0)
    minute_s = T0  # a whole minute
    for second in range(60):
        for partition in range(4):
            resource.charge(minute_s + second, "write", key_in(partition, 4), 750.0)
    assert resource.limits(minute_s + 60 + 29 * 60, "write")[0][1] == 4000
    assert resource.limits(minute_s + 60 + 30 * 60, "write")[0][1] == 8000, "eight partitions carry it"
    assert len(resource.partitions(minute_s + 60 + 30 * 60)) == 8


def test_on_demand_warm_throughput_opens_partitions_and_one_key_still_meets_its_ceiling():
    # Guide, warm-throughput-scenarios: with 30,000 / 10,000 warm, one hot partition throttles at 3,000 / 1,000.
    settings = Settings("on_demand", warm_read_units=30_000, warm_write_units=10_000)
    resource = ThroughputResource(settings, T0)
    assert len(resource.partitions(T0)) == 10
    assert spend(resource, T0, "write", 5, 1500) == (1000.0, (KEY_RANGE,))
    assert resource.limits(T0, "read")[0][1:] == (30_000.0, 30_000.0)


def test_on_demand_maximum_and_account_quota_name_themselves():
    capped = ThroughputResource(Settings("on_demand", maximum_write_units=10), T0)
    assert spend(capped, T0, "write", 1, 20) == (10.0, (MAXIMUM,))
    tight = ThroughputResource(Settings("on_demand"), T0, Parameters(quota_write_units=20))
    assert spend(tight, T0, "write", 1, 50) == (20.0, (ACCOUNT,))


def test_off_throttles_nothing():
    resource = ThroughputResource(Settings("off"), T0)
    assert spend(resource, T0, "write", 1, 100, units=400.0) == (40_000.0, ())


def test_changing_to_on_demand_keeps_the_partitions():
    resource = ThroughputResource(Settings("adaptive", 1, 8000), T0)
    resource.retune(T0, Settings("on_demand"))
    assert len(resource.partitions(T0)) == 9
    assert resource.limits(T0, "write")[0][1] == 9000.0


def test_a_partition_past_10_gb_splits_a_minute_later_and_takes_its_share_along():
    resource = ThroughputResource(Settings("static", 100, 100), T0)
    resource.store(T0, key_in(0, 2), 10.5e9)
    assert len(resource.partitions(T0 + 59.0)) == 1
    views = resource.partitions(T0 + 60.0)
    assert [view.size_bytes for view in views] == [5.25e9, 5.25e9]
    assert [view.share["write"] for view in views] == [50.0, 50.0]
    assert [view.share_level["write"] for view in views] == [15_000.0, 15_000.0]


def test_settings_name_every_fault():
    with pytest.raises(ValueError, match=r"read_units None .* write_units -1 .* such as 5"):
        Settings("adaptive", None, -1)
    with pytest.raises(ValueError, match="world 'today' was given; expected \"static\""):
        Settings("today")


def test_reasons_read_as_aws_writes_them():
    assert KEY_RANGE.reason("Table", "write") == "TableWriteKeyRangeThroughputExceeded"
    assert MAXIMUM.reason("Index", "read") == "IndexReadMaxOnDemandThroughputExceeded"
