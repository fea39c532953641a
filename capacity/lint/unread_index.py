"""An index that nobody reads, while every write pays for it: by CloudWatch's count, else by the calls of the file."""

from __future__ import annotations

from collections.abc import Iterator

from capacity.dynamodb.table import Index
from capacity.lint.finding import Finding
from capacity.lint.subject import Subject
from capacity.pricing.prices import HOURS_PER_MONTH
from capacity.templates.description import IndexUse

NAME = "unread-index"
TITLE = "Index that no call reads"
_MILLION = 1_000_000.0
_REMEDY = "Delete the index, or let the query that scans or filters today use it."


def check(subject: Subject) -> Iterator[Finding]:
    """What was measured counts more than what the file shows. Unknown is not unread: silent where neither tells."""
    described = subject.described
    shown = "calls" in described.knows and described.calls and not described.other_readers
    read = {call.index for call in described.calls}
    for index in subject.table.indexes:
        use = described.index_uses.get(index.name)
        if use is not None:
            if not use.read_units:
                yield _measured(subject, index, use)
        elif shown and index.name not in read:
            yield _shown(subject, index)


def _measured(subject: Subject, index: Index, use: IndexUse) -> Finding:
    per_month = (use.write_units or 0.0) / use.days * HOURS_PER_MONTH / 24
    usd = subject.prices.cost_usd("dynamodb.on_demand.write_unit", per_month)
    written = (
        "writes were not asked for"
        if use.write_units is None
        else (
            f"its writes took {use.write_units:,.0f} units: at this rate {usd:,.2f} USD a month on demand "
            f"({subject.prices.region})"
        )
    )
    return subject.finding(
        NAME,
        "advice",
        index.name,
        f"nothing read it in {use.days:,.3g} days, by CloudWatch; {written}.",
        _REMEDY,
        days=use.days,
        write_units=use.write_units or 0.0,
        usd_per_month=usd,
    )


def _shown(subject: Subject, index: Index) -> Finding:
    units = subject.entry_units(index) * subject.entry_share(index)
    usd = subject.prices.cost_usd("dynamodb.on_demand.write_unit", units * _MILLION)
    return subject.finding(
        NAME,
        "advice",
        index.name,
        f"none of the {len(subject.described.calls)} calls on the table reads it, and nobody else may; each new item "
        f"pays {units:.3g} write units for it beside the table's {subject.put_units:.3g} ({subject.sized}): "
        f"{usd:.2f} USD per million items on demand ({subject.prices.region}).",
        _REMEDY,
        write_units_per_item=units,
        usd_per_million_items=usd,
    )
