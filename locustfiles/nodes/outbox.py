"""What a client holds back before it sends: merged variables and queued events. Pure; times come from outside."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

MAX_QUEUED_EVENTS = 100


class ReportMerger:
    """At most one report in flight and one per data interval; updates in between are merged into the next.

    The interval counts from the moment at which the last report was meant to go, so that a schedule of exactly one
    update per interval does not drift.
    """

    def __init__(self, interval_s: float) -> None:
        self.interval_s = interval_s
        self.in_flight = False
        self._earliest_update_s: float | None = None
        self._last_intended_s = float("-inf")

    def update(self, due_s: float) -> bool:
        """The project changed its variables at `due_s`; returns whether that is merged into an update that waits."""
        if self._earliest_update_s is not None:
            return True
        self._earliest_update_s = due_s
        return False

    def next_intended_s(self) -> float | None:
        """When the next report is meant to go; None when there is nothing to send or one is in flight."""
        if self.in_flight or self._earliest_update_s is None:
            return None
        return max(self._earliest_update_s, self._last_intended_s + self.interval_s)

    def send(self) -> float:
        """Take the merged update as sent and in flight; returns its intended start. Set `in_flight` back when done."""
        intended_s = self.next_intended_s()
        if intended_s is None:
            raise ValueError("there is no report to send")
        self._earliest_update_s = None
        self._last_intended_s = intended_s
        self.in_flight = True
        return intended_s


@dataclass(frozen=True, slots=True)
class Event:
    """One event as the client queues it."""

    name: str
    payload: str
    fired_s: float
    order: int
    """The client's running number, from 1 on create or join."""


class EventQueue:
    """At most 100 events wait; the oldest is dropped for the newest; an equal name and payload waits only once."""

    def __init__(self) -> None:
        self._waiting: deque[Event] = deque()
        self._contents: set[tuple[str, str]] = set()
        self._order = 0
        self.duplicates_skipped = 0
        self.dropped = 0

    def fire(self, name: str, payload: str, fired_s: float) -> bool:
        """Queue an event; returns whether it was queued, False for one that already waits."""
        if (name, payload) in self._contents:
            self.duplicates_skipped += 1
            return False
        if len(self._waiting) >= MAX_QUEUED_EVENTS:
            oldest = self._waiting.popleft()
            self._contents.discard((oldest.name, oldest.payload))
            self.dropped += 1
        self._order += 1
        self._waiting.append(Event(name, payload, fired_s, self._order))
        self._contents.add((name, payload))
        return True

    @property
    def next_order(self) -> int:
        """The running number that the next queued event gets."""
        return self._order + 1

    def take_all(self) -> list[Event]:
        """Remove and return everything that waits, oldest first."""
        events = list(self._waiting)
        self._waiting.clear()
        self._contents.clear()
        return events

    def __len__(self) -> int:
        return len(self._waiting)


class PollingCursor:
    """Where a polling node reads on: the last event of a poll's answer, or the end of its own record.

    Taking over `nextSince` after recording is the deployed client's rule. Whatever another node recorded in between,
    or in the same second with a smaller key, is never fetched; the ledger tells by where the cursor came to stand.
    """

    def __init__(self, since: str) -> None:
        self.since = since

    def answered(self, cursors: Iterable[str]) -> None:
        """A poll returned events with these cursors, in the answer's order."""
        *_, last = ("", *cursors)
        if last:
            self.since = last

    def recorded(self, next_since: str | None) -> None:
        """The node's own recordEventsByNode was answered."""
        if next_since:
            self.since = next_since
