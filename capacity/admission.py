"""Which requests of a stream the throughput physics admits, when the first is refused, and what burst is left.

A stream that can never meet a limit is not simulated request by request: then every request is admitted, and the
burst follows from the sums per second.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from capacity.physics.backpressure import QUEUE_S, IndexQueue
from capacity.physics.parameters import DEFAULT, Kind, Parameters, World
from capacity.physics.partition import Throttle
from capacity.physics.placement import key_hash
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings
from capacity.table import Table
from capacity.workloads.mesh.charges import READ, TABLE, WRITE, Charges

KINDS: tuple[Kind, Kind] = ("read", "write")
_CALM = 0.9  # a partition whose busiest second stays under this share of its ceiling is not looked at more closely

Floats = NDArray[np.float64]
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
    """`admitted` marks charges that took place; `levels[resource, kind]` holds the burst left at each step's end."""

    admitted: Mask
    refusals: list[Refusal] = field(default_factory=list)
    levels: dict[tuple[str, Kind], Floats | None] = field(default_factory=dict)
    partitions: dict[str, int] = field(default_factory=dict)

    def first(self, resource: str, kind: Kind) -> Refusal | None:
        """The first throttle event of a resource."""
        return next((r for r in self.refusals if r.resource == resource and r.kind == kind), None)


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
    run = _Run(charges, time_s, table, world, seconds, step_s, parameters)
    if world == "off":
        return Admission(np.ones(len(charges.units), bool), partitions=run.partitions())
    return run.calm() or run.one_by_one()


