"""How sure is a percentile? Block bootstrap of latencies.

Latencies that lie close in time are alike: one slow second makes sixty slow requests. Drawing requests one by one would
forget that and call noise certain, so whole blocks of time are drawn (Künsch 1989, moving blocks cut at fixed edges).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RESAMPLES = 2000
BLOCK_S = 5.0
_STEP = np.log(1.01)
"""Latencies are counted in bins of 1 %, far below what differs between two runs."""


@dataclass(frozen=True)
class Interval:
    """A ratio of two percentiles (after / before) and where it lies with 95 % confidence."""

    ratio: float
    low: float
    high: float


def ratio_interval(
    before: tuple[np.ndarray, np.ndarray], after: tuple[np.ndarray, np.ndarray], quantile: float, seed: int = 1
) -> Interval:
    """Compare a quantile of two samples, each given as (time in seconds, latency in milliseconds).

    Raises ValueError when one of them is empty.
    """
    random = np.random.default_rng(seed)
    samples = [_resampled(*sample, quantile, random) for sample in (before, after)]
    points = [float(np.quantile(latency_ms, quantile, method="higher")) for _, latency_ms in (before, after)]
    ratios = samples[1] / samples[0]
    low, high = np.quantile(ratios, [0.025, 0.975])
    return Interval(points[1] / points[0], float(low), float(high))


def _resampled(time_s: np.ndarray, latency_ms: np.ndarray, quantile: float, random: np.random.Generator) -> np.ndarray:
    """Return the quantile of RESAMPLES draws of as many blocks as there are."""
    if not len(latency_ms):
        raise ValueError("a sample of latencies is empty")
    block = ((time_s - time_s.min()) // BLOCK_S).astype(np.int64)
    bins = np.log(np.maximum(latency_ms, 1e-3) / 1e-3) // _STEP
    first = bins.min()
    bins = (bins - first).astype(np.int64)
    _, block = np.unique(block, return_inverse=True)
    blocks, width = int(block.max()) + 1, int(bins.max()) + 1
    histogram = np.bincount(block * width + bins, minlength=blocks * width).reshape(blocks, width)
    draws = random.multinomial(blocks, np.full(blocks, 1 / blocks), size=RESAMPLES)
    cumulative = np.cumsum(draws @ histogram, axis=1)
    rank = np.maximum(1, np.ceil(quantile * cumulative[:, -1]))
    place = (cumulative < rank[:, None]).sum(axis=1)
    return np.asarray(1e-3 * np.exp((place + first + 0.5) * _STEP))
