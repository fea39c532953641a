"""Many buckets over many seconds at once: the inner loop of the simulator.

One bucket per column. In every second the requests come first, then the refill for the next second. All functions work
in the precision of their arrays: double agrees to the last bit with ``Bucket``, single is for speed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[Any]

LANES = 20_000
"""Buckets that one vector step should cover, so that numpy's cost per call does not matter and rows stay in cache."""
SHORTEST_BLOCK_S = 400
"""Shorter blocks of time would start from wrong guesses too often."""
ATTEMPTS = 8
"""Rounds of guessing; buckets that are overloaded for long by requests of odd sizes then go second after second."""


def admitted(level: Floats, request_units: float | Floats | None) -> Floats:
    """Units that requests waiting in a row get from each level: all requests until it is no longer above zero.

    :param request_units: units of one request; None for a continuous flow, which never goes into debt.
    """
    if request_units is None:
        return np.maximum(level, 0.0)
    count = np.ceil(level / request_units)
    count += count * request_units < level  # a quotient that was rounded down to a whole number
    return np.maximum(count, 0.0) * request_units


def run(
    demand: Floats,
    consumed: Floats,
    level: Floats,
    rate: Floats,
    depth: Floats,
    request_units: float | None,
    levels: Floats | None = None,
) -> None:
    """Step through the seconds of ``demand``, filling ``consumed`` and ``level``, the latter at the start of a second.

    :param demand: units asked for, [seconds, ...]; the trailing shape is that of ``level``, ``rate`` and ``depth``.
    :param levels: if given, receives the level left at the end of each second's requests.
    """
    fits = np.empty_like(level)
    whole = request_units == 1.0 and bool(np.all(level > -1.0))  # one-unit requests leave no deeper debt
    for second in range(demand.shape[0]):
        taken = consumed[second]
        if request_units is None:
            # A flow never overdraws, so the level itself is what may be taken.
            np.minimum(demand[second], level, out=taken)
        elif whole:
            np.ceil(level, out=fits)
            np.minimum(demand[second], fits, out=taken)
        else:
            np.minimum(demand[second], admitted(level, request_units), out=taken)
        np.subtract(level, taken, out=level)
        if levels is not None:
            levels[second] = level
        np.add(level, rate, out=level)
        np.minimum(level, depth, out=level)


def run_long(
    demand: Floats,
    consumed: Floats,
    level: Floats,
    rate: Floats,
    depth: Floats,
    request_units: float | None,
    levels: Floats | None = None,
) -> None:
    """``run`` for few buckets and many seconds: blocks of time side by side, each from a guess of its first level.

    A block that nothing clipped, neither a full bucket nor an empty one, shifts its first level by what it adds and
    takes in sum; a block that was clipped ends the same for most first levels. Blocks whose guess was wrong run again,
    until all agree. The result is that of ``run`` to the last bit for demand in multiples of 1/1024 unit in double
    precision; otherwise a block's first level may be off by its rounding.
    """
    seconds, buckets = demand.shape
    blocks = min(max(LANES // max(buckets, 1), 1), seconds // SHORTEST_BLOCK_S)
    if blocks < 2:
        run(demand, consumed, level, rate, depth, request_units, levels)
        return
    block_s = seconds // blocks

    def side_by_side(array: Floats) -> Floats:
        """[seconds in a block, blocks, buckets], a view."""
        return array[: blocks * block_s].reshape(blocks, block_s, buckets).swapaxes(0, 1)

    wide_demand, wide_consumed = side_by_side(demand), side_by_side(consumed)
    wide_levels = None if levels is None else side_by_side(levels)
    wide_rate, wide_depth = (np.ascontiguousarray(np.broadcast_to(each, (blocks, buckets))) for each in (rate, depth))
    sums = demand[: blocks * block_s].reshape(blocks, block_s, buckets).sum(axis=1)
    change = wide_rate * block_s - sums
    tolerance = _tolerance(sums) * depth
    first = np.empty((blocks, buckets), dtype=level.dtype)
    first[0] = level
    for index in range(1, blocks):
        np.clip(first[index - 1] + change[index - 1], np.minimum(rate, depth), depth, out=first[index])
    last = first.copy()
    run(wide_demand, wide_consumed, last, wide_rate, wide_depth, request_units, wide_levels)

    for attempt in range(ATTEMPTS + 1):
        block, bucket = np.nonzero(_correct(first, last, change, rate, depth, tolerance))
        if not len(block):
            break
        if attempt < ATTEMPTS:
            lanes = (slice(None), block, bucket)
            last[block, bucket] = _run_part(
                wide_demand,
                wide_consumed,
                first[block, bucket],
                rate[bucket],
                depth[bucket],
                request_units,
                wide_levels,
                lanes,
            )
        else:
            start, bucket = int(block.min()), np.unique(bucket)
            rest = (slice(start * block_s, blocks * block_s), bucket)
            last[-1, bucket] = _run_part(
                demand, consumed, last[start - 1, bucket], rate[bucket], depth[bucket], request_units, levels, rest
            )
    level[:] = last[-1]
    done = blocks * block_s
    run(demand[done:], consumed[done:], level, rate, depth, request_units, None if levels is None else levels[done:])


def _run_part(
    demand: Floats,
    consumed: Floats,
    level: Floats,
    rate: Floats,
    depth: Floats,
    request_units: float | None,
    levels: Floats | None,
    part: tuple[Any, ...],
) -> Floats:
    """``run`` for some seconds of some buckets, picked by an index that copies; returns the levels left."""
    asked = np.ascontiguousarray(demand[part])
    served = np.empty_like(asked)
    left = None if levels is None else np.empty_like(asked)
    run(asked, served, level, rate, depth, request_units, left)
    consumed[part] = served
    if levels is not None:
        levels[part] = left
    return level


def _tolerance(sums: Floats) -> float:
    """Error of a guess, as a share of the bucket: none where sums are exact, a rounding where they are not."""
    if sums.dtype != np.float64:
        return 1e-6
    return 0.0 if np.array_equal(sums * 1024.0, np.round(sums * 1024.0)) else 1e-12


def _correct(
    first: Floats, last: Floats, change: Floats, rate: Floats, depth: Floats, tolerance: Floats
) -> NDArray[np.bool_]:
    """Put better guesses into ``first``, knowing how each block went from the guesses before; True where it moved.

    A block that follows only right guesses gets its true first level, so every call settles at least one more block.
    """
    wrong = np.zeros(first.shape, dtype=np.bool_)
    unclipped = np.abs(first + change - last) <= tolerance
    guess = last[0]
    for block in range(1, len(first)):
        wrong[block] = np.abs(guess - first[block]) > tolerance
        shifted = np.clip(guess + change[block], np.minimum(rate, depth), depth)
        following = np.where(wrong[block] & unclipped[block], shifted, last[block])
        first[block] = np.where(wrong[block], guess, first[block])
        guess = following
    return wrong