class _Run:
    def __init__(
        self,
        charges: Charges,
        time_s: Floats,
        table: Table,
        world: World,
        seconds: int,
        step_s: int,
        parameters: Parameters,
    ) -> None:
        self.charges, self.table, self.world = charges, table, world
        self.seconds, self.step_s, self.parameters = seconds, step_s, parameters
        self.time_s = time_s[charges.request]
        self.request_time_s = time_s
        self.settings = {name: settings_of(table, name, world) for name in charges.resources}
        self.resources = {
            name: ThroughputResource(
                self.settings[name], 0.0, parameters, has_local_index=table.has_local_index and name == TABLE
            )
            for name in charges.resources
        }
        self.hash = self._hashes()

    def _hashes(self) -> list[int]:
        """128-bit hash of the key of each charge. Names are made up: their spread is what matters, not their text."""
        keys = self.charges.key * (int(self.charges.key_entity.max(initial=0)) + 1) + self.charges.key_entity
        distinct, which = np.unique(keys, return_inverse=True)
        hashes = [key_hash({"S": f"key {key}"}) for key in distinct.tolist()]
        self.key_hashes, self.key_of_charge = hashes, which
        return hashes

    def partitions(self) -> dict[str, int]:
        return {name: len(resource.partitions(0.0)) for name, resource in self.resources.items()}

    def calm(self) -> Admission | None:
        """Everything admitted, if no second comes near a limit; None otherwise."""
        admission = Admission(np.ones(len(self.charges.units), bool), partitions=self.partitions())
        second = np.minimum(self.time_s.astype(np.int64), self.seconds - 1)
        ends = (np.arange(0, self.seconds, self.step_s) + self.step_s - 1).clip(max=self.seconds - 1)
        for number, name in enumerate(self.charges.resources):
            for kind_number, kind in enumerate(KINDS):
                chosen = (self.charges.resource == number) & (self.charges.kind == kind_number)
                demand: Floats = np.bincount(second[chosen], self.charges.units[chosen], minlength=self.seconds).astype(
                    np.float64
                )
                if not self._ceilings_hold(name, kind, chosen, second):
                    return None
                levels = self._levels(name, kind, demand)
                if levels is not None and len(levels) and levels.min() <= demand.max(initial=0.0):
                    return None
                if self.world == "on_demand":
                    limit = min(rate for _, rate, _ in self.resources[name].limits(0.0, kind))
                    if demand.max(initial=0.0) > _CALM * limit:
                        return None
                ends = np.arange(self.step_s - 1, self.seconds + self.step_s - 1, self.step_s).clip(
                    max=self.seconds - 1
                )
                admission.levels[name, kind] = None if levels is None else levels[ends]
        return admission

    def _levels(self, name: str, kind: Kind, demand: Floats) -> Floats | None:
        """Units left in the table's bucket at the end of each second; None where there is no bank of 300 s."""
        if self.world not in ("adaptive", "static"):
            return None
        rate = self.settings[name].provisioned(kind)
        depth = rate * self.parameters.burst_s
        level, levels = depth, np.empty(self.seconds)
        for second in range(self.seconds):
            level = min(depth, level + rate) - float(demand[second])
            levels[second] = level
        return levels

    def _ceilings_hold(self, name: str, kind: Kind, chosen: Mask, second: NDArray[np.int64]) -> bool:
        partitions = len(self.resources[name].partitions(0.0))
        limit = self.parameters.ceiling(kind)
        if self.world == "static":
            limit = min(limit, self.settings[name].provisioned(kind) / partitions)
        where = np.array([h * partitions >> 128 for h in self.key_hashes], np.int64)
        cell = where[self.key_of_charge[chosen]] * self.seconds + second[chosen]
        busiest = np.bincount(cell, self.charges.units[chosen]).max(initial=0.0)
        return bool(busiest <= _CALM * limit)

    def one_by_one(self) -> Admission:
        """Ask the live state machine for every request, in order."""
        c = self.charges
        admission = Admission(np.zeros(len(c.units), bool))
        queues = self._queues()
        steps = int(np.ceil(self.seconds / self.step_s))
        levels: dict[tuple[str, Kind], list[float]] = {(n, k): [] for n in c.resources for k in KINDS}
        request, step, kind = c.request.tolist(), c.step.tolist(), c.kind.tolist()
        resource, units, key = c.resource.tolist(), c.units.tolist(), self.key_of_charge.tolist()
        refused, row, rows, marked = -1, 0, len(units), 0
        while row < rows:
            end = row + 1
            while end < rows and request[end] == request[row] and step[end] == step[row]:
                end += 1
            now_s = float(self.request_time_s[request[row]])
            while marked < steps and now_s >= (marked + 1) * self.step_s:
                marked += 1
                self._note(levels, marked * self.step_s)
            if request[row] != refused:
                throttles = self._check(now_s, row, end, resource, kind, key, queues)
                if throttles:
                    refused = request[row]
                    admission.refusals += [
                        Refusal(now_s, where, KINDS[kind[row]], throttle.limit, request[row])
                        for where, throttle in throttles
                    ]
                else:
                    for at in range(row, end):
                        admission.admitted[at] = True
                        self._charge(now_s, c.resources[resource[at]], KINDS[kind[at]], key[at], units[at], queues)
            row = end
        while marked < steps:
            marked += 1
            self._note(levels, marked * self.step_s)
        admission.levels = {which: np.array(found) if found else None for which, found in levels.items()}
        admission.partitions = {n: len(r.partitions(float(self.seconds))) for n, r in self.resources.items()}
        return admission

    def _queues(self) -> dict[str, IndexQueue]:
        table = self.settings[TABLE]
        rate = table.provisioned("write") or self.parameters.on_demand_write_units
        return {
            name: IndexQueue(resource, QUEUE_S * rate) for name, resource in self.resources.items() if name != TABLE
        }

    def _check(
        self,
        now_s: float,
        row: int,
        end: int,
        resource: list[int],
        kind: list[int],
        key: list[int],
        queues: dict[str, IndexQueue],
    ) -> list[tuple[str, Throttle]]:
        names = self.charges.resources
        throttles: list[tuple[str, Throttle]] = []
        for at in range(row, end):
            name = names[resource[at]]
            if kind[at] == READ or name == TABLE:
                found = self.resources[name].check(now_s, KINDS[kind[at]], self.key_hashes[key[at]])
                throttles += [(name, throttle) for throttle in found]
        if kind[row] == WRITE:
            for name, queue in queues.items():
                throttles += [(name, throttle) for throttle in queue.check(now_s)]
        return throttles

    def _charge(
        self, now_s: float, name: str, kind: Kind, key: int, units: float, queues: dict[str, IndexQueue]
    ) -> None:
        if name in queues and kind == "write":
            queues[name].put(now_s, self.key_hashes[key], units)
        else:
            self.resources[name].charge(now_s, kind, self.key_hashes[key], units)

    def _note(self, levels: dict[tuple[str, Kind], list[float]], now_s: float) -> None:
        for (name, kind), found in levels.items():
            resource = self.resources[name]
            if self.world == "adaptive":
                found.append(min(limit[2] for limit in resource.limits(now_s, kind)))
            elif self.world == "static":
                found.append(sum(view.share_level[kind] for view in resource.partitions(now_s)))
