"""The delivery ledger: what became of every (message, receiver) pair that an accepted mutation owes.

Fed with what senders published and receivers received, in any mixture of processes, it settles messages once they are
old enough, so its memory is bounded by HORIZON_S of traffic. Every pair ends as exactly one of: delivered, late,
duplicate, out_of_order, lost, lost_after_ack, lost_by_cursor, superseded, unsettled; `expected` is their sum. Messages
of other groups (crosstalk) are counted apart.

Rules:

* A mutation that was refused owes nothing. One without an answer owes if anybody received it.
* WebSocket: every node of the group, the sender too, whose subscription was acknowledged before the mutation was sent
  and still stood when it was answered; if it ended less than the time limit later, the pair is unsettled.
* Polling, events: every other node of the group that joined before. An event answered after the receiver's last poll is
  unsettled. An event that never came while the receiver's cursor stands behind its key is lost by the cursor rule.
* Polling, reports: a report is a state. One that was overwritten before the receiver read it is superseded; the latency
  of one that was read is its age.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from locustfiles.ledger.ledger_columns import (
    CROSSTALK,
    DELIVERED,
    DUPLICATE,
    LATE,
    LOST,
    LOST_AFTER_ACK,
    LOST_BY_CURSOR,
    OUT_OF_ORDER,
    SUPERSEDED,
    UNSETTLED,
    Columns,
    Flags,
    Floats,
    Ints,
    Presences,
    Publications,
    Receptions,
    Settled,
)
from locustfiles.running.parts import ACCEPTED, FIRED, RECORDED, REFUSED, REPORT

HORIZON_S = 30.0
"""A message is settled this long after it was sent; what comes even later was lost."""
WEBSOCKET_LIMIT_S = 1.0
AFTER_ACK_S = 1.0


@dataclass(frozen=True)
class _Matched(Columns):
    """Receptions that wait for their message, or have it."""

    receiver: Ints
    code: Ints
    received_s: Floats
    overtaken: Flags


class Settlement:
    """The ledger of one run. `publish` and `receive` feed it, `settle` takes out what is old enough."""

    def __init__(self, presences: Presences, cursors: dict[int, str], polling_limit_s: float) -> None:
        """`cursors` is the last cursor of each polling receiver."""
        self._presences = presences
        self._polls = {int(r): bool(p) for r, p in zip(presences.receiver, presences.polling, strict=True)}
        self._cursors = cursors
        self._polling_limit_s = polling_limit_s
        self._publications: list[Publications] = []
        self._receptions: list[_Matched] = []
        self._crosstalk: list[Settled] = []
        self._highest: dict[int, int] = {}
        self.unknown_receptions = 0
        """Receptions of messages that no sender's part tells of, as after the loss of a worker."""

    def publish(self, publications: Publications) -> None:
        """Take in messages."""
        self._publications.append(publications)

    def receive(self, receptions: Receptions) -> None:
        """Take in receptions, those of one receiver in the order of their arrival."""
        readable = ~receptions.foreign & (receptions.sequence >= 0) & (receptions.sender >= 0)
        if not readable.all():
            self._crosstalk.append(self._strange(receptions[~readable]))
        r = receptions[readable]
        code = _code(r.sender, r.kind, r.sequence)
        self._receptions.append(_Matched(r.receiver, code, r.received_s, self._overtaken(r)))

    def settle(self, until_s: float) -> Settled:
        """Settle every message sent before `until_s`; infinity settles all."""
        parts = self._crosstalk
        self._crosstalk = []
        if self._publications:
            publications = Publications.join(self._publications)
            old = publications.sent_s < until_s
            self._publications = [publications[~old]]
            parts = [*parts, self._settle(publications[old], until_s)]
        return Settled.join(parts) if parts else _NOTHING

    def _settle(self, publications: Publications, until_s: float) -> Settled:
        receptions = _Matched.join(self._receptions) if self._receptions else _NO_RECEPTIONS
        message, known = _rows(_code(publications.sender, publications.kind, publications.sequence), receptions.code)
        rest = receptions[~known]
        unknown = rest.received_s < until_s - HORIZON_S
        self.unknown_receptions += int(unknown.sum())
        self._receptions = [rest[~unknown]]
        came = self._came(publications, receptions[known], message[known])
        owed = self._owed(publications, came)
        return Settled.join([_settled(publications, *came), _settled(publications, *owed)])

    def _strange(self, r: Receptions) -> Settled:
        """Messages of another group, or that carry no number of ours."""
        group_of = dict(zip(self._presences.receiver.tolist(), self._presences.group.tolist(), strict=True))
        group = np.array([group_of.get(receiver, -1) for receiver in r.receiver.tolist()], dtype=np.int64)
        polling, outcome = self._polling(r.receiver), np.full(len(r), CROSSTALK)
        nothing = np.full(len(r), np.nan)
        return Settled(
            r.received_s, r.received_s, group, r.kind, polling, r.sender, r.receiver, r.sequence, outcome, nothing
        )

    def _overtaken(self, r: Receptions) -> Flags:
        """Which came after a later message of the same sender and kind."""
        overtaken = np.zeros(len(r), dtype=bool)
        if not len(r):
            return overtaken
        pair = _pair(r.receiver, r.sender, r.kind)
        order = np.argsort(pair, kind="stable")
        pair, sequence = pair[order], r.sequence[order]
        pairs, first, size = np.unique(pair, return_index=True, return_counts=True)
        before = np.array([self._highest.get(code, -1) for code in pairs.tolist()], dtype=np.int64)
        rank = np.repeat(np.arange(len(pairs)), size)
        # Led by its pair's rank, the running maximum begins anew with each pair.
        running = np.maximum.accumulate((rank << 40) + np.maximum(sequence, before[rank]) + 1)
        highest = (running & ((1 << 40) - 1)) - 1
        previous = np.roll(highest, 1)
        previous[first] = before
        overtaken[order] = sequence < previous
        self._highest.update(zip(pairs.tolist(), highest[first + size - 1].tolist(), strict=True))
        return overtaken

    def _polling(self, receiver: Ints) -> Flags:
        return np.array([self._polls.get(node, False) for node in receiver.tolist()], dtype=bool)

    def _came(self, publications: Publications, receptions: _Matched, message: Ints) -> _Pairs:
        order = np.lexsort((receptions.received_s, receptions.receiver, message))
        message, receptions = message[order], receptions[order]
        _, first, count = np.unique(_pair_code(message, receptions.receiver), return_index=True, return_counts=True)
        message, receptions = message[first], receptions[first]
        polling = self._polling(receptions.receiver)
        latency_s = receptions.received_s - publications.sent_s[message]
        limit_s = np.where(polling, self._polling_limit_s, WEBSOCKET_LIMIT_S)
        outcome = np.select(
            [count > 1, receptions.overtaken, latency_s > limit_s], [DUPLICATE, OUT_OF_ORDER, LATE], DELIVERED
        )
        return message, receptions.receiver, polling, outcome, latency_s

    def _owed(self, publications: Publications, came: _Pairs) -> _Pairs:
        """The pairs that an accepted mutation owes and that did not come."""
        p, presences = publications, self._presences
        came_message, came_receiver, *_ = came
        heard = np.zeros(len(p), dtype=bool)
        heard[came_message] = True
        owing = np.flatnonzero((p.fate == ACCEPTED) | (p.fate != REFUSED) & heard)
        start = np.searchsorted(presences.group, p.group[owing], "left")
        count = np.searchsorted(presences.group, p.group[owing], "right") - start
        message = np.repeat(owing, count)
        nth = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        there = presences[np.repeat(start, count) + nth]
        owed = np.where(
            there.polling,
            (there.receiver != p.sender[message]) & (p.kind[message] != FIRED),
            (there.until_s >= p.answered_s[message]) & (p.kind[message] != RECORDED),
        )
        owed &= there.since_s <= p.sent_s[message]
        owed &= ~np.isin(_pair_code(message, there.receiver), _pair_code(came_message, came_receiver))
        message, there = message[owed], there[owed]
        outcome = self._why(p[message], there)
        return message, there.receiver, there.polling, outcome, np.full(len(message), np.nan)

    def _why(self, p: Publications, there: Presences) -> Ints:
        """Of each pair that did not come, its outcome."""
        by_cursor, superseded = np.zeros(len(p), dtype=bool), np.zeros(len(p), dtype=bool)
        for row in np.flatnonzero(there.polling & (p.kind == RECORDED)).tolist():
            key = p.key[row]
            by_cursor[row] = key is not None and self._cursors.get(int(there.receiver[row]), "") >= key
        pair = _pair(there.receiver, p.sender, p.kind)
        for row in np.flatnonzero(there.polling & (p.kind == REPORT)).tolist():
            superseded[row] = self._highest.get(int(pair[row]), -1) > p.sequence[row]
        unsettled = there.until_s - p.answered_s < np.where(there.polling, 0.0, WEBSOCKET_LIMIT_S)
        after_ack = ~there.polling & (p.sent_s - there.since_s < AFTER_ACK_S)
        return np.select(
            [superseded, by_cursor, unsettled, after_ack], [SUPERSEDED, LOST_BY_CURSOR, UNSETTLED, LOST_AFTER_ACK], LOST
        )


