"""Percentiles of latencies: known only where the sample supports them, and equal to a plain computation elsewhere."""

import numpy as np
import pytest

from reports.charts.percentiles import quantile_grid
from reports.charts.timeline import MAX_POINTS, thin
from reports.quantiles import over_time, quantiles


@pytest.mark.parametrize(
    ("size", "known"), [(19, [False, False, False]), (20, [True, False, False]), (200, [True, True, False])]
)
def test_a_percentile_needs_ten_values_beyond_it(size: int, known: list[bool]) -> None:
    assert [value is not None for value in quantiles(np.arange(size, dtype=float), [0.5, 0.95, 0.99])] == known


def test_at_least_the_share_named_lies_at_or_below_a_percentile() -> None:
    values = np.random.default_rng(3).lognormal(size=5000)
    for q, value in zip((0.5, 0.95, 0.99), quantiles(values, [0.5, 0.95, 0.99]), strict=True):
        assert value is not None
        assert (values <= value).mean() >= q
        assert value in values


def test_steps_over_time_agree_with_each_step_taken_alone_and_are_unknown_where_they_hold_too_few() -> None:
    """Ten values have to lie beyond a percentile: p50 needs 20, p95 needs 200; one is enough for the maximum."""
    random = np.random.default_rng(5)
    sizes = [0, 1, 19, 20, 199, 200, 400]
    time_s = np.concatenate([random.uniform(step, step + 1, size) for step, size in enumerate(sizes)])
    values = random.exponential(10, sum(sizes))
    table = over_time(time_s, values, np.arange(len(sizes) + 1.0), [0.5, 0.95, 1.0])
    for step, size in enumerate(sizes):
        mine = values[(time_s >= step) & (time_s < step + 1)]
        for row, (q, needed) in enumerate(((0.5, 20), (0.95, 200), (1.0, 1))):
            expected = np.quantile(mine, q, method="higher") if size >= needed else np.nan
            np.testing.assert_allclose(table[row, step], expected)


def test_a_long_series_is_thinned_without_losing_its_peak_or_its_low() -> None:
    values = np.sin(np.arange(10_000) / 50)
    values[7777], values[1234] = 50.0, -50.0
    time_s, kept = thin(np.arange(10_000.0), values)
    assert len(kept) <= MAX_POINTS
    assert kept.max() == 50.0
    assert kept.min() == -50.0
    assert (np.diff(time_s) > 0).all()


def test_the_percentile_plot_reaches_as_far_as_its_sample_and_no_further() -> None:
    assert quantile_grid(1000)[-1] == pytest.approx(0.999)
    assert (np.diff(quantile_grid(1_000_000)) > 0).all()
