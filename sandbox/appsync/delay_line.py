"""Publications over a quota: first delayed, then dropped.

Source: AppSync developer guide, "Monitoring", InboundMessageDelayed and InboundMessageDropped (read 2026-11).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from sandbox.appsync.behaviour import Behaviour, RateLimit
from sandbox.appsync.graphql.execution import Publication
from sandbox.appsync.metrics import AppSyncMetrics

_LEAST_WAIT_S = 0.001


class DelayLine:
    """Lets publications through in their order, as far as both rate quotas grant; what waits too long is dropped.

    publish(publication, field): sends one. clock: epoch seconds. call_later(delay_s, callback): a timer.
    """

    def __init__(
        self,
        behaviour: Behaviour,
        publish: Callable[[Publication, str], None],
        metrics: AppSyncMetrics,
        clock: Callable[[], float],
        call_later: Callable[[float, Callable[[], None]], Any],
    ) -> None:
        self.off = behaviour.inbound_messages_per_s is None and behaviour.outbound_messages_per_s is None
        self._patience_s = behaviour.message_delay_s
        self._inbound = RateLimit(behaviour.inbound_messages_per_s, clock)
        self._outbound = RateLimit(behaviour.outbound_messages_per_s, clock)
        self._publish = publish
        self._metrics = metrics
        self._clock = clock
        self._call_later = call_later
        self._waiting: deque[tuple[float, Publication, str]] = deque()

    def take(self, publication: Publication, field: str) -> None:
        """Publish now or later, or never."""
        if not self._waiting and self._granted():
            self._publish(publication, field)
            return
        self._metrics.inbound_delayed.add(1)
        self._waiting.append((self._clock(), publication, field))
        if len(self._waiting) == 1:
            self._await_quota()

    def delivered(self, metered_messages: int) -> None:
        """Charge what one publication came to; it may leave the outbound quota in debt."""
        self._outbound.charge(metered_messages)

    def _granted(self) -> bool:
        return self._outbound.holds() and self._inbound.take()

    def _await_quota(self) -> None:
        wait_s = max(self._inbound.wait_s(), self._outbound.wait_s(), _LEAST_WAIT_S)
        self._call_later(min(wait_s, self._patience_s), self._go_on)

    def _go_on(self) -> None:
        waiting = self._waiting
        while waiting:
            since_s, publication, field = waiting[0]
            if self._clock() - since_s > self._patience_s:
                self._metrics.inbound_dropped.add(1)
            elif self._granted():
                self._publish(publication, field)
            else:
                self._await_quota()
                return
            waiting.popleft()
