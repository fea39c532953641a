"""What AppSync delivers and keeps open: messages to subscribers, connections and their minutes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from capacity.workloads.mesh.requests import CODE, PUBLISHING, Floats, Ints, Outcome, Requests
from capacity.workloads.mesh.rows import Ledger

METERED_BYTES = 5_000
"""One billed message is 5 kB delivered; AppSync's monitoring page, read 2026-11. kB is taken as 1,000 bytes."""


@dataclass(frozen=True)
class Realtime:
    """Publications of a stream of requests and the connections behind it.

    `request` are the publishing requests, `subscribers` how many nodes receive each, the sender included.
    """

    request: Ints
    subscribers: Ints
    message_bytes: Floats
    connections: int
    connection_minutes: float

    @property
    def deliveries(self) -> int:
        """Messages delivered, each to one node."""
        return int(self.subscribers.sum())

    @property
    def metered_messages(self) -> Floats:
        """Billed messages by publication: 5 kB steps of each delivery."""
        return np.ceil(np.maximum(1.0, self.message_bytes) / METERED_BYTES) * self.subscribers


def realtime(requests: Requests, websocket_groups: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Realtime:
    """Deliveries by WebSocket: every subscriber of the group receives each report, batch of events and dissolution."""
    r = requests
    done = (r.outcome == Outcome.DONE) & (r.group >= 0)
    subscribed = done & websocket_groups[np.maximum(r.group, 0)]

    def rows(*names: str) -> Ints:
        return np.flatnonzero(subscribed & np.isin(r.operation, [CODE[name] for name in names]))

    come, go = rows("createGroup", "joinGroup"), rows("leaveGroup", "dissolveGroup")
    places = np.concatenate([come, go])
    change = np.concatenate([np.ones(len(come)), -np.ones(len(go))])
    present = Ledger.of(r.group[places], places, change, len(r) + 1)
    published = np.sort(rows(*PUBLISHING))
    lengths = r.bytes_of
    per_variable = float(lengths["variable_name"]) + float(lengths["value"]) + 20  # {"key":"","value":""},
    per_event = float(lengths["event_name"]) + float(lengths["payload"]) + 200
    is_report = r.operation[published] == CODE["reportDataByNode"]
    each: Floats = np.where(is_report, per_variable, per_event).astype(np.float64)
    body: Floats = each * r.items[published].astype(np.float64)
    end_s = float(r.time_s[-1]) if len(r) else 0.0
    minutes = (end_s - r.time_s[come]).sum() - (end_s - r.time_s[go]).sum()
    return Realtime(
        request=published,
        subscribers=present.at(r.group[published], published).astype(np.int64),
        message_bytes=body + 300.0,  # envelope: ids, names and timestamp of one message
        connections=len(come),
        connection_minutes=max(0.0, float(minutes)) / 60.0,
    )
