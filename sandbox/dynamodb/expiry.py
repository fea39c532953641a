"""Time to live: expired items are deleted some time later, free of charge."""

from __future__ import annotations

import heapq
import math
from random import Random

import orjson

from sandbox.dynamodb.numbers import number_value
from sandbox.dynamodb.records import Order
from sandbox.dynamodb.tables import TableState
from sandbox.dynamodb.values import Item
from sandbox.dynamodb.writes import Write

OLDEST_S = 5 * 365.25 * 86_400.0
"""Items that expired more than five years ago are left alone (Developer Guide, TTL, 2023-02)."""
PER_TICK = 1000
"""Deletions done at once, so that a wave of expiries does not hold up requests."""


class Expiry:
    """Deletions to come, by time. An entry is a reminder: the item is looked at again when its time has come."""

    def __init__(self, lag_s: tuple[float, float], random: Random):
        self.lag_s = lag_s
        self.random = random
        self.next_s = math.inf
        self._due: list[tuple[float, int, TableState, Order]] = []
        self._serial = 0

    def enable(self, table: TableState, attribute: str) -> None:
        """Watch an attribute; items that are already there count too."""
        table.ttl_attribute = attribute
        table.expiry = self
        for order, record in table.rows.items():
            self.watch(table, order, orjson.loads(record.text))

    def disable(self, table: TableState) -> None:
        table.ttl_attribute = None
        table.expiry = None

    def watch(self, table: TableState, order: Order, item: Item) -> None:
        """Remember when an item just written will have to go."""
        expires_s = expiry_s(table, item)
        if expires_s is None:
            return
        low, high = self.lag_s
        due_s = expires_s + (low if low == high else self.random.uniform(low, high))
        self._serial += 1
        heapq.heappush(self._due, (due_s, self._serial, table, order))
        if due_s < self.next_s:
            self.next_s = due_s
            table.wake(due_s)

    def delete_due(self, now_s: float) -> int:
        """Delete what is due, at most PER_TICK items; returns how many."""
        deleted = 0
        due = self._due
        while due and due[0][0] <= now_s and deleted < PER_TICK:
            _, _, table, order = heapq.heappop(due)
            record = table.rows.get(order)
            if record is None or table.dropped or table.expiry is not self:
                continue
            expires_s = expiry_s(table, orjson.loads(record.text))
            if expires_s is None or expires_s + self.lag_s[0] > now_s or expires_s < now_s - OLDEST_S:
                continue
            Write(table, order, record, None).commit(now_s, free=True)
            table.metrics.count("TimeToLiveDeletedItemCount").add(1.0)
            deleted += 1
        self.next_s = due[0][0] if due else math.inf
        return deleted


def expiry_s(table: TableState, item: Item) -> float | None:
    """Epoch seconds at which an item expires; None without a number in the table's TTL attribute."""
    value = item.get(table.ttl_attribute or "")
    if value is None or "N" not in value:
        return None
    return float(number_value(value["N"]))
