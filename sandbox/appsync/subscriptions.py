"""Who is subscribed to what, and fan-out: a publication is encoded once for all subscribers that select the same.

A subscription's arguments filter by equality with the published fields. An argument left out does not filter; null
matches only publications without that field, and a field that the mutation's selection leaves out counts as null.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import orjson

from sandbox.appsync.behaviour import Behaviour
from sandbox.appsync.delay_line import DelayLine
from sandbox.appsync.graphql.execution import Publication
from sandbox.appsync.graphql.subscription import SubscriptionSelection
from sandbox.appsync.metrics import METERED_MESSAGE_BYTES, AppSyncMetrics
from sandbox.http.websocket import text_frame

MAX_PAYLOAD_BYTES = 240_000  # AppSync quota "subscription payload"; what becomes of a larger one is not documented


_SCALARS = (str, int, float, bool, type(None))


class Consumer(Protocol):
    """The connection that frames go to."""

    def send_frame(self, frame: bytes) -> None: ...


Filter = tuple[str, ...]
Values = tuple[Any, ...]


class Subscription:
    """One subscriber: `arguments` as given, and the constant start of its frames."""

    __slots__ = ("consumer", "filter", "opening", "selection", "values")

    def __init__(
        self, consumer: Consumer, subscription_id: str, selection: SubscriptionSelection, arguments: Mapping[str, Any]
    ) -> None:
        self.consumer = consumer
        self.selection = selection
        self.filter: Filter = tuple(sorted(arguments))
        self.values: Values = tuple(_comparable(arguments[name]) for name in self.filter)
        self.opening = b'{"id":' + orjson.dumps(subscription_id) + b',"type":"data","payload":'


Group = dict[SubscriptionSelection, dict[Subscription, None]]


class Subscriptions:
    """Subscribers by field, filter arguments and their values, so that a publication looks up its own and no others."""

    def __init__(
        self,
        triggered: Mapping[str, tuple[str, ...]],
        metrics: AppSyncMetrics,
        behaviour: Behaviour | None = None,
        clock: Callable[[], float] = time.time,
        call_later: Callable[[float, Callable[[], None]], Any] | None = None,
    ) -> None:
        """`call_later(delay_s, callback)`: the loop's, unless a test sets it."""
        behaviour = behaviour or Behaviour()
        call_later = call_later or (lambda delay_s, run: asyncio.get_running_loop().call_later(delay_s, run))
        self._triggered = triggered
        self._metrics = metrics
        self._line = DelayLine(behaviour, self._publish, metrics, clock, call_later)
        self._by_field: dict[str, dict[Filter, dict[Values, Group]]] = {}
        self.count = 0

    def add(self, subscription: Subscription) -> None:
        filters = self._by_field.setdefault(subscription.selection.name, {})
        group = filters.setdefault(subscription.filter, {}).setdefault(subscription.values, {})
        group.setdefault(subscription.selection, {})[subscription] = None
        self.count += 1

    def remove(self, subscription: Subscription) -> None:
        filters = self._by_field[subscription.selection.name]
        by_values = filters[subscription.filter]
        group = by_values[subscription.values]
        members = group[subscription.selection]
        del members[subscription]
        self.count -= 1
        if not members:
            del group[subscription.selection]
            if not group:
                del by_values[subscription.values]
                if not by_values:
                    del filters[subscription.filter]

    def publish(self, publications: list[Publication]) -> None:
        """Send to every matching subscriber, in the order of the publications."""
        for publication in publications:
            for field in self._triggered.get(publication.mutation, ()):
                if self._line.off:
                    self._publish(publication, field)
                else:
                    self._line.take(publication, field)

    def _publish(self, publication: Publication, field: str) -> None:
        metrics = self._metrics
        metrics.inbound_success.add(1)
        filters = self._by_field.get(field)
        if not filters:
            return
        value, shape = publication.value, publication.shape
        public = {name for name, _ in shape}
        for names, by_values in list(filters.items()):
            wanted = tuple([_comparable(value.get(name)) if name in public else None for name in names])
            group = by_values.get(wanted)
            if group is None:
                continue
            for selection, members in list(group.items()):
                content = orjson.dumps(selection.payload(value, shape))
                size_bytes = len(content)
                count = len(members)
                metered = -(-size_bytes // METERED_MESSAGE_BYTES)
                if size_bytes > MAX_PAYLOAD_BYTES:
                    metrics.publish_client_error.add(1, count)
                    continue
                self._line.delivered(metered * count)
                metrics.publish_success.add(1, count)
                metrics.publish_size.add(size_bytes, count)
                metrics.outbound_messages.add(metered, count)
                opening, frame = b"", b""
                for subscription in list(members):
                    if subscription.opening != opening:  # only the id differs, and many clients use the same one
                        opening = subscription.opening
                        frame = text_frame(opening, content, b"}")
                    subscription.consumer.send_frame(frame)


def _comparable(value: Any) -> Any:
    """Values of filters are scalars; anything else is compared by its JSON."""
    return value if isinstance(value, _SCALARS) else orjson.dumps(value)
