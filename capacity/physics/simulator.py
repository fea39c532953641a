"""Demand per key and second in; consumed, throttled and bucket levels per second out (physics rule 12).

The partitions, buckets, splits and settings are those of ``ThroughputResource``; between two events that change them
(a minute's end, a split, new settings) the seconds run in numpy. In double precision the result equals the live
resource fed the same requests at the start of each second, to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capacity.physics.even_shares import EvenShares
from capacity.physics.eventful import Eventful
from capacity.physics.options import Change, Options
from capacity.physics.seconds import arrival_offset
from capacity.physics.settings import Settings

Floats = NDArray[Any]

__all__ = ["Change", "Options", "Simulation", "Stretch", "arrival_offset", "simulate", "simulate_stretches"]


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

    def first_throttle_s(self) -> float | None:
        """Start of the first second in which something was refused."""
        refused = np.nonzero((self.consumed < self.demand).any(axis=1))[0]
        return self.start_s + float(refused[0]) if len(refused) else None


@dataclass(frozen=True, slots=True)
class Simulation(Stretch):
    """A whole simulation; see ``Stretch`` for the arrays."""

    capacity_changes: tuple[tuple[float, float], ...]
    """(epoch second, provisioned units per second) at the start and at each change."""


def simulate(demand: Floats, settings: Settings, options: Options | None = None) -> Simulation:
    """Simulate ``demand`` in one go, with bucket levels.

    Memory: four times the size of ``demand``. For longer than fits, use ``simulate_stretches``.

    :param demand: units asked for, [seconds, keys].
    :param settings: world, provisioned units, on-demand maximum.
    :raises ValueError: if shapes, positions or times do not fit, with what was expected.
    """
    demand = np.asarray(demand)
    if demand.ndim != 2:
        raise ValueError(f"demand of shape {demand.shape} was given; expected (seconds, keys), such as (3600, 4)")
    options = options or Options()
    machine = _machine(demand.shape[1], settings, options)
    stretch = next(_stretches([demand], demand.shape[1], machine, float(options.start_s), levels=True))
    return Simulation(
        start_s=stretch.start_s,
        demand=stretch.demand,
        consumed=stretch.consumed,
        partition_level=stretch.partition_level,
        table_level=stretch.table_level,
        partitions=stretch.partitions,
        capacity_units=stretch.capacity_units,
        capacity_changes=tuple(machine.capacity_changes),
    )


def simulate_stretches(
    demands: Iterable[Floats], keys: int, settings: Settings, options: Options | None = None, *, levels: bool = False
) -> Iterator[Stretch]:
    """Simulate any length of time in bounded memory: one array of demand in, one ``Stretch`` out, then the next.

    The result does not depend on where time is cut. The arrays of a stretch are used again for the next one: copy what
    you keep. Single-precision demand without events (world static, one key per partition, settings that stay) is
    simulated in single precision: faster, seven digits.

    :param demands: units asked for in each second by each key, arrays [seconds, keys], in order of time.
    :param keys: number of columns.
    :param levels: also give bucket levels.
    :raises ValueError: if shapes, positions or times do not fit, with what was expected.
    """
    options = options or Options()
    machine = _machine(keys, settings, options)
    return _stretches(demands, keys, machine, float(options.start_s), levels)


def _machine(keys: int, settings: Settings, options: Options) -> EvenShares | Eventful:
    options.validate_for(keys, settings)
    if EvenShares.fits(keys, settings, options):
        return EvenShares(keys, settings, options)
    return Eventful(keys, settings, options)


def _stretches(
    demands: Iterable[Floats], keys: int, machine: EvenShares | Eventful, now_s: float, levels: bool
) -> Iterator[Stretch]:
    consumed, partition_level, table_level = np.empty((0, keys)), None, None
    for given in demands:
        demand = np.asarray(given)
        if demand.ndim != 2 or demand.shape[1] != keys:
            raise ValueError(f"demand of shape {demand.shape} was given; expected (seconds, {keys}), a column per key")
        if demand.dtype not in (np.float32, np.float64):
            demand = demand.astype(np.float64)
        if consumed.shape != demand.shape or consumed.dtype != demand.dtype:
            consumed = np.empty_like(demand)
            partition_level = np.empty_like(demand) if levels else None
            table_level = np.empty(len(demand)) if levels else None
        machine.run(now_s, demand, consumed, partition_level, table_level)
        capacity_units = machine.capacity_changes[-1][1]
        yield Stretch(now_s, demand, consumed, partition_level, table_level, machine.partitions, capacity_units)
        now_s += len(demand)
