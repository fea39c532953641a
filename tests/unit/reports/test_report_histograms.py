"""Histograms added up together say what the HdrHistogram library says of them."""

import numpy as np
import pytest
from hdrh.histogram import HdrHistogram

from reports.histograms import Counts


def _encoded(values: np.ndarray) -> str:
    histogram = HdrHistogram(1, 3_600_000_000, 3)
    for value in values:
        histogram.record_value(int(value))
    return histogram.encode().decode()


def test_the_sum_of_many_has_the_percentiles_of_the_library() -> None:
    random = np.random.default_rng(7)
    parts = [np.ceil(random.lognormal(6 + n % 4, 1.5, 1 + n * 3)) for n in range(40)]
    library = HdrHistogram(1, 3_600_000_000, 3)
    for part in parts:
        for value in part:
            library.record_value(int(value))
    ours = Counts(_encoded(part) for part in parts)
    assert ours.total == library.get_total_count() == sum(len(part) for part in parts)
    for percentile in (1, 50, 90, 95, 99, 99.9, 100):
        assert ours.percentile_ms(percentile) == library.get_value_at_percentile(percentile) / 1000


@pytest.mark.parametrize("value_us", [1, 1023, 1024, 2047, 2048, 5_000_000, 3_599_999_999])
def test_one_value_comes_back_to_three_digits(value_us: int) -> None:
    assert Counts([_encoded(np.array([value_us]))]).max_ms == pytest.approx(value_us / 1000, rel=1e-3)


def test_nothing_counted_is_unknown() -> None:
    assert Counts([]).percentile_ms(50) is None
    assert Counts([_encoded(np.array([]))]).max_ms is None


def test_another_precision_is_refused() -> None:
    coarse = HdrHistogram(1, 3_600_000_000, 2)
    coarse.record_value(5)
    with pytest.raises(ValueError, match="2 digits from 1; expected 3 digits from 1"):
        Counts([coarse.encode().decode()])
