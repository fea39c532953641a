"""What a polling node reads: the events of its group behind its cursor, by the deployed system's cursor rule.

An event's key is its server second, then its order key (the second it was fired, then the sender's running number). A
poll takes the last key returned as its cursor; recording takes the last key of the node's own batch, so that events
which others recorded in between, or in the same second with a smaller key, are never read.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from capacity.workloads.mesh.requests import CODE, Floats, Ints, Outcome, Requests

_SEQUENCE_BITS, _SECOND_BITS = 22, 20  # two million events per node, twelve days of run
_ENTERING = ("createGroup", "joinGroup")
_POLLING = ("pollGroupData", "getEventsSince")


class EventReads:
    """Finds, for each poll, how many events a Query behind its caller's cursor reads."""

    def __init__(self, requests: Requests) -> None:
        self._r = requests
        self._record = np.flatnonzero(self._done("recordEventsByNode"))
        items = requests.items[self._record]
        self._place = np.repeat(self._record, items)
        within = np.arange(items.sum()) - np.repeat(np.cumsum(items) - items, items)
        self._key = self._keys(within)
        by_group = np.lexsort((self._place, requests.group[self._place]))
        self._place, self._key = self._place[by_group], self._key[by_group]
        self._group = requests.group[self._place]
        self._largest = self._running_maximum()

    def count(self, rows: Ints) -> Ints:
        """Events read by each of the requests `rows`, without the Query's limit."""
        if len(self._place) == 0 or len(rows) == 0:
            return np.zeros(len(rows), np.int64)
        cursor, group = self._cursor(rows), self._r.group[rows]
        end = self._first_at(group, rows)
        # Server seconds never fall with the order, so nothing before the cursor's second can lie behind it.
        second = self._group * (1 << _SECOND_BITS) + self._key_second(self._key)
        start = np.searchsorted(second, group * (1 << _SECOND_BITS) + self._key_second(cursor))
        lengths = np.maximum(0, end - start)
        owner = np.repeat(np.arange(len(rows)), lengths)
        event = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(start, lengths)
        behind = self._key[event] > cursor[owner]
        return np.bincount(owner[behind], minlength=len(rows)).astype(np.int64)

    def _done(self, *names: str) -> NDArray[np.bool_]:
        r = self._r
        of: NDArray[np.bool_] = np.isin(r.operation, [CODE[name] for name in names])
        return of & np.equal(r.outcome, Outcome.DONE) & np.greater_equal(r.node, 0)

    def _keys(self, within: Ints) -> Ints:
        r, place = self._r, self._place
        number = np.zeros(len(place), np.int64)
        by_node = np.lexsort((within, place, r.node[place]))
        node = r.node[place][by_node]
        _, first, counts = np.unique(node, return_index=True, return_counts=True)
        number[by_node] = np.arange(len(node)) - np.repeat(first, counts)
        return self._key_of(self._second(r.time_s[place]), self._second(r.due_s[place]), number + 1)

    def _second(self, time_s: Floats) -> Ints:
        """Whole seconds by the server's clock, from the second in which the run began."""
        seconds: Ints = (np.floor(self._r.start_s + time_s) - np.floor(self._r.start_s)).astype(np.int64)
        return seconds.clip(0, (1 << _SECOND_BITS) - 1)

    @staticmethod
    def _key_of(server: Ints, fired: Ints, number: Ints) -> Ints:
        return (((server << _SECOND_BITS) | fired) << _SEQUENCE_BITS) | number

    @staticmethod
    def _key_second(key: Ints) -> Ints:
        return key >> (_SECOND_BITS + _SEQUENCE_BITS)

    def _running_maximum(self) -> Ints:
        largest = self._key.copy()
        starts = np.flatnonzero(np.diff(self._group, prepend=-1))
        for start, end in pairwise([*starts.tolist(), len(largest)]):
            np.maximum.accumulate(largest[start:end], out=largest[start:end])
        return largest

    def _first_at(self, group: Ints, place: Ints) -> Ints:
        """Index of the first event of a group that was recorded at or after a place."""
        places = len(self._r) + 1
        return np.searchsorted(self._group * places + self._place, group * places + place)

    def _cursor(self, rows: Ints) -> Ints:
        """Key behind which each request reads; below every key of a second for one that has just entered."""
        r = self._r
        acts = np.flatnonzero(self._done(*_ENTERING, *_POLLING, "recordEventsByNode"))
        acts = acts[np.lexsort((acts, r.node[acts]))]
        previous = np.full(len(r), -1, np.int64)
        same = r.node[acts[1:]] == r.node[acts[:-1]]
        previous[acts[1:]] = np.where(same, acts[:-1], -1)
        before = previous[rows]
        cursor = self._entry(before)
        for names, key in ((_POLLING, self._after_poll), (("recordEventsByNode",), self._after_record)):
            of = (before >= 0) & np.isin(r.operation[before], [CODE[name] for name in names])
            cursor[of] = key(before[of])
        return cursor

    def _entry(self, before: Ints) -> Ints:
        zero = np.zeros(len(before), np.int64)
        second = self._second(self._r.time_s[before])
        return np.where(before >= 0, self._key_of(second, zero, zero), zero) - 1

    def _after_poll(self, place: Ints) -> Ints:
        """The largest key that the group had when the poll was answered: what it returned, or had returned before."""
        group = self._r.group[place]
        last = self._first_at(group, place) - 1
        there = (last >= 0) & (self._group[last] == group)
        return np.where(there, self._largest[last], -1)

    def _after_record(self, place: Ints) -> Ints:
        last = self._first_at(self._r.group[place], place + 1) - 1
        return self._key[last]
