"""The token bucket that every limit of DynamoDB is made of."""

from __future__ import annotations

import math
from functools import lru_cache

LARGEST_REQUEST_UNITS = 1024.0
"""Units of one call, rounded up: a transactional write of 400 KB costs 800. Sets the grid of small buckets."""


@lru_cache(maxsize=4096)
def level_grid(rate: float, depth_s: float) -> float:
    """Spacing of the binary grid on which a bucket's rate and level lie.

    A level is a sum of many refills and charges. On this grid whole seconds of refill and charges in halves of a unit
    add up without rounding in double precision, so levels do not drift and do not depend on how often they are looked
    at: a step of seven seconds is seven steps of one second, to the last bit. That is what lets the vectorised
    simulator and the live machine agree exactly. A rate moves by less than 1e-11 of itself.

    :param rate: units per second, not negative.
    :param depth_s: seconds of refill that the bucket holds.
    """
    span = 2.0 * max(rate * depth_s, rate, LARGEST_REQUEST_UNITS)
    return math.ldexp(1.0, math.ceil(math.log2(span)) - 52)


class Bucket:
    """Refills continuously at ``rate`` units per second up to ``rate * depth_s``; may go into debt.

    A request is admitted while the level is above zero and is then charged what it really cost, which may leave a debt
    that refill pays back: a 400 KB put passes on a fresh 5-unit table and blocks it afterwards (physics rule 7).
    Time is whatever the caller passes; a ``now_s`` before the last charge counts as that moment.
    """

    __slots__ = ("depth", "level", "rate", "updated_s")

    def __init__(self, rate: float, depth_s: float, now_s: float, level: float | None = None) -> None:
        """:param rate: units per second.
        :param depth_s: seconds of refill that it holds.
        :param level: units at the start; full when None.
        """
        grid = level_grid(rate, depth_s)
        self.rate = round(rate / grid) * grid
        self.depth = self.rate * depth_s
        self.level = self.depth if level is None else min(round(level / grid) * grid, self.depth)
        self.updated_s = now_s

    def level_at(self, now_s: float) -> float:
        """Units held at ``now_s``; zero or less refuses."""
        elapsed_s = now_s - self.updated_s
        if elapsed_s <= 0.0:
            return self.level
        level = self.level + self.rate * elapsed_s
        return level if level < self.depth else self.depth

    def charge(self, now_s: float, units: float) -> float:
        """Take ``units`` and return the level left, below zero if the request was larger than what was there."""
        elapsed_s = now_s - self.updated_s
        level = self.level
        if elapsed_s > 0.0:
            level += self.rate * elapsed_s
            if level > self.depth:
                level = self.depth
            self.updated_s = now_s
        self.level = level = level - units
        return level

    def wait_s(self, now_s: float, above: float = 0.0) -> float:
        """Seconds until the level has risen to ``above``; infinite for a bucket that never refills that far."""
        missing = above - self.level_at(now_s)
        if missing <= 0.0:
            return 0.0
        return missing / self.rate if self.rate > 0.0 and above <= self.depth else math.inf

    def retune(self, now_s: float, rate: float, depth_s: float) -> None:
        """Go on at another rate and depth. What was saved is kept as far as it fits; a debt is kept."""
        grid = level_grid(rate, depth_s)
        rate = round(rate / grid) * grid
        if rate == self.rate and rate * depth_s == self.depth:
            return
        level = self.level_at(now_s)
        self.rate, self.depth = rate, rate * depth_s
        self.level = min(round(level / grid) * grid, self.depth)
        self.updated_s = max(now_s, self.updated_s)
