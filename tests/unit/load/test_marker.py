from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locustfiles.ledger.marker import read_stamp, stamp


@given(sequence=st.integers(0, 9_999_999), size_bytes=st.integers(1, 10_000))
def test_a_value_has_the_size_that_the_scenario_gives(sequence: int, size_bytes: int) -> None:
    assert len(stamp(sequence, size_bytes).encode()) == size_bytes


@given(sequence=st.integers(0, 9_999_999), size_bytes=st.integers(2, 100), behind=st.integers(-40, 40))
def test_a_reader_who_knows_about_where_the_sender_is_reads_the_exact_number(
    sequence: int, size_bytes: int, behind: int
) -> None:
    assert read_stamp(stamp(sequence, size_bytes), max(0, sequence - behind)) == sequence


@pytest.mark.parametrize(
    "text", ["", "abc", "-1 degree", "１２３４５６７x"[7:]], ids=["empty", "letters", "signed", "filler"]
)
def test_a_value_that_is_not_ours_carries_no_number(text: str) -> None:
    assert read_stamp(text, 0) is None


@pytest.mark.parametrize(
    ("sequence", "near", "read"),
    [
        pytest.param(12, 9, 12, id="three further on than the last one seen"),
        pytest.param(19, 22, 19, id="an old one that was overtaken"),
        pytest.param(30, 29, 30, id="across the turn of the last digit"),
    ],
)
def test_one_byte_carries_the_last_digit_and_the_reader_completes_it(sequence: int, near: int, read: int) -> None:
    assert read_stamp(stamp(sequence, 1), near) == read
