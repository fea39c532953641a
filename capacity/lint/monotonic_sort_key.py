"""A sort key that only rises, under a partition key that doesn't part the writes: heat at one end, which never splits.

Source: AWS Database Blog, "Scaling DynamoDB", part 2 and 3 (2023-01): splitting a partition between sort keys doesn't
help when all traffic comes after the newest one. Physics rule 6 of docs/physics.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from capacity.dynamodb.partitions import key_ceiling
from capacity.dynamodb.table import Key
from capacity.lint.cardinality import is_monotonic, spread_of
from capacity.lint.finding import Finding
from capacity.lint.subject import Subject

NAME = "monotonic-sort-key"
TITLE = "Monotonic sort key under one partition key"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for the table's key and for each GSI's."""
    keys: list[tuple[str | None, Key, float]] = [(None, subject.table.key, subject.put_units)]
    keys += [(index.name, index.key, subject.entry_units(index)) for index in subject.global_indexes]
    for index, key, units in keys:
        spread = spread_of(key.partition, subject.items)
        if spread is None or key.sort is None:
            continue
        why = is_monotonic(key.sort, subject.items)
        if why is None:
            continue
        writes_per_s = key_ceiling().write_units / units
        yield subject.finding(
            NAME,
            "warning",
            index,
            f"{key.sort} only rises ({why}) under a {key.partition} that is {spread.kind}: every new item lands beyond "
            f"the newest one, so the partition never splits for heat, and {writes_per_s:,.0f} writes/s of "
            f"{subject.sized} stay the most, on demand too.",
            f"Put a shard number or an owner into {key.partition}; time in {key.sort} is then no harm.",
            writes_per_s=writes_per_s,
        )
