"""Canonical values: one form for equal values, with the size that the unit rules give."""

from __future__ import annotations

import base64
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.item_size import item_size_bytes
from sandbox.dynamodb.records import stored_text
from sandbox.dynamodb.values import measured_item

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.integers(-(10**37), 10**37).map(str) | st.sampled_from(("0", "-0", "1.50", "+7", "1e2", "0.015", "1E-130"))
binaries = st.binary(max_size=9).map(lambda raw: base64.b64encode(raw).decode())


def typed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.fixed_dictionaries({"L": st.lists(inner, max_size=4)}),
        st.fixed_dictionaries({"M": st.dictionaries(texts, inner, max_size=4)}),
    )


leaves = st.one_of(
    st.fixed_dictionaries({"S": texts}),
    st.fixed_dictionaries({"N": numbers}),
    st.fixed_dictionaries({"B": binaries}),
    st.fixed_dictionaries({"BOOL": st.booleans()}),
    st.just({"NULL": True}),
    st.fixed_dictionaries({"SS": st.lists(texts, min_size=1, max_size=4, unique=True)}),
    st.fixed_dictionaries({"NS": st.lists(st.integers(-99, 99).map(str), min_size=1, max_size=4, unique=True)}),
    st.fixed_dictionaries({"BS": st.lists(binaries, min_size=1, max_size=4, unique=True)}),
)
items = st.dictionaries(texts, st.recursive(leaves, typed, max_leaves=10), max_size=6)


def shuffled(value: Any, random: Random) -> Any:
    """The same value with the names of every map, and the members of every set, in another order."""
    if isinstance(value, dict):
        names = random.sample(sorted(value), len(value))
        return {
            name: random.sample(value[name], len(value[name]))
            if name in ("SS", "NS", "BS") and isinstance(value[name], list)
            else shuffled(value[name], random)
            for name in names
        }
    return [shuffled(each, random) for each in value] if isinstance(value, list) else value


@given(items)
def test_the_size_is_that_of_the_unit_rules(item: dict[str, Any]) -> None:
    canonical, size_bytes = measured_item(item)
    assert size_bytes == item_size_bytes(canonical)


@given(items)
def test_what_is_canonical_stays_as_it_is(item: dict[str, Any]) -> None:
    canonical, size_bytes = measured_item(item)
    again, size_again = measured_item(canonical)
    assert again is canonical
    assert size_again == size_bytes


@given(items, st.integers())
def test_equal_items_have_equal_texts(item: dict[str, Any], seed: int) -> None:
    """A rewrite in another order is no change: no index charge, no stream record."""
    texts_of = [stored_text(measured_item(each)[0]) for each in (item, shuffled(item, Random(seed)))]
    assert texts_of[0] == texts_of[1]
