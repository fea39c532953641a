from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.attribute_value import from_av, from_item, is_item, to_av, to_item
from tests.unit.capacity.strategies import values


@given(values)
def test_a_python_value_survives_the_way_to_dynamodb_json_and_back(value: object) -> None:
    assert from_av(to_av(value)) == value


@given(st.dictionaries(st.text(min_size=1, max_size=5), values, max_size=5))
def test_every_item_made_of_python_values_reads_as_dynamodb_json(item: dict[str, object]) -> None:
    assert is_item(to_item(item))
    assert from_item(to_item(item)) == item


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("x", {"S": "x"}),
        (30, {"N": "30"}),
        (0.1, {"N": "0.1"}),
        (Decimal("1.50"), {"N": "1.50"}),
        (True, {"BOOL": True}),
        (None, {"NULL": True}),
        (b"\x00\x01\x02", {"B": "AAEC"}),
        ({"b", "a"}, {"SS": ["a", "b"]}),
        ([1, {"k": "v"}], {"L": [{"N": "1"}, {"M": {"k": {"S": "v"}}}]}),
    ],
)
def test_the_wire_form_is_that_of_the_api_reference(value: object, expected: dict[str, object]) -> None:
    assert to_av(value) == expected


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (set(), "empty set"),
        ({"a", 1}, "only text, only numbers or only bytes"),
        (float("nan"), "not a DynamoDB number"),
        (10**126, "not a DynamoDB number"),
        (int("1" * 39), "at most 38 digits"),
        (object(), "has no DynamoDB type"),
        ({1: "x"}, "attribute names must be text"),
    ],
)
def test_a_value_without_a_type_says_what_is_expected(value: object, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        to_av(value)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"id": {"S": "x"}}, True),
        ({}, True),
        ({"id": "x"}, False),
        ({"id": {"S": 1}}, False),
        ({"id": {"S": "x", "N": "1"}}, False),
        ({"id": {"Z": "x"}}, False),
        ([], False),
    ],
)
def test_dynamodb_json_is_told_from_plain_json_by_its_shape(value: object, expected: bool) -> None:
    assert is_item(value) is expected
