"""A local secondary index binds all items of a partition key to 10 GB and one partition, for ever."""

from __future__ import annotations

from collections.abc import Iterator

from capacity.dynamodb.item_collections import collection_bytes, collection_limit_bytes
from capacity.lint.finding import Finding
from capacity.lint.subject import Subject

NAME = "item-collection"
TITLE = "LSI and its 10 GB"
_DAY_S = 86_400.0


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for a table with LSIs."""
    table = subject.table
    if not table.has_local_index:
        return
    local = [index.name for index in table.indexes if index.kind == "LSI"]
    if subject.items:
        each_bytes = sum(collection_bytes(table, [item]) for item in subject.items) / len(subject.items)
    else:
        copies = sum(index.projection.kind == "ALL" for index in table.indexes if index.kind == "LSI")
        each_bytes = subject.item_bytes * (1 + copies)
    items = collection_limit_bytes(table) / each_bytes
    days = items / _DAY_S
    yield subject.finding(
        NAME,
        "warning",
        local[0],
        f"with it one {table.key.partition} holds {items:,.0f} items at most ({subject.sized}, "
        f"{each_bytes:,.0f} bytes with entries): 10 GB, full after {days:,.0f} days at one write a second; then writes "
        "that grow it are refused. Its items are never split over partitions either.",
        "Use a GSI, unless strong reads by the second key are needed; an LSI can't be removed from a table later.",
        items_per_key=items,
        days_at_one_write_per_s=days,
    )
