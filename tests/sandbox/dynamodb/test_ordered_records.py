"""The ordered structure behaves as a sorted list does, whatever the order of insertions and removals."""

from __future__ import annotations

from bisect import bisect_left, insort
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sandbox.dynamodb.records as records_module
from sandbox.dynamodb.records import OrderedRecords, Record

keys = st.tuples(st.integers(0, 20), st.text("abc", max_size=3))


@settings(max_examples=200)
@given(
    steps=st.lists(st.tuples(st.booleans(), keys), max_size=200),
    bounds=st.tuples(keys, keys),
    block=st.integers(1, 5),
)
def test_as_a_sorted_list(
    steps: list[tuple[bool, tuple[int, str]]], bounds: tuple[tuple[int, str], tuple[int, str]], block: int
) -> None:
    before = records_module.BLOCK_RECORDS
    records_module.BLOCK_RECORDS = block
    try:
        records, model = OrderedRecords(), []
        for insert, key in steps:
            if insert and key not in model:
                records.insert(Record(key, b"", 0))
                insort(model, key)
            elif not insert and key in model:
                records.remove(key)
                model.remove(key)
            assert len(records) == len(model)
    finally:
        records_module.BLOCK_RECORDS = before
    low, high = sorted(bounds)
    expected = model[bisect_left(model, low) : bisect_left(model, high)]
    assert [record.order for record in records.ascending(low, high)] == expected
    assert [record.order for record in records.descending(low, high)] == expected[::-1]
    assert [record.order for record in records] == model


def test_removing_what_is_not_there_is_an_error() -> None:
    records = OrderedRecords()
    records.insert(Record((1, "a"), b"", 0))
    with pytest.raises(KeyError):
        records.remove((1, "A"))


def test_appending_fills_blocks() -> None:
    """Keys that only grow, such as times, must not leave every block half empty."""
    records = OrderedRecords()
    for number in range(20_000):
        records.insert(Record((number,), b"", 0))
    assert len(records._last) <= 20_000 / (2 * records_module.BLOCK_RECORDS) + 1
    shuffled = list(range(20_000))
    Random(1).shuffle(shuffled)
    for number in shuffled:
        records.remove((number,))
    assert len(records) == len(records._last) == 0
