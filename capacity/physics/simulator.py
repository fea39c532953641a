"""Demand per key and second in; consumed, throttled and bucket levels per second out (physics rule 13).

The partitions, buckets, splits and settings are those of ``ThroughputResource``; between two events that change them
(a minute's end, a split, new settings) the seconds run in numpy. In double precision the result equals the live
resource fed the same requests at the start of each second, to the last bit.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capacity.physics.autoscaling import Autoscaler, TargetTracking
from capacity.physics.parameters import DEFAULT, Kind, Parameters
from capacity.physics.placement import Bound, even_bounds
from capacity.physics.resource import ThroughputResource
from capacity.physics.seconds import Seconds, arrival_offset
from capacity.physics.settings import Settings

Floats = NDArray[Any]

__all__ = ["Change", "Simulation", "Stretch", "arrival_offset", "simulate", "simulate_stretches"]


@dataclass(frozen=True, slots=True)
class Change:
    """New settings that take effect at a whole second."""

    at_s: float
    settings: Settings


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some seconds of a simulation. Columns are the keys in the order given."""

    start_s: float
    demand: Floats
    """Units asked for, [seconds, keys]."""
    consumed: Floats
    """Units admitted, [seconds, keys]."""
    partition_level: Floats | None
    """Units that the key's partition holds after each second's requests, the lowest of its buckets, [seconds, keys]."""
    table_level: Floats | None
    """Units that the table's lowest bucket holds after each second's requests, [seconds]; infinite if it has none."""
    partitions: int
    """Partitions at the end."""
    capacity_units: float
    """Provisioned units per second at the end; 0 on demand."""

    @property
    def throttled(self) -> Floats:
        """Units refused, [seconds, keys]."""
        refused: Floats = self.demand - self.consumed
        return refused


@dataclass(frozen=True, slots=True)
class Simulation(Stretch):
    """A whole simulation; see ``Stretch`` for the arrays."""

    capacity_changes: tuple[tuple[float, float], ...]
    """(epoch second, provisioned units per second) at the start and at each change."""

    def first_throttle_s(self) -> float | None:
        """Start of the first second in which something was refused."""
        refused = np.nonzero((self.consumed < self.demand).any(axis=1))[0]
        return self.start_s + float(refused[0]) if len(refused) else None


def simulate(demand: Floats, settings: Settings, *, levels: bool = True, **options: Any) -> Simulation:
    """Simulate ``demand`` in one go; the options are those of ``simulate_stretches``.

    Memory: twice the size of ``demand``, four times with levels. For longer than fits, use ``simulate_stretches``.
    """
    demand = np.asarray(demand)
    run = _Run(demand.shape[1], settings, levels=levels, **options)
    stretch = run.step(demand)
    return Simulation(
        start_s=stretch.start_s,
        demand=stretch.demand,
        consumed=stretch.consumed,
        partition_level=stretch.partition_level,
        table_level=stretch.table_level,
        partitions=stretch.partitions,
        capacity_units=stretch.capacity_units,
        capacity_changes=tuple(run.capacity_changes),
    )


def simulate_stretches(
    demands: Iterable[Floats], keys: int, settings: Settings, *, levels: bool = False, **options: Any
) -> Iterator[Stretch]:
    """Simulate any length of time in bounded memory: one array of demand in, one ``Stretch`` out, then the next.

    The result does not depend on where time is cut. The arrays of a stretch are reused by the next one of equal length:
    copy what you keep.

    :param demands: units asked for in each second of each key, arrays [seconds, keys], in order.
    :param keys: number of columns.
    :param settings: world, provisioned units, on-demand maximum.
    :param levels: also give bucket levels.
    :param options: ``kind`` ("write" or "read"), ``positions`` (place of each key: hashes, or (hash, sort key) pairs;
        by default each key has one of as many equal partitions to itself), ``partitions`` (how many to start with; by
        default what the settings ask for), ``request_units`` (units of one request, a number or one per key, default
        1; None for a continuous flow), ``start_s`` (whole epoch second), ``seed`` (of the order of arrival within a
        second), ``parameters``, ``has_local_index``, ``changes`` (sequence of ``Change``), ``autoscaling``.
    :raises ValueError: if shapes, positions or times do not fit, with what was expected.
    """
    run = _Run(keys, settings, levels=levels, **options)
    for demand in demands:
        yield run.step(np.asarray(demand))


