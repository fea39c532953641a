"""Questions asked backwards: which capacity, population or key share is the last one without a throttle.

All answers follow from the buckets of capacity/dynamodb/burst.py in closed form, for demand given per second;
capacity/physics simulates the same.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from capacity.dynamodb.quotas import limit
from capacity.dynamodb.units import Consistency, read_units, write_units

Series = npt.NDArray[np.float64]


def required_read_units(per_second: float, size_bytes: int, consistency: Consistency) -> float:
    """Read units per second for a rate of reads of items of one size (deck, slide 32)."""
    return per_second * read_units(size_bytes, consistency)


def required_write_units(per_second: float, size_bytes: int, transactional: bool = False) -> float:
    """Write units per second for a rate of writes of items of one size (deck, slide 33)."""
    return per_second * write_units(size_bytes, transactional)


def smallest_supply(demand: npt.ArrayLike, *, burst: bool = True) -> float:
    """Smallest steady supply, in units per second, that never throttles a demand given second by second.

    Without burst: the highest second. With burst: a full bank of 300 s of the supply at the start, refilled by what
    is not used, demand arriving at the start of each second. Then every run of n seconds must fit 300 + n - 1 seconds
    of supply, so the answer is the highest of sum / (299 + n) over all runs. Found exactly, by Dinkelbach's method on
    linear passes.

    Raises ValueError for an empty or negative demand.
    """
    series = np.asarray(demand, dtype=np.float64)
    if series.ndim != 1 or series.size == 0 or series.min() < 0:
        raise ValueError(
            f"expected units per second as a list of numbers from 0 up, got {demand!r}; example: [120, 80, 300]"
        )
    if not burst:
        return float(series.max())
    lead_s = limit("dynamodb.burst_s") - 1
    supply = series.max() / (lead_s + 1)
    while True:
        total, seconds = _heaviest_run(series, supply)
        better = total / (lead_s + seconds)
        if better <= supply * (1 + 1e-12):
            return float(supply)
        supply = better


def smallest_setting(
    demand: npt.ArrayLike, *, ceiling: float, key_share: float = 0.0, burst: bool = True, even_split: bool = True
) -> float:
    """Smallest whole provisioned setting of a new table or GSI, one kind of unit, that never throttles; infinite if
    none.

    `key_share` of the demand hits one key, the rest is even. `ceiling`: 3,000 read or 1,000 write units per second of
    one partition; the setting must be high enough to bring the partitions that keep below it. `even_split`: the
    deck's world, each partition owns 1/N of the setting; otherwise throughput goes where it is asked for (adaptive
    capacity).
    """
    series = np.asarray(demand, dtype=np.float64)
    whole = smallest_supply(series, burst=burst)
    room = ceiling / series.max() if series.max() > 0 else math.inf
    if key_share > room or (key_share == room and key_share < 1):
        return math.inf
    partitions = 1 if room >= 1 else max(1, math.ceil((1 - key_share) / (room - key_share) - 1e-9))
    hottest = key_share + (1 - key_share) / partitions
    for_partitions = (partitions - 1) * ceiling + 1
    return math.ceil(max(for_partitions, whole, partitions * hottest * whole if even_split else whole) - 1e-9)


@dataclass(frozen=True)
class Bottleneck:
    """The limit that is met first: which one, and the largest population it bears."""

    name: str
    population: int


def largest_population(
    units_per_member: Mapping[str, float], supplies: Mapping[str, float], *, for_s: float = math.inf
) -> Bottleneck:
    """Largest whole population that throttles nowhere, and the limit that stops the next member.

    `units_per_member`: units per second that one member asks of each limited thing: a table, an index, a partition, a
    key. `supplies`: what each of them serves. `for_s`: how long it must hold; below infinity a full bank of 300 s
    helps, which ceilings of partitions don't have: leave them at infinity in a call of their own.

    Raises ValueError when nothing is asked of anything, or a supply is missing.
    """
    missing = sorted(set(units_per_member) - set(supplies))
    asked = {name: units for name, units in units_per_member.items() if units > 0}
    if missing or not asked:
        raise ValueError(
            f"expected some units asked for, and a supply for each; missing {missing}, asked for {dict(asked)}; "
            "example: largest_population({'table': 2.0}, {'table': 1000})"
        )
    factor = 1 + limit("dynamodb.burst_s") / for_s
    populations = {name: math.floor(supplies[name] * factor / units + 1e-9) for name, units in asked.items()}
    name = min(populations, key=lambda each: (populations[each], each))
    return Bottleneck(name, populations[name])


def largest_key_share(
    supply: float, demand: float, ceiling: float, *, partitions: int = 1, even_split: bool = True
) -> float:
    """Largest part of a steady demand that one key may have before it throttles in the long run, 0 to 1.

    `even_split`: the key's partition owns supply / partitions and carries its part of all other keys too. Otherwise
    the ceiling alone bounds it. 0 where the demand throttles even when it is spread evenly.
    """
    if demand <= 0:
        return 1.0
    if demand > supply:
        return 0.0
    room = min(ceiling, supply / partitions) if even_split else ceiling
    if partitions == 1:
        return 1.0 if demand <= room else 0.0
    hottest = min(1.0, room / demand)
    share = (hottest - 1 / partitions) / (1 - 1 / partitions)
    return max(0.0, share)


def _heaviest_run(series: Series, supply: float) -> tuple[float, int]:
    """Units and seconds of the run that exceeds `supply` per second by most."""
    cumulated = np.concatenate(([0.0], np.cumsum(series - supply)))
    lowest = np.minimum.accumulate(cumulated)[:-1]
    end = int(np.argmax(cumulated[1:] - lowest)) + 1
    start = int(np.argmin(cumulated[:end]))
    return float(series[start:end].sum()), end - start
