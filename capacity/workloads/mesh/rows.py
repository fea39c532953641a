"""What is in the table at each moment of a run, for whole arrays of writes at once.

A write names an item (an integer), its place in the run's order and the item's size afterwards (0 = deleted). From
that follow the size before each write, which decides its units, and the bytes under any key at any place, which
decide what a Query reads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def previous_writes(item: Ints, order: Ints) -> Ints:
    """For each write, the index of the write before it to the same item; -1 for an item's first.

    Writes of equal `order` to the same item take effect as they stand in the arrays.
    """
    previous = np.full(len(item), -1, np.int64)
    by_item = np.lexsort((order, item))
    same = item[by_item[1:]] == item[by_item[:-1]]
    previous[by_item[1:]] = np.where(same, by_item[:-1], -1)
    return previous


@dataclass(frozen=True)
class Ledger:
    """Bytes, or rows, that stand under each container (a domain, a group) at any place of the order."""

    key: Ints
    before: Floats
    places: int

    @classmethod
    def of(cls, container: Ints, order: Ints, change: Floats, places: int) -> Ledger:
        """From changes, each to one container at one place in [0, places)."""
        key = container * places + order
        sort = np.argsort(key, kind="stable")
        return cls(key[sort], np.concatenate(([0.0], np.cumsum(change[sort]))), places)

    def at(self, container: Ints, order: Ints) -> Floats:
        """What stands under each container just before each place."""
        start = np.searchsorted(self.key, container * self.places)
        end = np.searchsorted(self.key, container * self.places + order)
        return self.before[end] - self.before[start]
