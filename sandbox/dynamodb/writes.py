"""One write to one item: what must hold before it, what it changes, what it costs. Every writing operation ends here.

A write is prepared (checked, nothing changed), then committed (cannot fail). Transactions prepare all, then commit all.
"""

from __future__ import annotations

from capacity.dynamodb.item_size import ITEM_LIMIT_BYTES, item_size_bytes
from capacity.dynamodb.units import write_units
from sandbox.dynamodb.errors import validation
from sandbox.dynamodb.keys import entry_sort_bytes, sort_bytes
from sandbox.dynamodb.records import Order, Record, stored_text
from sandbox.dynamodb.tables import IndexState, TableState
from sandbox.dynamodb.throughput import Refusals
from sandbox.dynamodb.values import Item

IndexCharge = tuple[IndexState, float, Order]
"""Units that a write costs one index, and the entry's position."""


_SIZES_BYTES = tuple(range(8192))
"""One number object per size, instead of one per record."""


class Write:
    """A prepared write of `item` (None: delete) at `order` of `table`, over the record `old` (None: there is none)."""

    __slots__ = (
        "entry_orders",
        "index_charges",
        "item",
        "old",
        "old_text",
        "order",
        "size_bytes",
        "sort_key",
        "table",
        "units",
    )

    def __init__(
        self, table: TableState, order: Order, old: Record | None, item: Item | None, size_bytes: int | None = None
    ):
        """`size_bytes`: of the item, where the caller knows it.

        Raises ValidationException for an item over 400 KB or with an index key of another type.
        """
        self.table = table
        self.order = order
        self.sort_key = sort_bytes(order)
        self.old = old
        self.old_text = old.text if old is not None else None
        self.item = item
        self.index_charges: list[IndexCharge] = []
        self.entry_orders: list[Order | None] | None = None
        if item is None:
            self.size_bytes = 0
        else:
            size = item_size_bytes(item) if size_bytes is None else size_bytes
            self.size_bytes = size = _SIZES_BYTES[size] if size < len(_SIZES_BYTES) else size
            if size > ITEM_LIMIT_BYTES:
                raise validation("Item size has exceeded the maximum allowed size")
            if table.indexes:
                self.entry_orders = [index.keys.entry_order(item, order) for index in table.indexes]
            if table.collection_bytes is not None:
                self._check_with_local_entries(item, size)
                table.check_collection(order[0], size - (old.size_bytes if old is not None else 0))
        old_size = old.size_bytes if old is not None else 0
        self.units = write_units(old_size if old_size > self.size_bytes else self.size_bytes)

    def _check_with_local_entries(self, item: Item, size_bytes: int) -> None:
        """An item and its entries in local indexes share the 400 KB (Developer Guide, LSI, 2023-02; DynamoDB Local)."""
        assert self.entry_orders is not None
        together = size_bytes
        for index, order in zip(self.table.indexes, self.entry_orders, strict=True):
            if order is not None and not index.is_global:
                together += size_bytes if index.projects_all else item_size_bytes(index.entry_of(item))
        if together > ITEM_LIMIT_BYTES:
            raise validation("Item size has exceeded the maximum allowed size")

    def commit(self, now_s: float, *, transactional: bool = False, free: bool = False) -> None:
        """Change table and indexes, charge buckets and metrics. `free`: a TTL deletion, which costs nothing."""
        table, order, old, item = self.table, self.order, self.old, self.item
        change = self.size_bytes
        text = None
        if item is not None:
            text = stored_text(item)
            if old is None:
                old = Record(order, text, self.size_bytes, [None] * len(table.indexes) if table.indexes else None)
                table.rows[order] = old
                table.records.insert(old)
            else:
                change -= old.size_bytes
                old.text, old.size_bytes = text, self.size_bytes
            if table.indexes:
                self._move_entries(old, text, now_s)
        elif old is not None:
            change = -old.size_bytes
            del table.rows[order]
            table.records.remove(order)
            if table.indexes:
                self._drop_entries(old, now_s)
        if change:
            table.size_bytes += change
            if table.throughput is not None:
                table.throughput.store(now_s, order[0], change, self.sort_key)
            if table.collection_bytes is not None:
                table.grow_collection(order[0], change)
        if table.expiry is not None and item is not None:
            table.expiry.watch(table, old, item)
        if table.stream is not None:
            table.stream.record(now_s, self.old_text, text, expired=free)
        if free:
            self.units = 0.0
            self.index_charges.clear()
            return
        if transactional:
            self.units *= 2.0
        self.charge(now_s)

    def charge(self, now_s: float) -> None:
        """Charge what the write costs: also what a write refused by its condition costs."""
        table = self.table
        units = self.units
        for index, index_units, order in self.index_charges:
            if not index.is_global:
                units += index_units
                continue
            if index.queue is not None:
                index.queue.put(now_s, order[0], index_units, entry_sort_bytes(index.keys, order))
            index.metrics.consumed_write.add(index_units)  # type: ignore[union-attr]
        if table.throughput is not None:
            table.throughput.charge(now_s, "write", self.order[0], units, self.sort_key)
        table.metrics.consumed_write.add(units)

    def _move_entries(self, record: Record, text: bytes, now_s: float) -> None:
        table, entries = self.table, record.entries
        item, size = self.item, self.size_bytes
        assert entries is not None
        assert item is not None
        assert self.entry_orders is not None
        for position, index in enumerate(table.indexes):
            old, order = entries[position], self.entry_orders[position]
            if order is None:
                if old is not None:
                    self._take_out(index, old, now_s)
                    entries[position] = None
                continue
            if index.projects_all:
                entry_text, entry_size = text, size
            else:
                entry_item = index.entry_of(item)
                entry_text, entry_size = stored_text(entry_item), item_size_bytes(entry_item)
            if old is not None and old.order == order:
                if old.text != entry_text:
                    self.index_charges.append((index, write_units(max(old.size_bytes, entry_size)), order))
                    self._resize(index, order, entry_size - old.size_bytes, now_s)
                old.text, old.size_bytes = entry_text, entry_size
                continue
            if old is not None:
                self._take_out(index, old, now_s)
            entry = entries[position] = Record(order, entry_text, entry_size)
            index.records.insert(entry)
            self._resize(index, order, entry_size, now_s)
            self.index_charges.append((index, write_units(entry_size), order))

    def _take_out(self, index: IndexState, entry: Record, now_s: float) -> None:
        index.records.remove(entry.order)
        self._resize(index, entry.order, -entry.size_bytes, now_s)
        self.index_charges.append((index, write_units(entry.size_bytes), entry.order))

    def _drop_entries(self, record: Record, now_s: float) -> None:
        for index, entry in zip(self.table.indexes, record.entries or (), strict=True):
            if entry is not None:
                self._take_out(index, entry, now_s)

    def _resize(self, index: IndexState, order: Order, change_bytes: int, now_s: float) -> None:
        """Count what an index grew by: for its partitions, or, for a local one, for the item collection."""
        if not change_bytes:
            return
        index.size_bytes += change_bytes
        if not index.is_global:
            self.table.grow_collection(self.order[0], change_bytes)
        elif index.throughput is not None:
            index.throughput.store(now_s, order[0], change_bytes, entry_sort_bytes(index.keys, order))


def admits_write(table: TableState, order: Order, now_s: float, refusals: Refusals) -> bool:
    """Ask the table's buckets and the queues of its global indexes; what refuses is added to `refusals`."""
    admitted = True
    if table.throughput is not None:
        throttles = table.throughput.check(now_s, "write", order[0], sort_bytes(order))
        if throttles:
            refusals.add("write", throttles)
            admitted = False
    for index in table.queued_indexes:
        throttles = index.queue.check(now_s)  # type: ignore[union-attr]
        if throttles:
            refusals.add("write", throttles, index)
            admitted = False
    return admitted
