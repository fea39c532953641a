"""Split for heat: when, where, and where it cannot help."""

import pytest

from capacity.physics.parameters import Parameters
from capacity.physics.placement import KEY_SPACE, key_hash, sort_key_bytes
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings

T0 = 1_900_000_020.0  # a whole minute
ON_DEMAND = Settings("on_demand")
SMALL = Parameters(ceiling_write_units=100, on_demand_write_units=400)  # a tenth of the real size, ten times faster


def drive(resource, minutes, keys, requests_per_s, start_s=T0):
    """Offer one-unit writes at the start of every second; units admitted in the last minute."""
    admitted = 0
    for second in range(minutes * 60):
        now_s = start_s + second
        if second == (minutes - 1) * 60:
            admitted = 0
        for request in range(requests_per_s):
            hash128, sort_key = keys(second, request)
            if not resource.check(now_s, "write", hash128, sort_key):
                resource.charge(now_s, "write", hash128, 1.0, sort_key)
                admitted += 1
    return admitted


def two_keys(second, request):
    return KEY_SPACE // 16 * (1 + request % 2), None


def test_a_partition_splits_after_eight_hot_minutes_and_one_more_to_take_effect():
    resource = ThroughputResource(ON_DEMAND, T0, SMALL)
    assert drive(resource, 1, two_keys, 110) == 6_000
    for minute in range(1, 9):
        assert len(resource.partitions(T0 + 60 * minute)) == 4
        drive(resource, 1, two_keys, 110, T0 + 60 * minute)
    assert len(resource.partitions(T0 + 9 * 60 - 0.5)) == 4
    views = resource.partitions(T0 + 9 * 60)
    assert len(views) == 5
    assert views[1].lower_hash == KEY_SPACE // 8, "cut between the two keys"
    assert resource.limits(T0 + 9 * 60, "write")[0][1] == 500, "a split adds one partition's worth"
    assert drive(resource, 1, two_keys, 110, T0 + 9 * 60) == 6_600


def test_seven_hot_minutes_and_a_cool_one_split_nothing():
    resource = ThroughputResource(ON_DEMAND, T0, SMALL)
    drive(resource, 7, two_keys, 95)
    drive(resource, 1, two_keys, 80, T0 + 7 * 60)
    drive(resource, 7, two_keys, 95, T0 + 8 * 60)
    assert len(resource.partitions(T0 + 17 * 60)) == 4


def items_of_one_key(second, request):
    return KEY_SPACE // 16, b"%03d" % (request % 100)


def test_one_hot_key_splits_inside_its_items_by_sort_key():
    resource = ThroughputResource(ON_DEMAND, T0, SMALL)
    drive(resource, 9, items_of_one_key, 110)
    views = resource.partitions(T0 + 9 * 60)
    assert len(views) == 5
    assert (views[1].lower_hash, views[1].lower_sort_key) == (KEY_SPACE // 16, b"050")
    assert drive(resource, 1, items_of_one_key, 110, T0 + 9 * 60) == 6_600


@pytest.mark.parametrize(
    ("why", "has_local_index", "keys"),
    [
        ("local secondary index", True, items_of_one_key),
        ("monotonic sort key", False, lambda second, request: (KEY_SPACE // 16, b"%09d" % (second * 2000 + request))),
        ("one item", False, lambda second, request: (KEY_SPACE // 16, b"the item")),
    ],
)
def test_where_splitting_cannot_help_the_partition_says_why(why, has_local_index, keys):
    # The first cut may move the key to a partition of its own; its items stay together after that.
    resource = ThroughputResource(ON_DEMAND, T0, SMALL, has_local_index=has_local_index)
    minutes = 19
    assert drive(resource, minutes, keys, 110) == 6_000
    views = resource.partitions(T0 + minutes * 60)
    assert len(views) == 5
    assert why in [view.kept_whole for view in views]
    assert all(view.lower_sort_key == b"" for view in views)


def test_the_static_world_does_not_split_for_heat():
    resource = ThroughputResource(Settings("static", 1, 200), T0, SMALL)
    drive(resource, 9, two_keys, 110)
    assert len(resource.partitions(T0 + 9 * 60)) == 3


def test_a_hot_key_among_cold_ones_ends_up_apart():
    # Isolation (guide, bp-partition-key-design): one key takes 90 % of a partition's traffic.
    hot = key_hash({"S": "hot"}) % (KEY_SPACE // 4)
    cold = [key_hash({"S": f"cold{index}"}) % (KEY_SPACE // 4) for index in range(50)]

    def keys(second, request):
        return (hot if request % 10 else cold[(second * 11 + request // 10) % 50]), sort_key_bytes({"S": "x"})

    resource = ThroughputResource(ON_DEMAND, T0, SMALL)
    drive(resource, 28, keys, 110)
    bounds = [view.lower_hash for view in resource.partitions(T0 + 28 * 60)]
    assert hot in bounds
    next_bound = min(bound for bound in [*bounds, KEY_SPACE] if bound > hot)
    assert [key for key in cold if hot < key < next_bound] == []
