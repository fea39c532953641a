"""Which requests of a stream the throughput physics admits, when the first is refused, and what burst is left.

The live state machine of `capacity.physics` is driven through the whole stream: request by request in seconds that come
near a limit, and with the second's sums per key in all others, where the order within the second decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from capacity.dynamodb.table import Table
from capacity.physics.backpressure import QUEUE_S, IndexQueue
from capacity.physics.parameters import DEFAULT, Kind, Parameters, World
from capacity.physics.partition import Throttle
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings
from capacity.workloads.charge_rows import READ, TABLE, WRITE, Charges

KINDS: tuple[Kind, Kind] = ("read", "write")
_CALM = 0.9
"""A second below this share of every limit with one second of depth is calm: it cannot run such a bucket dry."""
_RECOVERY_S = 2
"""Seconds after trouble that are looked at closely too: a bucket one second deep is full again by then."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Refusal:
    """One throttle event."""

    time_s: float
    resource: str
    kind: Kind
    limit: str
    request: int


@dataclass
class Admission:
    """`admitted` marks charges that took place; `levels[resource, kind]` holds the burst left at each step's end, None
    where the physics keeps none.
    """

    admitted: Mask
    refusals: list[Refusal] = field(default_factory=list)
    levels: dict[tuple[str, Kind], Floats | None] = field(default_factory=dict)
    partitions: dict[str, int] = field(default_factory=dict)


def settings_of(table: Table, resource: str, world: World) -> Settings:
    """What the physics must know of a table or one of its indexes."""
    throughput = table.throughput if resource == TABLE else table.index(resource).throughput
    if throughput is None:
        return Settings(world)
    return Settings(world, throughput.read_units, throughput.write_units)


def admit(
    charges: Charges,
    time_s: Floats,
    table: Table,
    world: World,
    *,
    seconds: int,
    step_s: int,
    parameters: Parameters = DEFAULT,
) -> Admission:
    """Run the physics over charges; `time_s` is the time of each request, from 0 to `seconds`."""
    machine = _Machine(charges, table, world, parameters)
    admission = Admission(np.ones(len(charges.units), bool))
    if world != "off":
        _Drive(machine, admission, charges, time_s, seconds, step_s).run()
    admission.partitions = {name: len(each.partitions(float(seconds))) for name, each in machine.resources.items()}
    return admission


class _Machine:
    """The table, its indexes and the queues between them."""

    def __init__(self, charges: Charges, table: Table, world: World, parameters: Parameters) -> None:
        self.world, self.parameters, self.names = world, parameters, charges.resources
        self.settings = {name: settings_of(table, name, world) for name in charges.resources}
        self.resources = {
            name: ThroughputResource(settings, 0.0, parameters, has_local_index=table.has_local_index and name == TABLE)
            for name, settings in self.settings.items()
        }
        rate = self.settings[TABLE].provisioned("write") or parameters.on_demand_write_units
        self.queues = {name: IndexQueue(each, QUEUE_S * rate) for name, each in self.resources.items() if name != TABLE}

    def check(self, now_s: float, wanted: list[tuple[str, int, int]]) -> list[tuple[str, Throttle]]:
        """Every limit that refuses a step of a request; `wanted` are its charges: resource, kind, hash of the key."""
        throttles = [
            (name, throttle)
            for name, kind, hash128 in wanted
            if kind == READ or name == TABLE
            for throttle in self.resources[name].check(now_s, KINDS[kind], hash128)
        ]
        if wanted[0][1] == WRITE:
            for name, queue in self.queues.items():
                throttles += [(name, throttle) for throttle in queue.check(now_s)]
        return throttles

    def charge(self, now_s: float, name: str, kind: int, hash128: int, units: float) -> None:
        """Take what was admitted; an index's writes go through its queue."""
        if kind == WRITE and name != TABLE:
            self.queues[name].put(now_s, hash128, units)
        else:
            self.resources[name].charge(now_s, KINDS[kind], hash128, units)

    def level(self, now_s: float, name: str, kind: Kind) -> float | None:
        """Units left of the bank of unused capacity; None where there is none."""
        resource = self.resources[name]
        if self.world == "adaptive":
            return min(limit[2] for limit in resource.limits(now_s, kind))
        if self.world == "static":
            return sum(view.share_level[kind] for view in resource.partitions(now_s))
        return None


