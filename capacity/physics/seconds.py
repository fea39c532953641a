"""Whole seconds of a resource in numpy: the live machine's buckets as arrays, put back where an event needs them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from capacity.physics import shares
from capacity.physics.levels import Levels, first
from capacity.physics.parameters import Kind
from capacity.physics.partition import Partition
from capacity.physics.placement import Bound
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings

Floats = NDArray[Any]


def arrival_offset(seed: int, second: int, keys: int) -> int:
    """Where the requests of a second begin: the keys send in key order, going round from this one.

    Without a turn, the first key would win every second in which the table as a whole is short. Depends on the second
    alone, so cutting time differently changes nothing (splitmix64 finaliser, S. Vigna, public domain).
    """
    mask = (1 << 64) - 1
    mixed = (seed * 0x9E3779B97F4A7C15 + second * 0xBF58476D1CE4E5B9 + 0x94D049BB133111EB) & mask
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & mask
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & mask
    return (mixed ^ (mixed >> 31)) % keys


class Seconds:
    """The buckets of one kind, laid out over the keys that send requests.

    Within a second the requests of one key arrive together; whatever refuses one of them refuses the rest, because no
    bucket refills before the next second. That makes a running sum per bucket enough.
    """

    def __init__(
        self,
        resource: ThroughputResource,
        kind: Kind,
        places: Sequence[Bound],
        request_units: float | Sequence[float] | None,
        seed: int,
        now_s: float,
    ) -> None:
        self._resource = resource
        self._kind = kind
        self._seed = seed
        self.keys = len(places)
        order = sorted(range(self.keys), key=lambda index: places[index])
        self._order = None if order == list(range(self.keys)) else np.array(order)
        self._places = [places[index] for index in order]
        self._request_units: float | Floats | None
        if request_units is None or isinstance(request_units, (int, float)):
            self._request_units = request_units
        else:
            self._request_units = np.array(request_units, dtype=np.float64)[order]
        self._key_units = np.zeros(self.keys)
        self._take(now_s)

    # Between the live machine and the arrays

    def _take(self, now_s: float) -> None:
        """Read the live machine's partitions and buckets into arrays."""
        resource, kind = self._resource, self._kind
        members: list[Partition] = []
        starts: list[int] = []
        for index, place in enumerate(self._places):
            partition = resource.partition_of(*place)
            if not members or partition is not members[-1]:
                members.append(partition)
                starts.append(index)
        self._members = members
        self._starts = np.array(starts)
        self._single = len(members) == self.keys
        self._owner = np.repeat(np.arange(len(members)), np.diff([*starts, self.keys]))
        self._ceilings = Levels([partition.ceilings[kind] for partition in members if partition.ceilings], now_s)
        self._shares = Levels([partition.shares[kind] for partition in members if partition.shares], now_s)
        self._table = Levels([bucket for bucket, _ in resource.table_limits(kind)], now_s)
        self._partition_units = np.array([partition.consumed[kind] for partition in members])
        self._ceiling_met = np.array([partition.ceiling_met for partition in members])
        self.heating = resource.heating

    def _put(self, now_s: float) -> None:
        """Write levels, consumption and heat back into the live machine, as of the start of second ``now_s``."""
        kind = self._kind
        self._ceilings.put(now_s)
        self._shares.put(now_s)
        self._table.put(now_s)
        for index, partition in enumerate(self._members):
            partition.consumed[kind] = float(self._partition_units[index])
            partition.ceiling_met = bool(self._ceiling_met[index])
            if partition.loads is not None:
                for key in np.nonzero(self._owner == index)[0]:
                    if self._key_units[key]:
                        hash128, sort_key = self._places[key]
                        partition.loads.add(hash128, sort_key, float(self._key_units[key]), write=False)
        self._key_units[:] = 0.0

    def next_event_s(self, now_s: float) -> float:
        """The next minute's end or, if sooner, the moment a split becomes effective."""
        minute_end_s = math.floor(now_s / 60.0) * 60.0 + 60.0
        return min(minute_end_s, self._resource.next_event_s) if self.heating else minute_end_s

    def settle(self, now_s: float) -> None:
        """Let the live machine pass an event (a minute's end, a split) by ``now_s``, if that could change anything."""
        resource = self._resource
        minute_ended = now_s % 60.0 == 0.0
        hot = bool(self._ceiling_met.any()) or resource.settings.world == "on_demand"
        if minute_ended and len(self._ceilings.rate):
            limit = resource.parameters.heat_share * self._ceilings.rate * 60.0
            hot = hot or bool(np.any(self._partition_units >= limit))
        if self.heating or (hot and minute_ended):
            self._catch_up(now_s - 60.0 if minute_ended else now_s)
            self._put(now_s)
            resource.settle(now_s)
            self._take(now_s)
        elif minute_ended:
            self._partition_units[:] = 0.0
            self._key_units[:] = 0.0

    def retune(self, now_s: float, settings: Settings) -> None:
        """New settings take effect."""
        self._catch_up(now_s)
        self._put(now_s)
        self._resource.retune(now_s, settings)
        self._take(now_s)

    def _catch_up(self, now_s: float) -> None:
        """Pass the quiet minutes that ``settle`` left out, up to the beginning of the minute that ``now_s`` lies in."""
        minute_s = math.floor(now_s / 60.0) * 60.0
        if self._resource.next_event_s <= minute_s:
            for partition in self._members:
                partition.consumed[self._kind] = 0.0
                partition.ceiling_met = False
            self._resource.settle(minute_s)

    def minute_units(self) -> float:
        """Units consumed since the minute began."""
        return float(self._partition_units.sum())

    # Seconds

    def run(
        self,
        now_s: float,
        demand: Floats,
        consumed: Floats,
        partition_level: Floats | None,
        table_level: Floats | None,
        count: bool,
    ) -> None:
        """Go through the seconds of ``demand`` from ``now_s`` on; no event falls between them.

        :param count: keep the units of the minute, per key and partition.
        """
        if self._order is None:
            self._run_ordered(now_s, demand, consumed, partition_level, table_level, count)
            return
        ordered = np.empty(demand.shape)
        levels = None if partition_level is None else np.empty(demand.shape)
        self._run_ordered(now_s, np.take(demand, self._order, axis=1), ordered, levels, table_level, count)
        consumed[:, self._order] = ordered
        if partition_level is not None:
            partition_level[:, self._order] = levels

    def _run_ordered(
        self,
        now_s: float,
        demand: Floats,
        consumed: Floats,
        partition_level: Floats | None,
        table_level: Floats | None,
        count: bool,
    ) -> None:
        world = self._resource.settings.world
        if world == "off":
            consumed[:] = demand
            for levels in (partition_level, table_level):
                if levels is not None:
                    levels[:] = np.inf
            return
        by_partition = demand if self._single else np.add.reduceat(demand, self._starts, axis=1)
        ceiling = self._ceilings.depth.min()
        calm = by_partition.max() <= ceiling
        seconds, done, patience = len(demand), 0, 1
        while done < seconds:
            if self._ceilings.full():
                reach = seconds if calm else done + first(by_partition[done:].max(axis=1) > ceiling)
                part = slice(done, reach)
                served = self._unhindered(
                    demand[part],
                    by_partition[part],
                    consumed[part],
                    None if partition_level is None else partition_level[part],
                    None if table_level is None else table_level[part],
                )
                done += served
                patience = 1 if served else min(2 * patience, 64)
            for second in range(done, min(done + patience, seconds)):
                offset = arrival_offset(self._seed, int(now_s) + second, self.keys)
                consumed[second] = self._one_second(demand[second], by_partition[second], offset)
                self._record(second, partition_level, table_level)
                self._refill()
                done += 1
        if count:
            self._count(now_s, consumed)

    def _count(self, now_s: float, consumed: Floats) -> None:
        """Keep the units of the minute that is under way, or ended just now, by key and partition."""
        end_s = now_s + len(consumed)
        minute_s = math.ceil(end_s / 60.0) * 60.0 - 60.0
        if minute_s > now_s:
            consumed = consumed[int(minute_s - now_s) :]
            self._partition_units[:] = 0.0
            self._key_units[:] = 0.0
        units = consumed.sum(axis=0, dtype=np.float64)
        self._key_units += units
        self._partition_units += units if self._single else np.add.reduceat(units, self._starts)

    def calm(self, demand: Floats) -> bool:
        """No minute of this demand could make a partition hot, so that ends of minutes change nothing."""
        if self.heating or self._resource.settings.world != "adaptive" or self._ceiling_met.any():
            return False
        limit = self._resource.parameters.heat_share * self._ceilings.rate.min()
        if np.any(self._partition_units >= limit) or not self._ceilings.full():
            return False
        ordered = demand if self._order is None else np.take(demand, self._order, axis=1)
        by_partition = ordered if self._single else np.add.reduceat(ordered, self._starts, axis=1)
        return bool(by_partition.max() < limit)

    def _unhindered(
        self,
        demand: Floats,
        by_partition: Floats,
        consumed: Floats,
        partition_level: Floats | None,
        table_level: Floats | None,
    ) -> int:
        """Seconds of which nothing is refused, ceilings being out of reach. Returns how many."""
        left = self._ceilings.depth
        if len(self._shares):
            served, shares_left = self._shares.admit(by_partition)
            left = np.minimum(shares_left[:served], left - by_partition[:served])
        else:
            served, table_left = self._table.admit(demand.sum(axis=1, dtype=np.float64)[:, None])
            left = left - by_partition[:served]
            if table_level is not None:
                table_level[:served] = table_left[:served].min(axis=1)
        if table_level is not None and not len(self._table):
            table_level[:served] = np.inf
        consumed[:served] = demand[:served]
        if partition_level is not None:
            partition_level[:served] = left if self._single else left[:, self._owner]
        return served

    def _one_second(self, demand: Floats, by_partition: Floats, offset: int) -> Floats:
        """Units admitted of one second's requests, charged to every bucket."""
        held = self._ceilings.level
        if len(self._shares):
            held = np.minimum(held, self._shares.level)
        units = self._request_units
        if self._single:
            taken = np.minimum(demand, shares.admitted(held, units))
        else:
            before = self._before(demand, offset, by_partition)
            taken = np.minimum(demand, shares.admitted(held[self._owner] - before, units))
        if len(self._table):
            left = self._table.level.min()
            if taken.sum() > left:
                running = np.cumsum(taken) - taken
                before = running - running[offset]
                before[:offset] += running[-1] + taken[-1]
                taken = np.minimum(taken, shares.admitted(left - before, units))
        charged = taken if self._single else np.add.reduceat(taken, self._starts)
        self._ceilings.level -= charged
        if len(self._shares):
            self._shares.level -= charged
        self._table.level -= taken.sum()
        self._ceiling_met |= (self._ceilings.level <= 0.0) & (charged < by_partition)
        result: Floats = taken
        return result

    def _before(self, demand: Floats, offset: int, by_partition: Floats) -> Floats:
        """Units that arrive at a key's partition before the key's own, in the order of arrival."""
        running = np.cumsum(demand) - demand
        before: Floats = running - running[self._starts][self._owner]
        turned = self._owner[offset]
        start = self._starts[turned]
        end = self._starts[turned + 1] if turned + 1 < len(self._starts) else self.keys
        ahead = before[offset]
        before[start:offset] += by_partition[turned] - ahead
        before[offset:end] -= ahead
        return before

    def _record(self, second: int, partition_level: Floats | None, table_level: Floats | None) -> None:
        if partition_level is not None:
            held = self._ceilings.level
            if len(self._shares):
                held = np.minimum(held, self._shares.level)
            partition_level[second] = held if self._single else held[self._owner]
        if table_level is not None:
            table_level[second] = self._table.level.min(initial=np.inf)

    def _refill(self) -> None:
        self._ceilings.refill()
        self._shares.refill()
        self._table.refill()
