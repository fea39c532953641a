"""When a vanished node is noticed, and how likely a living one is dropped: closed forms, for whole arrays.

A host or member beats every T seconds, and counts as gone when its last beat is older than its TTL L = multiple x T.

* A node that vanishes has sent its last beat some part U of T ago, uniform in [0, T); it expires L - U T later, and is
  noticed at the next look, uniform within the interval of looking.
* A living node is dropped by mistake when all beats that could renew it in time are lost: k = ceil(L / T) - 1 in a row,
  as the one due at the very end comes too late.

Loss is the probability that a whole heartbeat does not arrive; TCP repeats lost packets, so it is far below the packet
loss of the network. Losses are taken as independent.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def missed_beats(ttl_s: ArrayLike, interval_s: ArrayLike) -> NDArray[np.int64]:
    """Beats in a row whose loss drops a living node: those due strictly before the TTL ends."""
    ratio = np.asarray(ttl_s, np.float64) / np.asarray(interval_s, np.float64)
    missed: NDArray[np.int64] = np.maximum(0, np.ceil(np.round(ratio, 9)) - 1).astype(np.int64)
    return missed


def detection_mean_s(interval_s: ArrayLike, ttl_s: ArrayLike, look_s: ArrayLike = 0.0) -> Floats:
    """Mean time from vanishing to being noticed: L - T/2 + look/2."""
    mean: Floats = np.asarray(ttl_s, np.float64) - np.asarray(interval_s) / 2 + np.asarray(look_s) / 2
    return mean


def detection_worst_s(interval_s: ArrayLike, ttl_s: ArrayLike, look_s: ArrayLike = 0.0) -> Floats:
    """Longest time from vanishing to being noticed: a whole TTL and a whole interval of looking."""
    worst: Floats = np.asarray(ttl_s, np.float64) + np.asarray(look_s) + 0 * np.asarray(interval_s)
    return worst


def detection_quantile_s(
    interval_s: ArrayLike, ttl_s: ArrayLike, look_s: ArrayLike = 0.0, share: float = 0.95
) -> Floats:
    """Time within which a share of at least one half of vanished nodes is noticed.

    L - T + X, where X is the sum of two uniform variables on [0, T] and [0, look]. Near its end the distribution of X
    is a triangle, P(X > T + look - x) = x^2 / (2 T look), as long as x stays below both; beyond that it is a line.
    """
    interval, look = np.asarray(interval_s, np.float64), np.asarray(look_s, np.float64)
    short, long, tail = np.minimum(interval, look), np.maximum(interval, look), 1 - share
    triangle = np.sqrt(2 * short * long * tail)
    x = np.where(triangle <= short, triangle, tail * long + short / 2)
    quantile: Floats = np.asarray(ttl_s, np.float64) + look - x
    return quantile


def false_drop_probability(loss: float, beats_in_a_row: ArrayLike, beats: ArrayLike) -> Floats:
    """Probability that `beats` independent beats contain a run of `beats_in_a_row` losses.

    Recursion of de Moivre (1738) for q(n), the probability of no run in n trials: q(n) = 1 for n < k,
    q(k) = 1 - p^k, and q(n) = q(n-1) - p^k (1 - p) q(n-k-1).
    """
    runs, trials = np.broadcast_arrays(np.asarray(beats_in_a_row, np.int64), np.asarray(beats, np.int64))
    distinct, where = np.unique(np.stack([runs.ravel(), trials.ravel()]), axis=1, return_inverse=True)
    dropped = np.array([_run_probability(loss, int(k), int(n)) for k, n in distinct.T])
    return dropped[where.ravel()].reshape(runs.shape)


def _run_probability(loss: float, run: int, beats: int) -> float:
    if run == 0:
        return 1.0
    if beats < run:
        return 0.0
    once = loss**run * (1 - loss)
    none = [1.0] * run + [1 - loss**run]
    for n in range(run + 1, beats + 1):
        none.append(none[n - 1] - once * none[n - run - 1])
    return max(0.0, 1 - none[beats])


def start_peak_per_s(nodes: float, interval_s: ArrayLike, ramp_s: float) -> Floats:
    """Beats per second after `nodes` arrived evenly within `ramp_s`, each counting its interval from its arrival."""
    return nodes / np.maximum(1.0, np.minimum(np.asarray(interval_s, np.float64), max(ramp_s, 1.0)))
