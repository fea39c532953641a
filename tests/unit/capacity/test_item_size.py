import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.attribute_value import to_item
from capacity.dynamodb.item_size import item_size_bytes, number_size_bytes, storage_bytes, value_size_bytes
from tests.unit.capacity.strategies import items, values


@given(items, items)
def test_the_size_of_an_item_is_the_sum_over_its_attributes(one: dict, other: dict) -> None:
    joined = one | other
    assert item_size_bytes(joined) == sum(item_size_bytes({name: joined[name]}) for name in joined)


@given(st.text(min_size=1, max_size=20), st.text(max_size=50))
def test_text_and_names_count_utf8_bytes(name: str, text: str) -> None:
    assert item_size_bytes({name: {"S": text}}) == len(f"{name}{text}".encode())


@given(st.binary(max_size=100))
def test_binary_counts_raw_bytes_not_base64(raw: bytes) -> None:
    assert value_size_bytes({"B": base64.b64encode(raw).decode()}) == len(raw)
    assert value_size_bytes({"B": raw}) == len(raw)


@given(values)
def test_a_list_adds_three_bytes_and_one_for_its_element(value: object) -> None:
    (av,) = to_item({"x": value}).values()
    assert value_size_bytes({"L": [av]}) == 4 + value_size_bytes(av)
    assert value_size_bytes({"M": {"né": av}}) == 4 + 3 + value_size_bytes(av)


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**15), max_value=10**15, places=5))
def test_a_number_takes_at_most_21_bytes_however_it_is_written(number: object) -> None:
    size = number_size_bytes(str(number))
    assert 1 <= size <= 21
    assert number_size_bytes(f"{number}0") == size
    assert number_size_bytes(f"{number:E}") == size


@pytest.mark.parametrize("kind", ["L", "M"])
def test_an_empty_container_takes_three_bytes(kind: str) -> None:
    assert value_size_bytes({kind: [] if kind == "L" else {}}) == 3


def test_billed_storage_adds_100_bytes_and_48_more_in_a_global_table() -> None:
    assert storage_bytes(924) == 1024
    assert storage_bytes(924, global_table=True) == 1072


@pytest.mark.parametrize(
    ("item", "says"),
    [
        ({"id": {"X": "x"}}, "'X' is not an attribute type"),
        ({"id": {"N": "twelve"}}, "'twelve' is not a number"),
        ({"id": {"N": "Infinity"}}, "not a finite number"),
    ],
)
def test_a_malformed_value_says_what_is_expected(item: dict, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        item_size_bytes(item)
