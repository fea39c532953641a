"""Units of every reading operation, from the items it evaluates.

Sources: Developer Guide, ProvisionedThroughput and read-write-operations (2023-02-22 and read 2026-11-30); measured
in eu-west-2: nubo-db/dynoxide (2026-08-12 to 16) for filters, projections and indexes,
paritysuite/dynamodb-conformance for replays. Filter, projection and Select=COUNT never lower a charge, so no function
here takes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from capacity.dynamodb.attribute_value import Item
from capacity.dynamodb.consumption import Consumption, Units, total
from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.quotas import limit
from capacity.dynamodb.table import Index, Table
from capacity.dynamodb.units import Consistency, query_units, read_units

ALL_ATTRIBUTES = ("*",)
"""Asks an index for everything, as Select=ALL_ATTRIBUTES does: more than any index holds that doesn't project ALL."""


class NotChargeable(ValueError):
    """DynamoDB refuses this call, so it has no price; the message says why and what to ask instead."""


def get_item(item: Item | None, consistency: Consistency) -> Consumption:
    """GetItem; None is a missing item, which costs the minimum. Transactional: one get of TransactGetItems."""
    return Consumption(Units(read=read_units(_size(item), consistency)))


def batch_get_item(items: Sequence[Item | None], consistency: Consistency) -> Consumption:
    """BatchGetItem on one table: every item is rounded up on its own, then they add up.

    Raises NotChargeable beyond 100 items.
    """
    _at_most(len(items), "dynamodb.batch_get_items", "BatchGetItem")
    return total(get_item(item, consistency) for item in items)


def transact_get_items(items: Sequence[Item | None]) -> Consumption:
    """TransactGetItems on one table: twice the strong read of every item. Raises NotChargeable beyond 100 items."""
    _at_most(len(items), "dynamodb.transaction_items", "TransactGetItems")
    return total(get_item(item, Consistency.TRANSACTIONAL) for item in items)


def query(
    table: Table,
    evaluated: Sequence[Item],
    consistency: Consistency,
    *,
    index: str | None = None,
    attributes: Sequence[str] | None = None,
    limit_rows: int | None = None,
) -> Consumption:
    """One Query or Scan with all the pages it takes to evaluate these items (whole items of the table).

    `index`: read it instead of the table; items without an entry there don't count. `attributes`: what an index read
    asks for; None = what the index holds. An LSI fetches the rest from the table, item by item; a GSI can't.
    `limit_rows`: the request's Limit, rows per page.

    Raises NotChargeable for a strong read of a GSI, a transactional Query, and attributes that a GSI doesn't hold.
    """
    pages = query_pages(table, evaluated, index=index, limit_rows=limit_rows)
    return total(query_page(table, page, consistency, index=index, attributes=attributes) for page in pages)


def query_page(
    table: Table,
    evaluated: Sequence[Item],
    consistency: Consistency,
    *,
    index: str | None = None,
    attributes: Sequence[str] | None = None,
) -> Consumption:
    """One page: sizes of all evaluated rows added, then rounded up once; an empty page costs the minimum.

    An LSI fetch adds every whole item, each rounded up on its own, on the table's arm.
    """
    if consistency is Consistency.TRANSACTIONAL:
        raise NotChargeable("Query and Scan have no transactional form; read single items by TransactGetItems instead")
    if index is None:
        return Consumption(Units(read=query_units(sum(map(item_size_bytes, evaluated)), consistency)))
    source = table.index(index)
    if source.kind == "GSI" and consistency is Consistency.STRONG:
        raise NotChargeable(
            f"GSI {index!r} can't be read strongly, because it is updated asynchronously; "
            "read it eventually, or read the table or an LSI"
        )
    entries = list(_entries(table, source, evaluated))
    units = query_units(sum(size for _, size in entries), consistency)
    fetched = _fetches(table, source, attributes)
    fetch = sum(read_units(item_size_bytes(item), consistency) for item, _ in entries) if fetched else 0.0
    return Consumption(Units(read=fetch), {index: Units(read=units)})


def query_pages(
    table: Table, evaluated: Sequence[Item], *, index: str | None = None, limit_rows: int | None = None
) -> Iterator[Sequence[Item]]:
    """The pages in which items are evaluated: a page ends after `limit_rows` rows or with the row that reaches 1 MB.

    Where the last page is full, a caller that follows LastEvaluatedKey asks for one more and pays for an empty page.

    Confidence middle: AWS cuts at 1 MB of an internal size, which is smaller than the charged one, so that single
    pages of more than 1 MB were charged (dynalite, 2025-09-18: 133.5 units of an eventual read).
    """
    page: list[Item] = []
    page_bytes, empty = 0, True
    source = None if index is None else table.index(index)
    for item in evaluated:
        row = item if source is None else table.index_entry(source, item)
        if row is None:
            continue
        page.append(item)
        page_bytes += item_size_bytes(row)
        if page_bytes >= limit("dynamodb.page_bytes") or len(page) == limit_rows:
            yield page
            page, page_bytes, empty = [], 0, False
    if page or empty:
        yield page


def scan(
    table: Table,
    items: Sequence[Item],
    consistency: Consistency,
    *,
    index: str | None = None,
    limit_rows: int | None = None,
) -> Consumption:
    """A Scan to the end: a Query over everything."""
    return query(table, items, consistency, index=index, limit_rows=limit_rows)


def replayed_transaction(items: Sequence[Item | None]) -> Consumption:
    """TransactWriteItems that repeats a ClientRequestToken within 10 minutes: nothing is written, the items are read.

    2 x ceil(size / 4 KB) read units per item (measured, paritysuite PR 74, 2026).
    """
    return transact_get_items(items)


def _fetches(table: Table, index: Index, attributes: Sequence[str] | None) -> bool:
    """Whether the attributes asked for make an LSI go back to the table; a GSI refuses."""
    if attributes is None or index.projection.kind == "ALL":
        return False
    held = {*table.key.attributes, *index.key.attributes, *index.projection.attributes}
    missing = [name for name in attributes if name not in held]
    if missing and index.kind == "GSI":
        raise NotChargeable(
            f"GSI {index.name!r} doesn't hold {missing} and can't fetch them from the table; "
            f"ask for {sorted(held)}, or project more"
        )
    return bool(missing)


def _entries(table: Table, index: Index, items: Sequence[Item]) -> Iterator[tuple[Item, int]]:
    for item in items:
        entry = table.index_entry(index, item)
        if entry is not None:
            yield item, item_size_bytes(entry)


def _size(item: Item | None) -> int | None:
    return None if item is None else item_size_bytes(item)


def _at_most(count: int, quota: str, operation: str) -> None:
    if count > limit(quota):
        raise NotChargeable(f"{operation} takes at most {limit(quota):,.0f} items, got {count:,}; send several")
