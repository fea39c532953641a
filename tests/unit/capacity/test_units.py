import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.units import (
    Consistency,
    delete_units,
    index_write_units,
    put_units,
    query_units,
    read_units,
    read_units_of,
    update_units,
    write_units,
    write_units_of,
)

sizes = st.integers(0, 409_600)
entries = st.none() | st.integers(1, 409_600)


@given(sizes, sizes)
def test_a_bigger_item_never_costs_less(one: int, other: int) -> None:
    small, big = sorted((one, other))
    for consistency in Consistency:
        assert read_units(small, consistency) <= read_units(big, consistency)
    assert write_units(small) <= write_units(big)


@given(sizes)
def test_strong_reads_cost_twice_eventual_ones_and_transactions_twice_strong_ones(size: int) -> None:
    strong = read_units(size, Consistency.STRONG)
    assert read_units(size, Consistency.EVENTUAL) * 2 == strong
    assert read_units(size, Consistency.TRANSACTIONAL) == strong * 2
    assert write_units(size, transactional=True) == 2 * write_units(size)


@given(st.lists(st.integers(1, 5_000), min_size=1, max_size=50))
def test_one_query_never_costs_more_than_getting_its_items_one_by_one(item_sizes: list[int]) -> None:
    together = query_units(sum(item_sizes), Consistency.STRONG)
    assert together <= sum(read_units(size, Consistency.STRONG) for size in item_sizes)


@given(sizes, sizes)
def test_a_write_costs_at_least_what_writing_either_version_would(old: int, new: int) -> None:
    assert put_units(old, new) == max(write_units(old), write_units(new)) == update_units(old, new)
    assert put_units(None, new) == write_units(new)


def test_deleting_nothing_still_costs_one_unit() -> None:
    assert delete_units(None) == 1.0
    assert delete_units(None, transactional=True) == 2.0


@given(entries, entries, st.booleans())
def test_an_index_is_charged_for_nothing_but_a_change_of_its_entry(
    old: int | None, new: int | None, key_changed: bool
) -> None:
    changed = key_changed or old != new
    units = index_write_units(old, new, key_changed=key_changed, changed=changed)
    assert (units == 0) == (old is new is None or (old is not None and new is not None and not changed))
    assert units <= (write_units(old) if old else 0) + (write_units(new) if new else 0)


@pytest.mark.parametrize(
    ("old", "new", "key_changed", "changed", "units"),
    [
        pytest.param(None, 2_000, False, True, 2, id="an item enters the index"),
        pytest.param(3_017, None, False, True, 3, id="an item leaves it"),
        pytest.param(1_517, 1_517, True, True, 4, id="a key change deletes one entry and writes another"),
        pytest.param(1_000, 1_025, False, True, 2, id="a projected attribute grows over the block"),
        pytest.param(1_025, 1_000, False, True, 2, id="a projected attribute shrinks under it"),
        pytest.param(1_000, 1_000, False, False, 0, id="nothing the index holds has changed"),
        pytest.param(None, None, False, True, 0, id="the item is in the index neither before nor after"),
    ],
)
def test_the_index_ladder(old: int | None, new: int | None, key_changed: bool, changed: bool, units: float) -> None:
    assert index_write_units(old, new, key_changed=key_changed, changed=changed) == units


@given(st.lists(sizes, min_size=1, max_size=30))
def test_many_items_at_once_cost_what_they_cost_one_by_one(item_sizes: list[int]) -> None:
    for consistency in Consistency:
        expected = [read_units(size, consistency) for size in item_sizes]
        assert read_units_of(np.array(item_sizes), consistency).tolist() == expected
    assert write_units_of(item_sizes).tolist() == [write_units(size) for size in item_sizes]
    assert write_units_of(item_sizes, True).tolist() == [write_units(size, True) for size in item_sizes]
