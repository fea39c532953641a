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
from graphql import GraphQLError

from sandbox.appsync.api_keys import ApiKeys, Unauthorized
from sandbox.appsync.behaviour import Behaviour, RateLimit
from sandbox.appsync.graphql.documents import Documents, InvalidDocument, MalformedDocument, SubscriptionStatement
from sandbox.appsync.graphql.validation import variable_errors
from sandbox.appsync.graphql.variables import VariableFault
from sandbox.appsync.metrics import AppSyncMetrics
from sandbox.appsync.realtime_auth import connect_key, start_key
from sandbox.appsync.realtime_start import MalformedStart, start_data
from sandbox.appsync.subscriptions import Subscription, Subscriptions
from sandbox.http.websocket import WebSocketConnection, text_frame

PROTOCOL = "graphql-ws"
_KEEP_ALIVE = text_frame(b'{"type":"ka"}')
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
        self.refusal: dict[str, Any] | None = None
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
        self._clock = clock
        self._active = 0
        self._minutes: Any = None

    # ---- connection ------------------------------------------------------------------------------------------------

    def on_open(self, connection: WebSocketConnection) -> None:
        session = connection.state = Session(self._timer())
        self.connections.add(connection)
        if not self.connects.take() or len(self.connections) > self.most_connections:
            session.refusal = {"errorType": "LimitExceededError", "message": "Rate limit exceeded", "errorCode": 429}
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
            self._active -= 1
            self.metrics.disconnect_success.add(1)
            self.metrics.connection_duration.add(round((self._timer() - session.opened_s) * 1000))

    def on_text(self, connection: WebSocketConnection, text: str) -> None:
        session: Session = connection.state
        if session.refusal is not None:  # told in answer to connection_init, then the connection ends
            _send(connection, {"type": "connection_error", "payload": {"errors": [session.refusal]}})
            connection.close(1000)
            return
        try:
            message = orjson.loads(text)
        except orjson.JSONDecodeError:
            message = None
        if not isinstance(message, dict):
            _send_error(connection, None, "UnsupportedOperation", "The message is not a JSON object.")
            return
        kind = message.get("type")
        if kind == "connection_init":
            self._init(connection, session)
        elif not session.acknowledged:
            return  # what arrives before connection_ack is ignored
        elif kind == "start":
            self._start(connection, session, message)
        elif kind == "stop":
            self._stop(connection, session, message)
        else:
            _send_error(connection, message.get("id"), "UnsupportedOperation", f"unknown message type {kind!r}")

    def _init(self, connection: WebSocketConnection, session: Session) -> None:
        if not session.acknowledged:
            session.acknowledged = True
            self._active += 1
            self.metrics.connect_success.add(1)
            self.metrics.active_connections.add(1)
            if self._minutes is None:
                self._await_minute()
            lifetime_s = self.limits.connection_lifetime_s
            session.end = self._call_later(lifetime_s, lambda: connection.close(1000, "expired"))
            self._await_keep_alive(connection, session)
        timeout_ms = self.limits.connection_timeout_ms
        _send(connection, {"type": "connection_ack", "payload": {"connectionTimeoutMs": timeout_ms}})
        connection.send_frame(_KEEP_ALIVE)

    def _await_keep_alive(self, connection: WebSocketConnection, session: Session) -> None:
        def send() -> None:
            connection.send_frame(_KEEP_ALIVE)
            self._await_keep_alive(connection, session)

        session.keep_alive = self._call_later(self.limits.keep_alive_s, send)

    def _await_minute(self) -> None:
        self._minutes = self._call_later(60.0 - self._clock() % 60.0, self._begin_minute)

    def _begin_minute(self) -> None:
        """ActiveConnections and ActiveSubscriptions count, in each minute of the clock, what was open at its start and
        what was opened in it: their Sum over an hour is connection-minutes, as AppSync documents and bills them."""
        if self._active:
            self.metrics.active_connections.add(self._active)
            self.metrics.active_subscriptions.add(self.subscriptions.count)
            self._await_minute()
        else:
            self._minutes = None

    # ---- subscriptions ---------------------------------------------------------------------------------------------

    def _start(self, connection: WebSocketConnection, session: Session, message: Mapping[str, Any]) -> None:
        subscription_id = message.get("id")
        if not isinstance(subscription_id, str) or not subscription_id:
            self._refuse(connection, None, "UnsupportedOperation", "start needs an id")
            return
        if len(subscription_id) > _MAX_ID_CHARACTERS:
            text = f"an id has at most {_MAX_ID_CHARACTERS} characters, got {len(subscription_id)}"
            self._refuse(connection, None, "UnsupportedOperation", text)
            return
        if subscription_id in session.subscriptions:
            self._refuse(connection, subscription_id, "DuplicatedOperationError", f"{subscription_id} is in use")
            return
        if len(session.subscriptions) >= self.limits.subscriptions_per_connection:
            limit = self.limits.subscriptions_per_connection
            self._refuse(
                connection,
                subscription_id,
                "MaxSubscriptionsReachedError",
                f"Max number of {limit} subscriptions reached",
            )
            return
        payload = message.get("payload")
        try:
            self.keys.check(start_key(payload))
            text, variables, name = start_data(payload)
            statement = self.documents.statement(text, name)
            if not isinstance(statement, SubscriptionStatement):
                self._refuse(
                    connection,
                    subscription_id,
                    "UnsupportedOperation",
                    "only subscriptions are supported through the realtime channel",
                )
                return
            selection, arguments = statement.bind(variables)
        except Unauthorized as fault:
            self._refuse(connection, subscription_id, "UnauthorizedException", str(fault), 401)
        except (MalformedDocument, MalformedStart) as fault:
            self._refuse(connection, subscription_id, "BadRequestException", str(fault), 400)
        except InvalidDocument as fault:
            self._refuse_all(connection, subscription_id, fault.errors)
        except VariableFault as fault:
            self._refuse_all(connection, subscription_id, variable_errors(fault.errors))
        except GraphQLError as fault:
            self._refuse(connection, subscription_id, "BadRequestException", fault.message, 400)
        except RecursionError:
            self._refuse(connection, subscription_id, "BadRequestException", "nested too deeply", 400)
        else:
            subscription = Subscription(connection, subscription_id, selection, arguments)
            session.subscriptions[subscription_id] = subscription
            self.subscriptions.add(subscription)
            self.metrics.subscribe_success.add(1)
            self.metrics.active_subscriptions.add(1)
            _send(connection, {"id": subscription_id, "type": "start_ack"})

    def _stop(self, connection: WebSocketConnection, session: Session, message: Mapping[str, Any]) -> None:
        subscription_id = message.get("id")
        known = isinstance(subscription_id, str) and subscription_id in session.subscriptions
        if not known:
            self.metrics.unsubscribe_client_error.add(1)
            shown = subscription_id if isinstance(subscription_id, str) else None
            _send_error(connection, shown, "UnknownOperationError", f"Unknown operation id {shown}")
            return
        self.subscriptions.remove(session.subscriptions.pop(str(subscription_id)))
        self.metrics.unsubscribe_success.add(1)
        _send(connection, {"id": subscription_id, "type": "complete"})

    def _refuse(
        self,
        connection: WebSocketConnection,
        subscription_id: str | None,
        error_type: str,
        message: str,
        code: int | None = None,
    ) -> None:
        self.metrics.subscribe_client_error.add(1)
        _send_error(connection, subscription_id, error_type, message, code)

    def _refuse_all(self, connection: WebSocketConnection, subscription_id: str, errors: list[dict[str, Any]]) -> None:
        self.metrics.subscribe_client_error.add(1)
        _send(connection, {"id": subscription_id, "type": "error", "payload": {"errors": errors}})

    # ---- authentication --------------------------------------------------------------------------------------------

    def _refusal(self, connection: WebSocketConnection) -> dict[str, Any] | None:
        if connection.subprotocol != PROTOCOL:
            return {"message": "NoProtocolError", "errorCode": 400}
        try:
            self.keys.check(connect_key(connection.request))
        except Unauthorized as fault:
            return {"errorType": "UnauthorizedException", "message": str(fault), "errorCode": 401}
        except ValueError as fault:
            return {"errorType": "BadRequestException", "message": str(fault), "errorCode": 400}
        return None


def _send(connection: WebSocketConnection, message: dict[str, Any]) -> None:
    connection.send_frame(text_frame(orjson.dumps(message)))


def _send_error(
    connection: WebSocketConnection,
    subscription_id: str | None,
    error_type: str,
    message: str,
    code: int | None = None,
) -> None:
    error: dict[str, Any] = {"errorType": error_type, "message": message}
    if code is not None:
        error["errorCode"] = code
    frame: dict[str, Any] = {"type": "error", "payload": {"errors": [error]}}
    if isinstance(subscription_id, str):
        frame["id"] = subscription_id
    _send(connection, frame)
