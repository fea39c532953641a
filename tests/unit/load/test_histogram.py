"""Our fast encoder against the HdrHistogram library."""

from __future__ import annotations

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram
from hypothesis import given, settings
from hypothesis import strategies as st

from locustfiles.ledger.histogram import HIGHEST_US, encode

LIBRARY = HdrHistogram(1, HIGHEST_US, 3)


def recorded(values: list[float]) -> HdrHistogram:
    histogram = LIBRARY
    histogram.reset()
    for value in values:
        histogram.record_value(min(round(value), HIGHEST_US))
    return histogram


@settings(max_examples=30)
@given(st.lists(st.floats(0, 5e9), min_size=1, max_size=20))
def test_the_library_reads_the_histogram_that_it_would_have_recorded(values: list[float]) -> None:
    ours, library = HdrHistogram.decode(encode(np.array(values))), recorded(values)
    assert ours.total_count == library.total_count
    for percentile in (0, 50, 100):
        assert ours.get_value_at_percentile(percentile) == library.get_value_at_percentile(percentile)


def test_percentiles_of_a_large_sample_are_right_to_three_digits() -> None:
    values = np.random.default_rng(7).lognormal(8, 1, 20_000)
    histogram = HdrHistogram.decode(encode(values))
    for percentile in (50, 90, 99):
        assert histogram.get_value_at_percentile(percentile) == pytest.approx(
            np.percentile(values, percentile), rel=2e-3
        )
