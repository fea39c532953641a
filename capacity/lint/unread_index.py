"""An index that no call of the template reads, while every write pays for it."""

from __future__ import annotations

from collections.abc import Iterator

from capacity.lint.finding import Finding
from capacity.lint.subject import Subject

NAME = "unread-index"
TITLE = "Index that no call reads"
_MILLION = 1_000_000.0


def check(subject: Subject) -> Iterator[Finding]:
    """Silent unless the file shows calls on the table and nobody else may read it: unknown is not unread."""
    described = subject.described
    if "calls" not in described.knows or not described.calls or described.other_readers:
        return
    read = {call.index for call in described.calls}
    for index in subject.table.indexes:
        if index.name in read:
            continue
        units = subject.entry_units(index) * subject.entry_share(index)
        usd = subject.prices.cost_usd("dynamodb.on_demand.write_unit", units * _MILLION)
        yield subject.finding(
            NAME,
            "advice",
            index.name,
            f"none of the {len(described.calls)} calls on the table reads it, and nobody else may; each new item pays "
            f"{units:.3g} write units for it beside the table's {subject.put_units:.3g} ({subject.sized}): "
            f"{usd:.2f} USD per million items on demand ({subject.prices.region}).",
            "Delete the index, or let the query that scans or filters today use it.",
            write_units_per_item=units,
            usd_per_million_items=usd,
        )
