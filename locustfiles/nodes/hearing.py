"""How a node hears the others: by subscription over a WebSocket, or by polling. Both write down what they hear."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from locustfiles.ledger.marker import read_stamp
from locustfiles.network.realtime import RealtimeConnection, RealtimeError
from locustfiles.nodes.outbox import PollingCursor
from locustfiles.running.clock import now_s
from locustfiles.running.parts import FIRED, RECORDED, REPORT

if TYPE_CHECKING:
    from locustfiles.nodes.node import Node

_NAN = float("nan")
MAX_RECONNECT_S = 30.0
CHECK_EVERY_S = 15.0


class Hearing(ABC):
    """One node's ear. `start` may block, `stop` must not."""

    is_polling: bool
    event_operation: str

    def __init__(self, node: Node) -> None:
        self._node = node
        self._session = node.session
        self._receiver = node.place.index
        self._group_id = node.group_id
        self._last_heard: dict[tuple[int, int], int] = {}
        self._since_s: float | None = None

    @abstractmethod
    def start(self) -> None:
        """Begin to listen."""

    @abstractmethod
    def stop(self) -> None:
        """Listen no more."""

    def recorded(self, next_since: str | None) -> None:  # noqa: B027 -- matters to polling alone
        """The node's own events were recorded."""

    def _begin_presence(self, since_s: float) -> None:
        self._since_s = since_s
        self._write_presence(_NAN)

    def _end_presence(self, until_s: float) -> None:
        if self._since_s is not None:
            self._write_presence(until_s)
            self._since_s = None

    def _write_presence(self, until_s: float) -> None:
        place = self._node.place
        self._session.presences.append(
            (self._receiver, place.group_index, self._group_id, self.is_polling, self._since_s, until_s)
        )

    def _sequence(self, sender: int, kind: int, text: str) -> int | None:
        heard = (sender, kind)
        sequence = read_stamp(text, self._last_heard.get(heard, 0))
        if sequence is not None and sequence > self._last_heard.get(heard, -1):
            self._last_heard[heard] = sequence
        return sequence

    def _received(self, sender: int, kind: int, sequence: int | None, received_s: float, foreign: bool = False) -> None:
        self._session.receptions.append(
            (self._receiver, sender, kind, -1 if sequence is None else sequence, received_s, foreign)
        )


class Subscription(Hearing):
    """A WebSocket with one subscription; after a loss it reconnects with growing, jittered pauses."""

    is_polling = False
    event_operation = "fireEventsByNode"

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self._connection: RealtimeConnection | None = None
        self._wanted = False
        self._attempt = 0

    def start(self) -> None:
        self._wanted = True
        self._connect()

    def stop(self) -> None:
        self._wanted = False
        self._end_presence(now_s())
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def drop(self, _: float) -> None:
        """The connection breaks, by scenario; the node notices at once."""
        if self._connection is not None and self._wanted:
            self._connection.close()
            self._lost("broken on purpose")

    def _connect(self, _: float = 0.0) -> None:
        if not self._wanted:
            return
        node, session = self._node, self._session
        connection = RealtimeConnection(session.graphql_url, session.api_key, self._heard, self._lost, session.tls)
        self._connection = connection
        try:
            connection.open()
            since_s = connection.subscribe({"groupId": self._group_id, "domain": node.domain})
        except (RealtimeError, OSError) as fault:
            connection.close()
            error_type = fault.error_type if isinstance(fault, RealtimeError) else type(fault).__name__
            session.notes[f"subscription failed: {error_type}"] += 1
            self._retry()
            return
        if not self._wanted:
            connection.close()
            return
        self._attempt = 0
        self._begin_presence(since_s)
        session.scheduler.enter(now_s() + CHECK_EVERY_S, lambda _: self._check(connection))

    def _check(self, connection: RealtimeConnection) -> None:
        """Give up a connection on which even the keep-alives have ceased."""
        if self._connection is not connection:
            return
        if connection.is_silent(now_s()):
            connection.close()
            self._lost("no keep-alive within the service's timeout")
        else:
            self._session.scheduler.enter(now_s() + CHECK_EVERY_S, lambda _: self._check(connection))

    def _lost(self, reason: str) -> None:
        self._session.notes[f"WebSocket lost: {reason}"] += 1
        self._end_presence(now_s())
        self._retry()

    def _retry(self) -> None:
        self._connection = None
        if self._wanted and now_s() < self._node.sending_until_s:
            pause_s = min(MAX_RECONNECT_S, 2.0**self._attempt) * random.uniform(0.5, 1.0)
            self._attempt += 1
            self._session.scheduler.enter(now_s() + pause_s, self._connect)

    def _heard(self, message: dict[str, Any], received_s: float) -> None:
        if message["groupId"] != self._group_id or message["domain"] != self._node.domain:
            self._received(-1, FIRED, None, received_s, foreign=True)
        elif status := message["nodeStatus"]:
            sender = self._session.index_of(status["nodeId"])
            data = status["data"]
            sequence = self._sequence(sender, REPORT, data[0]["value"]) if data else None
            self._received(sender, REPORT, sequence, received_s)
        elif batch := message["batchEvent"]:
            sender = self._session.index_of(batch["firedByNodeId"])
            events = batch["events"]
            sequence = self._sequence(sender, FIRED, events[0]["payload"] or "") if events else None
            self._received(sender, FIRED, sequence, received_s)
        elif message["groupDissolve"]:
            self._node.disconnect()


