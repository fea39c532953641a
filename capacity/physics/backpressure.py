"""The queue between a table and a global secondary index (physics rule 9)."""

from __future__ import annotations

from capacity.physics.partition import Throttle
from capacity.physics.resource import ADMITTED, ThroughputResource

QUEUE_S = 30.0
"""Default size of the queue, in seconds of the table's write rate (our decision, 2026-11-30; low confidence:
AWS says that the queue exists and that a full one refuses writes to the table, not how long it is)."""


class IndexQueue:
    """Updates on their way to an index, drained at the index's own write rate.

    The queue is the index's debt: what an update costs is charged to the index at once, and whatever its buckets lack
    is what waits. The debt melts at exactly the rate at which the index works it off. When the part of the index that
    an update went to owes the whole queue, every write to the base table is refused, also one that touches no entry of
    this index, until there is room again.
    """

    __slots__ = ("_blocking", "capacity_units", "resource")

    def __init__(self, resource: ThroughputResource, capacity_units: float) -> None:
        """:param resource: the index's throughput.
        :param capacity_units: write units that may wait, such as ``QUEUE_S`` times the table's write units per second.
        """
        self.resource = resource
        self.capacity_units = capacity_units
        self._blocking: list[tuple[int, bytes | None]] = []

    def check(self, now_s: float) -> tuple[Throttle, ...]:
        """Limits of the index that refuse a write to the base table now; empty = admitted."""
        blocking = self._blocking
        while blocking:
            hash128, sort_key = blocking[-1]
            limits = self.resource.exhausted(now_s, "write", hash128, sort_key, -self.capacity_units)
            if limits:
                return limits
            blocking.pop()
        return ADMITTED

    def put(self, now_s: float, hash128: int, units: float, sort_key: bytes | None = None) -> None:
        """Queue one index update that costs ``units``; the key is the index's."""
        if self.resource.charge(now_s, "write", hash128, units, sort_key) <= -self.capacity_units:
            self._blocking.append((hash128, sort_key))

    def waiting_units(self, now_s: float) -> float:
        """Write units that wait in the longest line of the index: the whole of it, or one partition's."""
        return self.resource.deepest_debt_units(now_s, "write")
