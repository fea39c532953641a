"""Time to live: expired items are deleted some time later, free of charge."""

from __future__ import annotations

import heapq
import math
from random import Random

import orjson

from sandbox.dynamodb.numbers import number_value
from sandbox.dynamodb.records import Record
from sandbox.dynamodb.tables import TableState
from sandbox.dynamodb.values import Item
from sandbox.dynamodb.writes import Write

OLDEST_S = 5 * 365.25 * 86_400.0
"""Items that expired more than five years ago are left alone (Developer Guide, TTL, 2023-02)."""
PER_TICK = 1000
"""Reminders looked at in one go, so that a wave of expiries does not hold up requests."""
SPARE_REMINDERS = 1024
"""Outdated reminders that the queue may hold whatever the number of items."""


class Expiry:
    """Reminders of deletions to come, by time: one per item. A write that puts an item's expiry off leaves its reminder
    where it is; when its time has come, the item is looked at and the reminder set anew.

    Outdated reminders (of items deleted, or reminded of earlier) are cleared out when they outnumber the others, so the
    queue is bounded by the number of items, however often they are overwritten.
    """

    def __init__(self, lag_s: tuple[float, float], random: Random):
        self.lag_s = lag_s
        self.random = random
        self.next_s = math.inf
        self._due: list[tuple[float, int, TableState, Record]] = []
        self._serial = 0
        self._clear_at = SPARE_REMINDERS

    def __len__(self) -> int:
        """Reminders held, outdated ones included."""
        return len(self._due)

    def enable(self, table: TableState, attribute: str) -> None:
        """Watch an attribute; items that are already there count too."""
        table.ttl_attribute = attribute
        table.expiry = self
        for record in table.rows.values():
            self.watch(table, record, orjson.loads(record.text))

    def disable(self, table: TableState) -> None:
        table.ttl_attribute = None
        table.expiry = None
        for record in table.rows.values():
            record.reminder_s = None
        self._clear()

    def watch(self, table: TableState, record: Record, item: Item) -> None:
        """Remember when an item just written will have to go."""
        expires_s = expiry_s(table, item)
        if expires_s is None:
            return
        reminder_s = record.reminder_s
        if reminder_s is None or reminder_s > expires_s + self.lag_s[1]:
            self._remind(table, record, expires_s)

    def delete_due(self, now_s: float) -> int:
        """Delete what is due, at most PER_TICK items; returns how many."""
        deleted = 0
        due = self._due
        for _ in range(PER_TICK):
            if not due or due[0][0] > now_s:
                break
            entry = heapq.heappop(due)
            if not _is_valid(entry):
                continue
            _, _, table, record = entry
            record.reminder_s = None
            expires_s = expiry_s(table, orjson.loads(record.text))
            if expires_s is None or expires_s < now_s - OLDEST_S:
                continue
            if expires_s + self.lag_s[0] > now_s:
                self._remind(table, record, expires_s)
                continue
            Write(table, record.order, record, None).commit(now_s, free=True)
            table.metrics.count("TimeToLiveDeletedItemCount").add(1.0)
            deleted += 1
        self.next_s = due[0][0] if due else math.inf
        return deleted

    def _remind(self, table: TableState, record: Record, expires_s: float) -> None:
        low, high = self.lag_s
        record.reminder_s = due_s = expires_s + (low if low == high else self.random.uniform(low, high))
        self._serial += 1
        heapq.heappush(self._due, (due_s, self._serial, table, record))
        if due_s < self.next_s:
            self.next_s = due_s
            table.wake(due_s)
        if len(self._due) > self._clear_at:
            self._clear()

    def _clear(self) -> None:
        """Take out what is outdated."""
        self._due[:] = filter(_is_valid, self._due)
        heapq.heapify(self._due)
        self._clear_at = 2 * len(self._due) + SPARE_REMINDERS


def _is_valid(entry: tuple[float, int, TableState, Record]) -> bool:
    """Whether this is the reminder of an item that is still there and still watched."""
    due_s, _, table, record = entry
    watched = table.expiry is not None and not table.dropped
    return watched and record.reminder_s == due_s and table.rows.get(record.order) is record


def expiry_s(table: TableState, item: Item) -> float | None:
    """Epoch seconds at which an item expires; None without a number in the table's TTL attribute."""
    value = item.get(table.ttl_attribute or "")
    if value is None or "N" not in value:
        return None
    return float(number_value(value["N"]))
