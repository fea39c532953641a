"""Some buckets as arrays, at the start of a second."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from capacity.physics.bucket import Bucket

Floats = NDArray[Any]

WINDOW_S = 256
"""Seconds that are summed up at once; no more than the bucket is deep, so that sums stay on the bucket's grid."""


class Levels:
    """Levels, rates and depths of a list of buckets, and the way back into them."""

    def __init__(self, buckets: list[Bucket], now_s: float) -> None:
        self._buckets = buckets
        self.level = np.array([bucket.level_at(now_s) for bucket in buckets], dtype=np.float64)
        self.rate = np.array([bucket.rate for bucket in buckets], dtype=np.float64)
        self.depth = np.array([bucket.depth for bucket in buckets], dtype=np.float64)

    def __len__(self) -> int:
        return len(self._buckets)

    def full(self) -> bool:
        """Nothing has been taken that refill has not replaced."""
        return bool(np.all(self.level == self.depth))

    def refill(self) -> None:
        """A second passes."""
        self.level += self.rate
        np.minimum(self.level, self.depth, out=self.level)

    def put(self, now_s: float) -> None:
        """Write the levels back into the buckets as of ``now_s``."""
        for bucket, level in zip(self._buckets, self.level.tolist(), strict=True):
            bucket.level, bucket.updated_s = level, now_s

    def admit(self, loads: Floats) -> tuple[int, Floats]:
        """Serve second after second as long as no bucket holds less than its load.

        :param loads: units per second and bucket, [seconds, buckets]; one column serves all buckets.
        :returns: how many seconds were served, and what was left after each one's requests.
        """
        seconds = len(loads)
        left = np.empty((seconds, len(self)))
        if self.full() and bool(np.all(self.depth <= self.rate)):
            # Buckets of one second are full again at the start of every second that the one before did not overdraw.
            served = first(np.any(loads > self.depth, axis=1))
            np.subtract(self.depth, loads[:served], out=left[:served])
            return served, left
        window = int(max(1, min(WINDOW_S, *(self.depth // self.rate))))
        served = 0
        while served < seconds:
            part = loads[served : served + window]
            change = np.cumsum(self.rate - part, axis=0)
            starts = np.empty((len(part) + 1, len(self)))
            starts[0] = self.level
            starts[1:] = change + np.minimum(np.minimum.accumulate(self.depth - change, axis=0), self.level)
            fine = first(np.any(part > starts[:-1], axis=1))
            np.subtract(starts[:fine], part[:fine], out=left[served : served + fine])
            self.level = starts[fine].copy()
            served += fine
            if fine < len(part):
                break
        return served, left


def first(flags: NDArray[np.bool_]) -> int:
    """Index of the first True, or the length."""
    index = int(flags.argmax()) if len(flags) else 0
    return index if len(flags) and flags[index] else len(flags)
