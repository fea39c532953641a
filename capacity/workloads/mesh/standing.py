"""What stands in the table at any place of a stream of requests: the rows that a Query reads."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from capacity.dynamodb.table import Table
from capacity.workloads.mesh.event_reads import EventReads
from capacity.workloads.mesh.items import ItemKind
from capacity.workloads.mesh.requests import Floats, Ints
from capacity.workloads.mesh.rows import Ledger
from capacity.workloads.mesh.steps import PutEvents, Query
from capacity.workloads.mesh.writes import Sizing, Writes

PAGE_BYTES = 1024 * 1024  # a Query reads at most this much per call; Developer Guide, read 2026-11-30


class Standing:
    """Follows the rows of one stream. `event_puts` are the requests that record events, with their steps."""

    def __init__(self, sizing: Sizing, table: Table, writes: Writes, event_puts: list[tuple[Ints, PutEvents]]) -> None:
        self.requests, self.sizing, self.table = sizing.requests, sizing, table
        self.writes, self.event_puts = writes, event_puts
        self._ledgers: dict[tuple[str, str, str | None, bool], Ledger] = {}

    def query_bytes(self, rows: Ints, step: Query) -> Floats:
        """Bytes that one page of a Query reads, for each of the requests `rows`."""
        if not step.after_cursor:
            return np.minimum(self.of(step.partition, step.prefix, rows, index=step.index), PAGE_BYTES)
        kind = next(kind for kind in self.sizing.kinds if kind.matches(step.partition, step.prefix))
        count = self._event_reads.count(rows)
        if step.limit is not None:
            count = np.minimum(count, step.limit)
        total = count * self.event_bytes(rows, kind)
        if step.beyond is not None:
            total = total + self._bytes_beyond(rows, step, step.beyond, count)
        return np.minimum(total, PAGE_BYTES)

    def _bytes_beyond(self, rows: Ints, step: Query, prefix: str, events: Ints) -> Floats:
        """Bytes of the rows that sort behind the events and are read with them, as far as the limit leaves room."""
        size = self.of(step.partition, prefix, rows)
        if step.limit is None:
            return size
        there = self.of(step.partition, prefix, rows, count=True)
        return size * np.minimum(there, step.limit - events) / np.maximum(there, 1)

    def of(self, partition: str, prefix: str, rows: Ints, *, index: str | None = None, count: bool = False) -> Floats:
        """Bytes (or rows) under a partition and prefix just before each request."""
        key = (partition, prefix, index, count)
        if key not in self._ledgers:
            self._ledgers[key] = self._ledger(*key)
        return self._ledgers[key].at(self.sizing.entity(partition + prefix, *self._who(rows)), rows)

    def event_bytes(self, rows: Ints, kind: ItemKind) -> Floats:
        """Bytes of one event of each request."""
        _, group, node = self._who(rows)
        return self.sizing.size_bytes(kind, group, node, 0)

    @cached_property
    def _event_reads(self) -> EventReads:
        return EventReads(self.requests)

    def _ledger(self, partition: str, prefix: str, index: str | None, count: bool) -> Ledger:
        template = partition + prefix
        containers, orders, changes = [], [], []
        for number, kind in enumerate(self.sizing.kinds):
            if not self._reads(kind, partition, prefix, index):
                continue
            w = self.writes.where((self.writes.kind == number) & self.writes.made)
            containers.append(self.sizing.entity(template, self.requests.group_domain[w.group], w.group, w.node))
            orders.append(w.request)
            changes.append(self._change(w, kind, index, count))
        for rows, put in self.event_puts:
            kind = next(kind for kind in self.sizing.kinds if kind.name == put.kind)
            if self._reads(kind, partition, prefix, index):
                containers.append(self.sizing.entity(template, *self._who(rows)))
                orders.append(rows)
                size = np.ones(len(rows)) if count else self.event_bytes(rows, kind)
                changes.append(size * self.requests.items[rows])
        none = np.zeros(0, np.int64)
        return Ledger.of(
            np.concatenate([none, *containers]),
            np.concatenate([none, *orders]),
            np.concatenate([np.zeros(0), *changes]),
            len(self.requests) + 1,
        )

    def _change(self, w: Writes, kind: ItemKind, index: str | None, count: bool) -> Floats:
        """Bytes or rows that each write adds; an index that does not project everything holds smaller entries."""
        there: Floats = (w.after > 0).astype(np.float64) - (w.before > 0)
        if count:
            return there
        if index is not None:
            entry = kind.entry(self.table, self.table.index(index))
            if entry is not kind:
                return there * self.sizing.size_bytes(entry, w.group, w.node, 0)
        return w.after - w.before

    def _reads(self, kind: ItemKind, partition: str, prefix: str, index: str | None) -> bool:
        if index is None:
            return kind.matches(partition, prefix)
        key = self.table.index(index).key
        sort = str(kind.attributes.get(key.sort or ""))
        return kind.attributes.get(key.partition) == partition and sort.startswith(prefix)

    def _who(self, rows: Ints) -> tuple[Ints, Ints, Ints]:
        return self.requests.domain[rows], self.requests.group[rows], self.requests.node[rows]
