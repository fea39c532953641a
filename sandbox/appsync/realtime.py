"""AppSync's real-time protocol on one WebSocket endpoint.

connection_init -> connection_ack, start -> start_ack, data, stop -> complete, ka every minute. Sources: AppSync
developer guide, "Building a real-time WebSocket client" (read 2026-11), and AWS's own JavaScript client.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from sandbox.appsync.active_minutes import ActiveMinutes
from sandbox.appsync.api_keys import ApiKeys, Unauthorized
from sandbox.appsync.behaviour import Behaviour, RateLimit
from sandbox.appsync.graphql.documents import Documents
from sandbox.appsync.metrics import AppSyncMetrics
from sandbox.appsync.realtime_auth import connect_key
from sandbox.appsync.realtime_frames import (
    KEEP_ALIVE,
    Error,
    complete,
    connection_ack,
    connection_error,
    error,
    error_frame,
    start_ack,
    unsupported,
)
from sandbox.appsync.realtime_start import StartRefused, bind_start
from sandbox.appsync.subscriptions import Subscription, Subscriptions
from sandbox.http.websocket import WebSocketConnection

PROTOCOL = "graphql-ws"
_MAX_ID_CHARACTERS = 256  # a bound of the sandbox's own, so that ids cannot fill its memory
_REFUSED_S = 15.0  # how long a client that may not connect is waited for


@dataclass(frozen=True)
class RealtimeLimits:
    """Defaults are AppSync's (quota page and protocol description, read 2026-11)."""

    subscriptions_per_connection: int = 200
    keep_alive_s: float = 60.0
    connection_timeout_ms: int = 300_000
    connection_lifetime_s: float = 24 * 3600.0


class Session:
    """The state of one connection."""

    __slots__ = ("acknowledged", "end", "keep_alive", "opened_s", "refusal", "subscriptions")

    def __init__(self, opened_s: float) -> None:
        self.acknowledged = False
        self.refusal: Error | None = None
        self.opened_s = opened_s
        self.subscriptions: dict[str, Subscription] = {}
        self.end: Any = None
        """Timer that closes the connection."""
        self.keep_alive: Any = None
        """Timer of the next `ka`."""

    def cancel_timers(self) -> None:
        """Leave nothing behind that would wake up later."""
        for timer in (self.end, self.keep_alive):
            if timer is not None:
                timer.cancel()


CallLater = Callable[[float, Callable[[], None]], Any]


