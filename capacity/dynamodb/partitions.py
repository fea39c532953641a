"""How many partitions a table or index has, what each of them may do, and how its history shows in them.

AWS's deck of 2015-08-05 (slides 35-43) publishes the formulas; the guide has since dropped them and says only that
partitions are added when throughput or storage outgrow them (2023-02-22). Growth by doubling: public notes of USENIX
ATC 2022. Partitions are never merged (AWS Database Blog, "Scaling DynamoDB", part 3, 2023-01). Confidence: high for
new tables, middle for growth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from capacity.dynamodb.quotas import limit
from capacity.dynamodb.table import Throughput


def partitions_by_throughput(throughput: Throughput) -> float:
    """RCU / 3,000 + WCU / 1,000, not rounded (deck, slide 38)."""
    return throughput.read_units / limit("dynamodb.partition_read_units") + throughput.write_units / limit(
        "dynamodb.partition_write_units"
    )


def partitions_by_size(size_gb: float) -> float:
    """GB / 10, not rounded (deck, slide 38)."""
    return size_gb / limit("dynamodb.partition_gb")


def new_partitions(throughput: Throughput, size_gb: float = 0.0) -> int:
    """Partitions of a new provisioned table or GSI: the larger of both formulas, rounded up, at least 1 (deck, slide
    39).
    """
    return max(1, math.ceil(max(partitions_by_throughput(throughput), partitions_by_size(size_gb))))


def on_demand_partitions() -> int:
    """Partitions of a new on-demand table or GSI: 4, which serve 12,000 reads and 4,000 writes per second."""
    return round(limit("dynamodb.on_demand_start_write_units") / limit("dynamodb.partition_write_units"))


@dataclass(frozen=True)
class Partitions:
    """The partitions of one table or GSI: each one's part of the key space, and the provisioned throughput they share.

    `key_space` sums to 1. Throughput is shared evenly by count (deck, slide 37), data by key space.
    """

    key_space: tuple[float, ...]
    throughput: Throughput
    size_gb: float = 0.0

    @classmethod
    def new(cls, throughput: Throughput, size_gb: float = 0.0) -> Partitions:
        """A new provisioned table or GSI."""
        count = new_partitions(throughput, size_gb)
        return cls((1 / count,) * count, throughput, size_gb)

    @property
    def count(self) -> int:
        return len(self.key_space)

    @property
    def share(self) -> Throughput:
        """Provisioned units per second of one partition; what a hot key is left with where nothing moves (deck, slide
        41).
        """
        return Throughput(self.throughput.read_units / self.count, self.throughput.write_units / self.count)

    @property
    def largest_gb(self) -> float:
        """Data of the fullest partition."""
        return max(self.key_space) * self.size_gb

    @property
    def dilution(self) -> float:
        """How many times fewer units a partition has than in a new table of the same setting and size; 1 = none.

        The danger of slide 43: partitions that a past peak has left behind thin out everything set later. Adaptive
        capacity (instant since 2019) has taken the edge off it; the world `static` keeps it.
        """
        return self.count / new_partitions(self.throughput, self.size_gb)

    def retuned(self, throughput: Throughput) -> Partitions:
        """After UpdateTable. An increase beyond what the partitions can carry splits all of them in two until they can;
        a decrease leaves them and thins their share.
        """
        key_space = self.key_space
        while partitions_by_throughput(throughput) > len(key_space):
            key_space = tuple(half for part in key_space for half in (part / 2, part / 2))
        return replace(self, key_space=key_space, throughput=throughput)

    def grown(self, size_gb: float) -> Partitions:
        """After the data has grown or shrunk to `size_gb`: a partition above 10 GB splits in two, and again until
        none is.
        """
        limit_gb = limit("dynamodb.partition_gb")
        key_space: list[float] = []
        waiting = list(reversed(self.key_space))
        while waiting:
            part = waiting.pop()
            if part * size_gb > limit_gb:
                waiting += [part / 2, part / 2]
            else:
                key_space.append(part)
        return replace(self, key_space=tuple(key_space), size_gb=size_gb)


@dataclass(frozen=True)
class Change:
    """One step in a table's history: a new setting, a new size, or both; None = as before."""

    throughput: Throughput | None = None
    size_gb: float | None = None


def history(start: Partitions, changes: Iterable[Change]) -> Iterator[Partitions]:
    """The partitions at the start and after every change."""
    partitions = start
    yield partitions
    for change in changes:
        if change.throughput is not None:
            partitions = partitions.retuned(change.throughput)
        if change.size_gb is not None:
            partitions = partitions.grown(change.size_gb)
        yield partitions


def key_ceiling() -> Throughput:
    """Units per second of one partition key whose items can't be split over partitions, whatever is provisioned:
    3,000 / 1,000.

    Isolation gives a hot item a partition of its own, not more (bp-partition-key-design, 2023-02-22). A key's items
    are never split where the table has an LSI, and splitting doesn't help where traffic sits at one end of a
    monotonic sort key.
    """
    return Throughput(limit("dynamodb.partition_read_units"), limit("dynamodb.partition_write_units"))