class _Run:
    """One simulation under way: the live resource, and the machine for the seconds between its events."""

    def __init__(
        self,
        keys: int,
        settings: Settings,
        *,
        kind: Kind = "write",
        positions: Sequence[int | Bound] | None = None,
        partitions: int | None = None,
        request_units: float | Sequence[float] | None = 1.0,
        start_s: float = 0.0,
        seed: int = 0,
        parameters: Parameters = DEFAULT,
        has_local_index: bool = False,
        changes: Sequence[Change] = (),
        autoscaling: TargetTracking | None = None,
        levels: bool = False,
    ) -> None:
        _validate(keys, positions, start_s, changes, autoscaling, settings)
        if positions is None:
            partitions = partitions or keys
            positions = even_bounds(keys)
        self._kind = kind
        self._now_s = float(start_s)
        self._levels = levels
        self._changes = sorted(changes, key=lambda change: change.at_s)
        self._resource = ThroughputResource(
            settings, self._now_s, parameters, has_local_index=has_local_index, partitions=partitions
        )
        places = [(place, b"") if isinstance(place, int) else place for place in positions]
        self._seconds = Seconds(self._resource, kind, places, request_units, seed, self._now_s)
        self._autoscaler: Autoscaler | None = None
        if autoscaling is not None:
            self._autoscaler = Autoscaler(autoscaling, settings.provisioned(kind), self._now_s)
        self.capacity_changes = [(self._now_s, settings.provisioned(kind))]
        self._buffers: tuple[Floats, Floats | None, Floats | None] | None = None
        self._lived_s = self._now_s

    def step(self, demand: Floats) -> Stretch:
        """Go through one array of demand."""
        if demand.ndim != 2 or demand.shape[1] != self._seconds.keys:
            raise ValueError(
                f"demand of shape {demand.shape} was given; expected (seconds, {self._seconds.keys}), a column per key"
            )
        if demand.dtype not in (np.float32, np.float64):
            demand = demand.astype(np.float64)
        start_s, seconds = self._now_s, demand.shape[0]
        consumed, partition_level, table_level = self._arrays(demand)
        done = 0
        while done < seconds:
            self._live_through_events()
            span = min(seconds - done, self._undisturbed_s())
            part = slice(done, done + span)
            self._seconds.run(
                self._now_s,
                demand[part],
                consumed[part],
                None if partition_level is None else partition_level[part],
                None if table_level is None else table_level[part],
                self._minutes_matter(),
            )
            done += span
            self._now_s += span
        self._live_through_events()
        return Stretch(
            start_s=start_s,
            demand=demand,
            consumed=consumed,
            partition_level=partition_level,
            table_level=table_level,
            partitions=self._resource.count,
            capacity_units=self._resource.settings.provisioned(self._kind),
        )

    def _arrays(self, demand: Floats) -> tuple[Floats, Floats | None, Floats | None]:
        held = self._buffers
        if held is None or held[0].shape != demand.shape or held[0].dtype != demand.dtype:
            levels = np.empty_like(demand) if self._levels else None
            held = np.empty_like(demand), levels, np.empty(len(demand)) if self._levels else None
            self._buffers = held
        return held

    # Events

    def _undisturbed_s(self) -> int:
        """Whole seconds until the next event, at least one."""
        times = [change.at_s for change in self._changes[:1]]
        if self._minutes_matter():
            times.append(self._seconds.next_event_s(self._now_s))
        if self._autoscaler is not None and self._autoscaler.due_s is not None:
            times.append(self._autoscaler.due_s)
        return max(1, math.ceil(min(times) - self._now_s)) if times else sys.maxsize

    def _minutes_matter(self) -> bool:
        splitting = self._resource.settings.world in ("adaptive", "on_demand") or self._seconds.heating
        return splitting or self._autoscaler is not None

    def _live_through_events(self) -> None:
        """Everything that happens at this moment, before its requests: minute's end, splits, then new settings."""
        now_s = self._now_s
        if self._minutes_matter() and now_s > self._lived_s:
            units = self._seconds.minute_units()
            self._seconds.settle(now_s)
            if now_s % 60.0 == 0.0 and self._autoscaler is not None:
                self._autoscaler.end_minute(now_s, units or None)
        self._lived_s = now_s
        if self._autoscaler is not None:
            capacity = self._autoscaler.apply(now_s)
            if capacity is not None:
                settings = self._resource.settings
                reads = self._kind == "read"
                self._retune(
                    replace(settings, read_units=capacity) if reads else replace(settings, write_units=capacity)
                )
        while self._changes and self._changes[0].at_s <= now_s:
            settings = self._changes.pop(0).settings
            if self._autoscaler is not None:
                self._autoscaler.capacity_units = settings.provisioned(self._kind)
            self._retune(settings)

    def _retune(self, settings: Settings) -> None:
        self._seconds.retune(self._now_s, settings)
        self.capacity_changes.append((self._now_s, settings.provisioned(self._kind)))


def _validate(
    keys: int,
    positions: Sequence[int | Bound] | None,
    start_s: float,
    changes: Sequence[Change],
    autoscaling: TargetTracking | None,
    settings: Settings,
) -> None:
    faults = []
    if positions is not None and len(positions) != keys:
        faults.append(f"{len(positions)} positions were given for {keys} keys; expected one each")
    for name, time_s in [("start_s", start_s), *(("change at_s", change.at_s) for change in changes)]:
        if time_s != int(time_s):
            faults.append(f"{name} {time_s!r} was given; expected a whole second, such as 1900000000")
    if autoscaling is not None and settings.world not in ("static", "adaptive"):
        faults.append(f'auto scaling was given in world "{settings.world}"; expected "static" or "adaptive"')
    if faults:
        raise ValueError("; ".join(faults))