class Realtime:
    """Who talks on every WebSocket of the API. `call_later(delay_s, callback)`: the loop's, unless a test sets it."""

    subprotocols: tuple[str, ...] = (PROTOCOL,)

    def __init__(
        self,
        documents: Documents,
        subscriptions: Subscriptions,
        keys: ApiKeys,
        metrics: AppSyncMetrics,
        limits: RealtimeLimits | None = None,
        timer: Callable[[], float] = time.monotonic,
        call_later: CallLater | None = None,
        behaviour: Behaviour | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """timer: seconds, for durations; clock: epoch seconds, for the minutes that levels are counted in."""
        behaviour = behaviour or Behaviour()
        self.connects = RateLimit(behaviour.connects_per_s, timer)
        self.most_connections = math.inf if behaviour.connections is None else behaviour.connections
        self.documents = documents
        self.subscriptions = subscriptions
        self.keys = keys
        self.metrics = metrics
        self.limits = limits or RealtimeLimits()
        self.connections: set[WebSocketConnection] = set()
        self._timer = timer
        self._call_later = call_later or (lambda delay_s, run: asyncio.get_running_loop().call_later(delay_s, run))
        self._active = ActiveMinutes(metrics, lambda: subscriptions.count, clock, self._call_later)

    # ---- connection ------------------------------------------------------------------------------------------------

    def on_open(self, connection: WebSocketConnection) -> None:
        session = connection.state = Session(self._timer())
        self.connections.add(connection)
        self.metrics.connect_requests.add(1)
        if not self.connects.take() or len(self.connections) > self.most_connections:
            session.refusal = error("LimitExceededError", "Rate limit exceeded", 429)
        else:
            session.refusal = self._refusal(connection)
        if session.refusal is not None:
            self.metrics.connect_client_error.add(1)
            session.end = self._call_later(_REFUSED_S, lambda: connection.close(1000))

    def on_close(self, connection: WebSocketConnection) -> None:
        session: Session = connection.state
        self.connections.discard(connection)
        session.cancel_timers()
        for subscription in session.subscriptions.values():
            self.subscriptions.remove(subscription)
        session.subscriptions.clear()
        if session.acknowledged:
            self._active.disconnected()
            self.metrics.disconnect_success.add(1)
            self.metrics.connection_duration.add(round((self._timer() - session.opened_s) * 1000))

    def on_text(self, connection: WebSocketConnection, text: str) -> None:
        session: Session = connection.state
        if session.refusal is not None:  # told in answer to connection_init, then the connection ends
            connection.send_frame(connection_error(session.refusal))
            connection.close(1000)
            return
        try:
            message = orjson.loads(text)
        except orjson.JSONDecodeError:
            message = None
        kind = message.get("type") if isinstance(message, dict) else None
        if kind == "connection_init":
            self._init(connection, session)
        elif not session.acknowledged:
            return  # what arrives before connection_ack is ignored
        elif kind == "start":
            self._start(connection, session, message)
        elif kind == "stop":
            self._stop(connection, session, message)
        else:
            connection.send_frame(error_frame([unsupported()]))

    def _init(self, connection: WebSocketConnection, session: Session) -> None:
        if not session.acknowledged:
            session.acknowledged = True
            self.metrics.connect_success.add(1)
            self._active.connected()
            lifetime_s = self.limits.connection_lifetime_s
            session.end = self._call_later(lifetime_s, lambda: connection.close(1000, "expired"))
            self._await_keep_alive(connection, session)
        connection.send_frame(connection_ack(self.limits.connection_timeout_ms))
        connection.send_frame(KEEP_ALIVE)

    def _await_keep_alive(self, connection: WebSocketConnection, session: Session) -> None:
        def send() -> None:
            connection.send_frame(KEEP_ALIVE)
            self._await_keep_alive(connection, session)

        session.keep_alive = self._call_later(self.limits.keep_alive_s, send)

    # ---- subscriptions ---------------------------------------------------------------------------------------------

    def _start(self, connection: WebSocketConnection, session: Session, message: Mapping[str, Any]) -> None:
        subscription_id: Any = message.get("id")
        try:
            self._check_id(subscription_id, session)
            selection, arguments = bind_start(message.get("payload"), self.documents, self.keys)
        except StartRefused as refusal:
            self.metrics.subscribe_client_error.add(1)
            connection.send_frame(error_frame(refusal.errors, subscription_id if refusal.named else None))
            return
        subscription = Subscription(connection, subscription_id, selection, arguments)
        session.subscriptions[subscription_id] = subscription
        self.subscriptions.add(subscription)
        self.metrics.subscribe_success.add(1)
        self._active.subscribed()
        connection.send_frame(start_ack(subscription_id))

    def _check_id(self, subscription_id: Any, session: Session) -> None:
        """Raises StartRefused for an id that cannot be taken, and when the connection has no room for another."""
        if not isinstance(subscription_id, str) or not subscription_id:
            raise StartRefused([error("UnsupportedOperation", "start needs an id")], named=False)
        if len(subscription_id) > _MAX_ID_CHARACTERS:
            text = f"an id has at most {_MAX_ID_CHARACTERS} characters, got {len(subscription_id)}"
            raise StartRefused([error("UnsupportedOperation", text)], named=False)
        if subscription_id in session.subscriptions:
            # Both messages as AppSync words them: amplify-js issues 12818 (2024-01) and 7036 (2020-10).
            text = f"Duplicated operation with id {subscription_id}"
            raise StartRefused([error("DuplicatedOperationError", text)])
        most = self.limits.subscriptions_per_connection
        if len(session.subscriptions) >= most:
            text = f"Max number of {most} subscriptions reached"
            raise StartRefused([error("MaxSubscriptionsReachedError", text)])

    def _stop(self, connection: WebSocketConnection, session: Session, message: Mapping[str, Any]) -> None:
        given = message.get("id")
        subscription_id = given if isinstance(given, str) else None
        if subscription_id is None or subscription_id not in session.subscriptions:
            self.metrics.unsubscribe_client_error.add(1)
            unknown = error("UnknownOperationError", f"Unknown operation id {subscription_id}")
            connection.send_frame(error_frame([unknown], subscription_id))
            return
        self.subscriptions.remove(session.subscriptions.pop(subscription_id))
        self.metrics.unsubscribe_success.add(1)
        connection.send_frame(complete(subscription_id))

    # ---- authentication --------------------------------------------------------------------------------------------

    def _refusal(self, connection: WebSocketConnection) -> Error | None:
        if connection.subprotocol != PROTOCOL:
            offered = connection.request.headers.get("sec-websocket-protocol")
            # The second one: graphql-client issue 591 (2023-08).
            return {"message": "SubProtocolNotSupportedError" if offered else "NoProtocolError", "errorCode": 400}
        try:
            self.keys.check(connect_key(connection.request))
        except Unauthorized as fault:
            return error("UnauthorizedException", str(fault), 401)
        except ValueError as fault:
            return error("BadRequestException", str(fault), 400)
        return None