_Pairs = tuple[Ints, Ints, Flags, Ints, Floats]
"""Row of the message, receiver, whether it polls, outcome, latency."""


def _pair(receiver: Ints, sender: Ints, kind: Ints) -> Ints:
    return (receiver << 24) + (sender << 2) + kind  # a scenario has at most 100,000 nodes


def _pair_code(message: Ints, receiver: Ints) -> Ints:
    return (message << 24) + receiver


def _code(sender: Ints, kind: Ints, sequence: Ints) -> Ints:
    return (sender << 42) + (kind << 40) + sequence


def _rows(codes: Ints, wanted: Ints) -> tuple[Ints, Flags]:
    """Of each wanted code its row in `codes`, and whether it is there."""
    if not len(codes):
        return np.zeros(len(wanted), dtype=np.int64), np.zeros(len(wanted), dtype=bool)
    order = np.argsort(codes)
    row = order[np.searchsorted(codes[order], wanted).clip(max=len(codes) - 1)]
    return row, codes[row] == wanted


def _settled(
    p: Publications, message: Ints, receiver: Ints, polling: Flags, outcome: Ints, latency_s: Floats
) -> Settled:
    p = p[message]
    return Settled(p.sent_s, p.answered_s, p.group, p.kind, polling, p.sender, receiver, p.sequence, outcome, latency_s)


def _none(*kinds: type) -> list[NDArray[Any]]:
    return [np.zeros(0, dtype=kind) for kind in kinds]


_NO_RECEPTIONS = _Matched(*_none(np.int64, np.int64, float, bool))
_NOTHING = Settled(*_none(float, float, np.int64, np.int64, bool, np.int64, np.int64, np.int64, np.int64, float))
