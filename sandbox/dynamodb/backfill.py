"""A new global index takes in the items that are already there."""

from __future__ import annotations

import math
from collections.abc import Iterator

import orjson

from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.units import write_units
from sandbox.dynamodb.errors import DynamoDBError
from sandbox.dynamodb.records import Record, stored_text
from sandbox.dynamodb.tables import IndexState, TableState


class Backfill:
    """Fills one index at `items_per_s` (0: at once) from `start_s` on; items with an unfit key are left out."""

    def __init__(self, table: TableState, index: IndexState, items_per_s: float, start_s: float):
        self.table = table
        self.index = index
        self.items_per_s = items_per_s
        self.start_s = start_s
        self._left: Iterator[Record] = iter(list(table.rows.values()))
        self._total = max(1, len(table.rows))
        self._done = 0

    def advance(self, now_s: float) -> bool:
        """Carry on to `now_s`; True once the index is complete and ACTIVE."""
        if now_s < self.start_s:
            return False
        elapsed_s = now_s - self.start_s
        wanted = math.inf if self.items_per_s <= 0.0 else elapsed_s * self.items_per_s
        units = 0.0
        metrics = self.index.metrics
        assert metrics is not None
        while self._done < wanted:
            record = next(self._left, None)
            if record is None:
                self.index.description["IndexStatus"] = "ACTIVE"
                self.index.description.pop("Backfilling", None)
                if units:
                    metrics.count("OnlineIndexConsumedWriteCapacity").add(units)
                metrics.count("OnlineIndexPercentageProgress", "Percent").add(100.0)
                return True
            self._done += 1
            units += self._take_in(record)
        if units:
            metrics.count("OnlineIndexConsumedWriteCapacity").add(units)
            metrics.count("OnlineIndexPercentageProgress", "Percent").add(100.0 * self._done / self._total)
        return False

    def next_s(self, now_s: float) -> float:
        return self.start_s if now_s < self.start_s else now_s + 1.0

    def _take_in(self, record: Record) -> float:
        """Add one item's entry unless a write has done so meanwhile; returns its write units."""
        table, index = self.table, self.index
        if table.rows.get(record.order) is not record or index not in table.indexes:
            return 0.0
        position = table.indexes.index(index)
        assert record.entries is not None
        if record.entries[position] is not None:
            return 0.0
        item = orjson.loads(record.text)
        try:
            order = index.keys.entry_order(item, record.order)
        except DynamoDBError:
            return 0.0
        if order is None:
            return 0.0
        if index.projects_all:
            text, size = record.text, record.size_bytes
        else:
            entry = index.entry_of(item)
            text, size = stored_text(entry), item_size_bytes(entry)
        record.entries[position] = added = Record(order, text, size)
        index.records.insert(added)
        index.size_bytes += size
        return write_units(size)
