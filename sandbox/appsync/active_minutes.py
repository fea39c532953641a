"""ActiveConnections and ActiveSubscriptions: in each minute of the clock, what was open at its start and what was
opened in it. So their Sum over an hour is connection-minutes, as AppSync documents and bills them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.appsync.metrics import AppSyncMetrics


class ActiveMinutes:
    """Counts while anything is open, and leaves no timer behind otherwise.

    subscriptions: how many there are now. clock: epoch seconds. call_later(delay_s, callback): a timer.
    """

    def __init__(
        self,
        metrics: AppSyncMetrics,
        subscriptions: Callable[[], int],
        clock: Callable[[], float],
        call_later: Callable[[float, Callable[[], None]], Any],
    ) -> None:
        self._metrics = metrics
        self._subscriptions = subscriptions
        self._clock = clock
        self._call_later = call_later
        self._connections = 0
        self._waiting = False

    def connected(self) -> None:
        self._connections += 1
        self._metrics.active_connections.add(1)
        if not self._waiting:
            self._await_minute()

    def disconnected(self) -> None:
        self._connections -= 1

    def subscribed(self) -> None:
        self._metrics.active_subscriptions.add(1)

    def _await_minute(self) -> None:
        self._waiting = True
        self._call_later(60.0 - self._clock() % 60.0, self._begin_minute)

    def _begin_minute(self) -> None:
        self._waiting = False
        if self._connections:
            self._metrics.active_connections.add(self._connections)
            self._metrics.active_subscriptions.add(self._subscriptions())
            self._await_minute()
