"""Quantiles of many latencies, reduced to what a page can show. All functions take milliseconds and keep them."""

import numpy as np

from capacity.judgement.figures import required_samples


def quantiles(values_ms: np.ndarray, at: list[float]) -> list[float | None]:
    """Return quantiles by the rule of the thresholds; None where the sample is too small to know one."""
    enough = [q for q in at if len(values_ms) >= required_samples(q * 100)]
    found = dict(zip(enough, np.quantile(values_ms, enough, method="higher") if enough else [], strict=True))
    return [float(found[q]) if q in found else None for q in at]


def over_time(time_s: np.ndarray, values_ms: np.ndarray, edges_s: np.ndarray, at: list[float]) -> np.ndarray:
    """Return quantiles per time bin, shaped (len(at), bins), 1.0 being the maximum; NaN where a bin holds too few."""
    bins = len(edges_s) - 1
    which = np.searchsorted(edges_s, time_s, side="right") - 1
    inside = (which >= 0) & (which < bins)
    which, values = which[inside], values_ms[inside]
    order = np.lexsort((values, which))
    which, values = which[order], values[order]
    begin = np.searchsorted(which, np.arange(bins), side="left")
    size = np.searchsorted(which, np.arange(bins), side="right") - begin
    result = np.full((len(at), bins), np.nan)
    for row, q in enumerate(at):
        enough = size >= required_samples(q * 100)
        rank = begin[enough] + np.ceil(q * (size[enough] - 1)).astype(int)
        result[row, enough] = values[rank]
    return result


def bin_edges(length_s: float, most: int = 60) -> np.ndarray:
    """Return the edges of at most about `most` time bins of a round width that cover `length_s`."""
    widths = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)
    width = next((w for w in widths if length_s / w <= most), widths[-1])
    return np.arange(0, max(length_s, 1) + width, width, dtype=float)
