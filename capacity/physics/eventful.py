"""Stretches of undisturbed seconds, and the events between them: minutes' ends, splits, new settings."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from capacity.physics.autoscaling import Autoscaler
from capacity.physics.options import Options
from capacity.physics.placement import even_bounds
from capacity.physics.resource import ThroughputResource
from capacity.physics.seconds import Seconds
from capacity.physics.settings import Settings

Floats = NDArray[Any]


class Eventful:
    """A live resource driven through time, in numpy between its events."""

    def __init__(self, keys: int, settings: Settings, options: Options) -> None:
        partitions, positions = options.partitions, options.positions
        if positions is None:
            partitions = partitions or keys
            positions = even_bounds(keys)
        self._kind = options.kind
        self._lived_s = now_s = float(options.start_s)
        self._changes = sorted(options.changes, key=lambda change: change.at_s)
        self._resource = ThroughputResource(
            settings,
            now_s,
            options.parameters,
            has_local_index=options.has_local_index,
            partitions=partitions,
        )
        places = [(place, b"") if isinstance(place, int) else place for place in positions]
        self._seconds = Seconds(self._resource, options.kind, places, options.request_units, options.seed, now_s)
        self._autoscaler: Autoscaler | None = None
        if options.autoscaling is not None:
            self._autoscaler = Autoscaler(options.autoscaling, settings.provisioned(options.kind), now_s)
        self.capacity_changes = [(now_s, settings.provisioned(options.kind))]

    @property
    def partitions(self) -> int:
        """Partitions by now."""
        return self._resource.count

    def run(
        self,
        now_s: float,
        demand: Floats,
        consumed: Floats,
        partition_level: Floats | None,
        table_level: Floats | None,
    ) -> None:
        """Go through the seconds of ``demand`` from ``now_s`` on, filling the other arrays."""
        done, seconds = 0, demand.shape[0]
        while done < seconds:
            self._live_through_events(now_s + done)
            span = min(seconds - done, self._undisturbed_s(now_s + done, demand[done:]))
            part = slice(done, done + span)
            self._seconds.run(
                now_s + done,
                demand[part],
                consumed[part],
                None if partition_level is None else partition_level[part],
                None if table_level is None else table_level[part],
                self._minutes_matter(),
            )
            done += span
        self._live_through_events(now_s + done)

    def _undisturbed_s(self, now_s: float, demand: Floats) -> int:
        """Whole seconds until the next event that could change anything, at least one."""
        times = [change.at_s for change in self._changes[:1]]
        if self._autoscaler is not None or (self._minutes_matter() and not self._seconds.calm(demand)):
            times.append(self._seconds.next_event_s(now_s))
        if self._autoscaler is not None and self._autoscaler.due_s is not None:
            times.append(self._autoscaler.due_s)
        return max(1, math.ceil(min(times) - now_s)) if times else sys.maxsize

    def _minutes_matter(self) -> bool:
        splitting = self._resource.settings.world in ("adaptive", "on_demand") or self._seconds.heating
        return splitting or self._autoscaler is not None

    def _live_through_events(self, now_s: float) -> None:
        """Everything that happens at this moment, before its requests: minute's end, splits, then new settings."""
        if self._minutes_matter() and now_s > self._lived_s:
            units = self._seconds.minute_units()
            self._seconds.settle(now_s)
            if now_s % 60.0 == 0.0 and self._autoscaler is not None:
                self._autoscaler.end_minute(now_s, units or None)
        self._lived_s = now_s
        if self._autoscaler is not None:
            capacity = self._autoscaler.apply(now_s)
            if capacity is not None:
                settings, reads = self._resource.settings, self._kind == "read"
                scaled = replace(settings, read_units=capacity) if reads else replace(settings, write_units=capacity)
                self._retune(now_s, scaled)
        while self._changes and self._changes[0].at_s <= now_s:
            settings = self._changes.pop(0).settings
            if self._autoscaler is not None:
                self._autoscaler.capacity_units = settings.provisioned(self._kind)
            self._retune(now_s, settings)

    def _retune(self, now_s: float, settings: Settings) -> None:
        self._seconds.retune(now_s, settings)
        self.capacity_changes.append((now_s, settings.provisioned(self._kind)))
