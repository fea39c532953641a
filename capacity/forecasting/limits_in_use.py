"""How near a stream of requests comes to each limit of its table, in its busiest second."""

from __future__ import annotations

import numpy as np

from capacity.dynamodb.table import Table
from capacity.physics.parameters import DEFAULT, Kind, World
from capacity.workloads.charge_rows import TABLE, Charges
from capacity.workloads.limit_use import LimitUse, limit_use
from capacity.workloads.stream import RequestStream

KINDS: tuple[Kind, Kind] = ("read", "write")

_GUIDE = "Developer Guide, partitions, 2026-11"


def limits_in_use(
    requests: RequestStream, charges: Charges, table: Table, world: World, seconds: int
) -> list[LimitUse]:
    """Every limit of the table and its indexes that the requests use some of."""
    found = _keys(requests, charges, seconds) + _tables(requests, charges, table, world, seconds)
    return [each for each in found if each.peak > 0]


def _keys(requests: RequestStream, charges: Charges, seconds: int) -> list[LimitUse]:
    """The busiest key of each class of partition key: one key is one partition."""
    second = requests.time_s[charges.request].astype(np.int64)
    found = []
    for key, template in enumerate(charges.keys):
        for resource, name in enumerate(charges.resources):
            for kind, kind_name in enumerate(KINDS):
                chosen = (charges.key == key) & (charges.resource == resource) & (charges.kind == kind)
                if not chosen.any():
                    continue
                cell = charges.key_entity[chosen] * seconds + second[chosen]
                sums = np.bincount(cell, charges.units[chosen])
                per_second = np.zeros(seconds)
                np.maximum.at(per_second, np.arange(len(sums)) % seconds, sums)
                limit = DEFAULT.ceiling(kind_name)
                what = f"one partition key {template}" if "{" in template else f"the constant key {template}"
                found.append(limit_use(what, name, kind_name, limit, per_second, "units/s", _GUIDE))
    return found


def _tables(requests: RequestStream, charges: Charges, table: Table, world: World, seconds: int) -> list[LimitUse]:
    if world == "off":
        return []
    second = requests.time_s[charges.request].astype(np.int64)
    found = []
    for resource, name in enumerate(charges.resources):
        throughput = table.throughput if name == TABLE else table.index(name).throughput
        for kind, kind_name in enumerate(KINDS):
            chosen = (charges.resource == resource) & (charges.kind == kind)
            sums = np.bincount(second[chosen], charges.units[chosen], minlength=seconds).astype(np.float64)
            if throughput is None:
                limit, source = DEFAULT.on_demand_start(kind_name), "Developer Guide, on-demand capacity mode, 2026-11"
                what = "throughput of a new on-demand table"
            else:
                limit, source = throughput.read_units if kind == 0 else throughput.write_units, "the scenario"
                what = "provisioned throughput"
            found.append(limit_use(what, name, kind_name, limit, sums, "units/s", source))
    return found