class _Drive:
    """Takes the machine through the stream, second by second."""

    def __init__(
        self, machine: _Machine, admission: Admission, charges: Charges, time_s: Floats, seconds: int, step_s: int
    ) -> None:
        self.machine, self.admission, self.charges = machine, admission, charges
        self.request_time_s, self.seconds, self.step_s = time_s, seconds, step_s
        self.second: Ints = np.minimum(time_s[charges.request].astype(np.int64), seconds - 1)
        self.hashes, self.key = charges.placed_keys()

    def run(self) -> None:
        """Every second in turn."""
        edges = np.searchsorted(self.second, np.arange(self.seconds + 1)).tolist()
        levels: dict[tuple[str, Kind], list[float | None]] = {(n, k): [] for n in self.machine.names for k in KINDS}
        for second, close in enumerate(self._troubled().tolist()):
            rows = slice(edges[second], edges[second + 1])
            if close:
                self._request_by_request(rows)
            elif rows.start < rows.stop:
                self._at_once(float(second), rows)
            if (second + 1) % self.step_s == 0 or second + 1 == self.seconds:
                for which, found in levels.items():
                    found.append(self.machine.level(float(second + 1), *which))
        self.admission.levels = {
            which: np.array(found, np.float64) if None not in found else None for which, found in levels.items()
        }

    def _at_once(self, now_s: float, rows: slice) -> None:
        charges = self.charges
        shape = (len(self.machine.names), 2, len(self.hashes))
        cell = np.ravel_multi_index((charges.resource[rows], charges.kind[rows], self.key[rows]), shape)
        cells, where = np.unique(cell, return_inverse=True)
        units = np.bincount(where, charges.units[rows]).tolist()
        columns = [column.tolist() for column in np.unravel_index(cells, shape)]
        for resource, kind, key, amount in zip(*columns, units, strict=True):
            self.machine.charge(now_s, self.machine.names[resource], kind, self.hashes[key], amount)

    def _request_by_request(self, rows: slice) -> None:
        charges, names, hashes = self.charges, self.machine.names, self.hashes
        request, step = charges.request[rows].tolist(), charges.step[rows].tolist()
        resource, kind = charges.resource[rows].tolist(), charges.kind[rows].tolist()
        units, key = charges.units[rows].tolist(), self.key[rows].tolist()
        refused, row, count = -1, 0, len(units)
        while row < count:
            end = row + 1
            while end < count and request[end] == request[row] and step[end] == step[row]:
                end += 1
            wanted = [(names[resource[at]], kind[at], hashes[key[at]]) for at in range(row, end)]
            now_s = float(self.request_time_s[request[row]])
            throttles = [] if request[row] == refused else self.machine.check(now_s, wanted)
            for where, throttle in throttles:
                found = Refusal(now_s, where, KINDS[kind[row]], throttle.limit, request[row])
                self.admission.refusals.append(found)
            if throttles or request[row] == refused:
                refused = request[row]
                self.admission.admitted[rows.start + row : rows.start + end] = False
            else:
                for (name, which, hash128), amount in zip(wanted, units[row:end], strict=True):
                    self.machine.charge(now_s, name, which, hash128, amount)
            row = end

    # -- which seconds come near a limit

    def _troubled(self) -> Mask:
        close = np.zeros(self.seconds, bool)
        for number, name in enumerate(self.machine.names):
            for which, kind in enumerate(KINDS):
                chosen = (self.charges.resource == number) & (self.charges.kind == which)
                demand = np.bincount(self.second[chosen], self.charges.units[chosen], minlength=self.seconds)
                close |= self._near_ceilings(name, kind, chosen)
                close |= self._near_table(name, kind, demand.astype(np.float64))
        for _ in range(_RECOVERY_S):
            close[1:] |= close[:-1]
        return close

    def _near_ceilings(self, name: str, kind: Kind, chosen: Mask) -> Mask:
        """Seconds in which one partition comes near what it can serve."""
        partitions = len(self.machine.resources[name].partitions(0.0))
        limit = self.machine.parameters.ceiling(kind)
        if self.machine.world == "static":
            limit = min(limit, self.machine.settings[name].provisioned(kind) / partitions)
        where = np.array([h * partitions >> 128 for h in self.hashes], np.int64)
        cell = where[self.key[chosen]] * self.seconds + self.second[chosen]
        shape = (partitions, self.seconds)
        units = np.bincount(cell, self.charges.units[chosen], minlength=partitions * self.seconds).reshape(shape)
        near: Mask = units.max(axis=0) > _CALM * limit
        return near

    def _near_table(self, name: str, kind: Kind, demand: Floats) -> Mask:
        """Seconds in which the whole table or index comes near its limit, or its bank near its end."""
        if self.machine.world == "on_demand":
            limits = self.machine.resources[name].limits(0.0, kind)
            return demand > _CALM * min(rate for _, rate, _ in limits)
        rate = self.machine.settings[name].provisioned(kind)
        depth = level = rate * self.machine.parameters.burst_s
        near = np.zeros(self.seconds, bool)
        for second, units in enumerate(demand.tolist()):
            there = min(depth, level + rate)
            near[second] = units > 0 and there <= units + self._largest
            level = max(0.0, there - units)
        return near

    @cached_property
    def _largest(self) -> float:
        """Units of the largest single charge: what one request may overdraw."""
        return float(self.charges.units.max(initial=0.0))
