"""One simulated pupil: what hosts and members do alike while their group lives.

Each timer runs on its own absolute schedule; requests of different timers, and heartbeats, polls and syncs of the same
one, may be under way together, as in the deployed client. Reports go one at a time, and a batch of events waits for the
report that is under way.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

import gevent

from capacity.scenario import Timer as TimerName
from locustfiles.ledger.marker import stamp
from locustfiles.network.requester import Requester
from locustfiles.nodes.agenda import Action, Timer
from locustfiles.nodes.answers import Answer
from locustfiles.nodes.hearing import Hearing, Polling, Subscription
from locustfiles.nodes.outbox import Event, EventQueue, ReportMerger
from locustfiles.nodes.plan import Member
from locustfiles.nodes.session import Session
from locustfiles.running.clock import now_s
from locustfiles.running.parts import ACCEPTED, FIRED, RECORDED, REFUSED, REPORT, UNANSWERED

RETRY_S = 2.0
"""How long a pupil waits before trying again to open or join a group."""


class Node(ABC):
    """A host or a member. `live` brings it into its group, timers do the rest, `end` takes it out."""

    heartbeat_operation: str

    def __init__(self, session: Session, place: Member, requester: Requester) -> None:
        self.session = session
        self.place = place
        self.requester = requester
        self.name = session.plan.node_name(place.index)
        self.domain = session.plan.domain_name(place.domain_index)
        self.group_id: str | None = None
        self.ended = False
        self.sending_until_s = session.start.start_s + session.plan.sending_until_s(place.index)
        """When this node's timers stop."""
        self.filtered = session.plan.has_fault("filtered", place.index)
        """Whether something between this node and the service blocks WebSocket."""
        self.connected = False
        self._timers: dict[TimerName, Timer] = {}
        self._hearing: Hearing | None = None
        self._reports = ReportMerger(session.scenario.settings.data_update_interval_s)
        self._report_sequence = 0
        self._events = EventQueue()
        self._events_wait_for_report: list[float] = []

    # -- to be said by hosts and members -------------------------------------------------------------------------

    @abstractmethod
    def _enter_group(self) -> dict[str, Any] | None:
        """Open or join the group; returns the answer's fields, None when it has to be tried again."""

    def _find_group(self) -> None:  # noqa: B027 -- a member knows its group before it asks to join
        """Learn the id of the group that this node may have opened without hearing of it."""

    @abstractmethod
    def _leave_operation(self) -> tuple[str, dict[str, Any]]:
        """The operation with which this node leaves for good."""

    @abstractmethod
    def _heartbeat_variables(self) -> dict[str, Any]: ...

    @abstractmethod
    def _heartbeat_interval_s(self) -> float:
        """The interval to start from, until the server says another."""

    # -- life ----------------------------------------------------------------------------------------------------

    def live(self) -> None:
        """Enter the group, trying again until the time for sending is over, and start the timers."""
        session = self.session
        while now_s() < self.sending_until_s and not self.ended:
            entering_s = now_s()
            entered = self._enter_group()
            if self.ended:
                self._leave()
                return
            if entered is not None:
                session.entered += 1
                self._start(entered, entering_s)
                return
            gevent.sleep(RETRY_S)

    def _start(self, entered: dict[str, Any], entering_s: float) -> None:
        joined_s = now_s()
        settings, traffic = self.session.scenario.settings, self.session.scenario.traffic
        self.connected = True
        self.requester.group = self.group_id
        if self.place.is_host or not self.session.plan.has_fault("silent_members", self.place.index):
            interval_s = entered.get("heartbeatIntervalSeconds") or self._heartbeat_interval_s()
            self._start_timer("heartbeat", joined_s, interval_s, self._beat)
        if traffic.reports_per_s:
            self._start_timer("report", joined_s, 1 / traffic.reports_per_s, self._change_variables)
        if traffic.event_batches_per_s:
            self._start_timer("event", joined_s, 1 / traffic.event_batches_per_s, self._fire)
        if expires := entered.get("expiresAt"):
            self.session.scheduler.enter(datetime.fromisoformat(expires).timestamp(), self._expire)
        group_uses_websocket = entered.get("useWebSocket")
        if group_uses_websocket is None:
            group_uses_websocket = self.session.plan.is_websocket(self.place.group_index)
        if group_uses_websocket and not self.filtered:
            subscription = Subscription(self)
            self._hearing = subscription
            self._start_timer("sync", joined_s, settings.periodic_data_sync_interval_s, self._list_statuses)
        else:
            polling = Polling(self, joined_s, entering_s)
            self._hearing = polling
            period_s = entered.get("pollingIntervalSeconds") or settings.polling_interval_s
            self._start_timer("poll", joined_s, period_s, polling.poll)
        self._plan_faults()
        self._hearing.start()

    def _plan_faults(self) -> None:
        plan, index = self.session.plan, self.place.index
        moment_s = self.session.start.start_s + plan.fault_s(index)
        if self.place.is_host and plan.has_fault("vanishing_hosts", index):
            self.session.scheduler.enter(moment_s, self._vanish)
        if isinstance(self._hearing, Subscription) and plan.has_fault("reconnecting", index):
            self.session.scheduler.enter(moment_s, self._hearing.drop)

    def _vanish(self, _: float) -> None:
        """Go without a word: the group is left to the service."""
        if self.connected:
            self.session.notes["a host vanished, by scenario"] += 1
            self.disconnect()

    def _start_timer(self, name: TimerName, joined_s: float, period_s: float, action: Action) -> None:
        session, index = self.session, self.place.index
        clock = session.plan.load_clock(name)
        if not clock.is_steady:
            clock = clock.from_moment(session.start.start_s + session.plan.lesson_begin_s(index))
        first_s = clock.after(joined_s, session.plan.phase(name, index) * period_s)
        self._timers[name] = Timer(session.scheduler.enter, first_s, period_s, self.sending_until_s, action, clock)

    def _expire(self, _: float) -> None:
        if self.connected:
            self.end()

    def disconnect(self) -> None:
        """Stop everything without a word to the server, as a client does that has lost its group."""
        self.connected = False
        for timer in self._timers.values():
            timer.stop()
        if self._hearing is not None:
            self._hearing.stop()

    def end(self) -> None:
        """Leave for good. Also one that was disconnected does, so that a run leaves nothing behind."""
        self.ended = True
        self.disconnect()
        with gevent.Timeout(5, False):
            while self.requester.in_flight:
                gevent.sleep(0.02)
        self._leave()

    def _leave(self) -> None:
        self._find_group()
        if self.group_id is not None:
            operation, variables = self._leave_operation()
            self.group_id = None
            self.requester.send(operation, variables)

    # -- timers --------------------------------------------------------------------------------------------------

    def _call(self, operation: str, variables: dict[str, Any], due_s: float, items: int | None = None) -> Answer:
        answer = self.requester.send(
            operation, {"groupId": self.group_id, "domain": self.domain, **variables}, due_s, items
        )
        if answer.disconnects and self.connected:
            self.session.notes[f"disconnected by {answer.error_type}"] += 1
            self.disconnect()
        return answer

    def _beat(self, due_s: float) -> None:
        answer = self._call(self.heartbeat_operation, self._heartbeat_variables(), due_s)
        if answer.outcome == "ok" and answer.data and self.connected:
            interval_s = answer.data.get("heartbeatIntervalSeconds")
            if interval_s:
                self._timers["heartbeat"].follow(float(interval_s), now_s())

    def _list_statuses(self, due_s: float) -> None:
        self._call("listGroupStatuses", {}, due_s)

    def _change_variables(self, due_s: float) -> None:
        if self._reports.update(due_s):
            self.session.notes["a report was merged into the next one"] += 1
        self._report()

    def _report(self, _: float = 0.0) -> None:
        """Send what is due, one report after the other, until nothing is."""
        while self.connected:
            intended_s = self._reports.next_intended_s()
            if intended_s is None:
                return
            if intended_s > now_s() + 1e-4:
                self.session.scheduler.enter(intended_s, self._report)
                return
            try:
                self._send_report(self._reports.send())
            finally:
                self._reports.in_flight = False
            waiting, self._events_wait_for_report = self._events_wait_for_report, []
            for due_s in waiting:
                self.session.scheduler.start(self._send_events, due_s)

    def _send_report(self, intended_s: float) -> None:
        self._report_sequence += 1
        traffic = self.session.scenario.traffic
        value = stamp(self._report_sequence, traffic.value_bytes)
        data = [{"key": f"var{number:02d}", "value": value} for number in range(1, traffic.variables_per_report + 1)]
        sent_s = now_s()
        answer = self._call("reportDataByNode", {"nodeId": self.name, "data": data}, intended_s, len(data))
        self._publish(REPORT, self._report_sequence, sent_s, answer)

    def _fire(self, due_s: float) -> None:
        traffic = self.session.scenario.traffic
        for number in range(traffic.events_per_batch):
            payload = stamp(self._events.next_order, traffic.payload_bytes)
            self._events.fire(f"event{number + 1:03d}", payload, due_s)
        if self._reports.in_flight:
            self._events_wait_for_report.append(due_s)
        else:
            self._send_events(due_s)

    def _send_events(self, due_s: float) -> None:
        events = self._events.take_all()
        if not events:
            self.session.notes["a batch of events went with an earlier one"] += 1
        if not events or not self.connected or self._hearing is None:
            return
        wire = [_wire(event) for event in events]
        sent_s = now_s()
        answer = self._call(self._hearing.event_operation, {"nodeId": self.name, "events": wire}, due_s, len(wire))
        if self._hearing.is_polling:
            next_since = (answer.data or {}).get("nextSince")
            self._hearing.recorded(next_since)
            for event, sent in zip(events, wire, strict=True):
                key = _sort_key(next_since, sent["orderKey"])
                self._publish(RECORDED, event.order, sent_s, answer, key)
        else:
            self._publish(FIRED, events[0].order, sent_s, answer)

    def _publish(self, kind: int, sequence: int, sent_s: float, answer: Answer, key: str | None = None) -> None:
        if answer.outcome == "ok":
            fate = ACCEPTED
        elif answer.received:
            fate = REFUSED
        else:
            fate = UNANSWERED
        self.session.publications.append(
            (self.place.index, kind, sequence, self.place.group_index, sent_s, now_s(), fate, key)
        )


def _wire(event: Event) -> dict[str, str]:
    second = int(event.fired_s)
    iso, compact = _second_texts(second)
    return {
        "eventName": event.name,
        "payload": event.payload,
        "firedAt": f"{iso}.{int((event.fired_s - second) * 1000):03d}Z",
        "orderKey": f"{compact}-{event.order:07d}",
    }


@lru_cache(maxsize=8)
def _second_texts(second: int) -> tuple[str, str]:
    fired = datetime.fromtimestamp(second, UTC)
    return f"{fired:%Y-%m-%dT%H:%M:%S}", f"{fired:%Y%m%d%H%M%S}"


def _sort_key(next_since: str | None, order_key: str) -> str | None:
    """The sort key of an event of a batch up to its random tail, from the batch's last key."""
    if not next_since:
        return None
    prefix, timestamp, *_ = next_since.split("#")
    return f"{prefix}#{timestamp}#{order_key}"
