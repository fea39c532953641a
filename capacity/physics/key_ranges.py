"""The partitions of a table or index side by side: who owns a key, and where a range divides."""

from __future__ import annotations

from bisect import bisect_right

from capacity.physics.partition import Partition
from capacity.physics.placement import KEY_SPACE, Bound, even_bounds


class KeyRanges:
    """Partitions in key order; each owns the keys from its lower end up to the next one's (physics rule 1)."""

    def __init__(self, count: int, size_bytes: float) -> None:
        """:param count: equal ranges to start with.
        :param size_bytes: data that they share evenly.
        """
        self.partitions = [Partition(bound, size_bytes / count) for bound in even_bounds(count)]
        self.index()

    def index(self) -> None:
        """Take note of changed partitions."""
        self._bounds = [partition.lower for partition in self.partitions]
        self._hash_bounds = [bound[0] for bound in self._bounds]
        self._split_collections = {bound[0] for bound in self._bounds if bound[1]}

    def owner(self, hash128: int, sort_key: bytes | None = None) -> Partition:
        """The partition that owns a key. Without a sort key: the one with the item collection's first item."""
        if hash128 in self._split_collections:
            return self.partitions[bisect_right(self._bounds, (hash128, sort_key or b"")) - 1]
        return self.partitions[bisect_right(self._hash_bounds, hash128) - 1]

    def middle(self, partition: Partition) -> Bound | None:
        """Middle of a partition's hashes; None inside a single item collection."""
        index = self.partitions.index(partition)
        lower = partition.lower[0]
        upper = self.partitions[index + 1].lower[0] if index + 1 < len(self.partitions) else KEY_SPACE
        middle = (lower + upper) // 2
        return (middle, b"") if middle > lower else None

    def insert(self, left: Partition, right: Partition) -> None:
        """Put a new partition next to the one that it was cut from."""
        self.partitions.insert(self.partitions.index(left) + 1, right)

    def uppers(self) -> list[int]:
        """For each partition the first hash beyond its range."""
        return [*self._hash_bounds[1:], KEY_SPACE]