class Polling(Hearing):
    """pollGroupData every polling interval, with the deployed client's cursor rule."""

    is_polling = True
    event_operation = "recordEventsByNode"

    def __init__(self, node: Node, joined_s: float, entering_s: float) -> None:
        """The first poll asks for events since `entering_s`, when the node asked to open or join the group."""
        super().__init__(node)
        since = datetime.fromtimestamp(entering_s, UTC)
        self._cursor = PollingCursor(f"{since:%Y-%m-%dT%H:%M:%S}.{since.microsecond // 1000:03d}Z")
        self._joined_s = joined_s
        self._last_poll_s = joined_s

    def start(self) -> None:
        self._begin_presence(self._joined_s)

    def stop(self) -> None:
        # What was published after the last poll that was answered had no chance to be heard.
        self._end_presence(self._last_poll_s)

    def recorded(self, next_since: str | None) -> None:
        self._cursor.recorded(next_since)
        self._write_cursor()

    def poll(self, due_s: float) -> None:
        """One poll, due at `due_s`."""
        started_s = now_s()
        answer = self._node._call("pollGroupData", {"since": self._cursor.since}, due_s)
        received_s = now_s()
        if answer.outcome != "ok" or not answer.data:
            return
        self._last_poll_s = max(self._last_poll_s, started_s)
        for status in answer.data["nodeStatuses"]:
            self._take_status(status, received_s)
        events = answer.data["events"]
        for event in events:
            sender = self._session.index_of(event["firedByNodeId"])
            if sender != self._receiver:
                sequence = self._sequence(sender, RECORDED, event["payload"] or "")
                foreign = event["groupId"] != self._group_id
                self._received(sender, RECORDED, sequence, received_s, foreign)
        if events:
            self._cursor.answered(event["cursor"] for event in events)
            self._write_cursor()

    def _take_status(self, status: dict[str, Any], received_s: float) -> None:
        sender = self._session.index_of(status["nodeId"])
        if sender == self._receiver or not status["data"]:
            return
        before = self._last_heard.get((sender, REPORT))
        sequence = self._sequence(sender, REPORT, status["data"][0]["value"])
        if sequence is not None and sequence != before:  # a report is a state: seeing it again is no message
            self._received(sender, REPORT, sequence, received_s, status["groupId"] != self._group_id)

    def _write_cursor(self) -> None:
        self._session.cursors.append((self._receiver, now_s(), self._cursor.since))
