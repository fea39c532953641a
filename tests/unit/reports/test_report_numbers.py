"""Numbers read as a person expects, and what is unknown never reads as zero."""

import math

import pytest

from reports.numbers import UNKNOWN, clock, count, duration, milliseconds, number, percent, usd


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (17.449, "17.4"),
        (1234567, "1,234,567"),
        (0.0123456, "0.0123"),
        (-2.5, "−2.5"),
        (999.96, "1,000"),
        (1e-7, "0.0000001"),
        (math.inf, "∞"),
    ],
)
def test_three_digits_carry_the_meaning(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.0042, "0.42 %"),
        (-0.42, "−42 %"),
        (1.0, "100 %"),
        (0.0, "0 %"),
        (0.99996, "99.996 %"),
        (0.9995535, "99.95 %"),
        (0.999, "99.9 %"),
    ],
)
def test_nearly_all_is_never_written_as_all(fraction: float, text: str) -> None:
    assert percent(fraction) == text


def test_a_signed_share_shows_that_it_is_above() -> None:
    assert percent(0.3733, signed=True) == "+37 %"


@pytest.mark.parametrize(
    ("amount", "text"),
    [(0.0, "$0"), (0.000123, "$0.000123"), (0.0261, "$0.0261"), (2.5, "$2.50"), (1234.567, "$1,234.57")],
)
def test_small_costs_keep_their_digits_and_large_ones_their_cents(amount: float, text: str) -> None:
    assert usd(amount) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0.4 s"), (60, "60 s"), (900, "15 min"), (7200, "2 h"), (12000, "3 h 20 min")]
)
def test_spans_use_the_unit_a_person_would(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_times_of_a_run_read_as_a_clock() -> None:
    assert [clock(0), clock(95), clock(3725)] == ["0:00", "1:35", "1:02:05"]


@pytest.mark.parametrize("write", [number, count, percent, usd, milliseconds, duration])
@pytest.mark.parametrize("unknown", [None, math.nan])
def test_unknown_is_never_zero(write: object, unknown: float | None) -> None:
    assert write(unknown) == UNKNOWN  # type: ignore[operator]
