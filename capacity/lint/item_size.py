"""Sample items that come near the 400 KB which an item may have."""

from __future__ import annotations

from collections.abc import Iterator

from capacity.dynamodb.item_collections import collection_bytes
from capacity.dynamodb.quotas import limit
from capacity.dynamodb.units import write_units
from capacity.lint.finding import Finding
from capacity.lint.subject import Subject

NAME = "item-size"
TITLE = "Item near 400 KB"
NEAR = 0.8
"""Share of the limit from which an item is near it."""


def check(subject: Subject) -> Iterator[Finding]:
    """The largest sample item, with its entries in LSIs, which count towards its limit."""
    if not subject.items:
        return
    most = limit("dynamodb.item_bytes")
    largest = max(subject.items, key=lambda item: collection_bytes(subject.table, [item]))
    size = collection_bytes(subject.table, [largest])
    if size < NEAR * most:
        return
    units = write_units(size)
    key = ", ".join(str(next(iter(value.values()))) for value in subject.table.key.of(largest).values())
    yield subject.finding(
        NAME,
        "error" if size > most else "warning",
        None,
        f"the sample item {key} has {size:,} bytes, {size / most:.0%} of the most an item may have; every change, "
        f"however small, costs {units:,.0f} write units, and one partition takes "
        f"{limit('dynamodb.partition_write_units') / units:.1f} of them a second.",
        "Keep the large part in S3 or in items of its own, and here its key.",
        size_bytes=size,
        share_of_limit=size / most,
        write_units=units,
    )
