"""How near a stream of requests comes to each limit of DynamoDB and AppSync, in its busiest second."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from capacity.dynamodb.table import Table
from capacity.physics.parameters import DEFAULT, Kind, World
from capacity.workloads.mesh.charges import TABLE, Charges
from capacity.workloads.mesh.realtime import Realtime
from capacity.workloads.mesh.requests import CODE, Requests

KINDS: tuple[Kind, Kind] = ("read", "write")

# AppSync quotas of the larger regions, Tokyo and N. Virginia among them: AWS general reference, AppSync endpoints and
# quotas, read 2026-11.
APPSYNC_TOKENS_PER_S = 10_000.0
APPSYNC_CONNECTS_PER_S = 2_000.0
APPSYNC_INBOUND_PER_S = 10_000.0
APPSYNC_OUTBOUND_PER_S = 1_000_000.0
_APPSYNC = "AWS general reference, AppSync quotas, 2026-11"
_GUIDE = "Developer Guide, partitions, 2026-11"


@dataclass(frozen=True)
class Ceiling:
    """One limit and the busiest second against it."""

    name: str
    resource: str
    kind: str
    limit: float
    peak: float
    unit: str
    reached_s: float | None
    source: str


def ceilings(
    requests: Requests, charges: Charges, live: Realtime, table: Table, world: World, seconds: int
) -> list[Ceiling]:
    """Every limit that the requests use some of."""
    found = _keys(requests, charges, seconds) + _tables(requests, charges, table, world, seconds)
    return [each for each in found + _appsync(requests, live, seconds) if each.peak > 0]


def _keys(requests: Requests, charges: Charges, seconds: int) -> list[Ceiling]:
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
                found.append(_ceiling(what, name, kind_name, limit, per_second, "units/s", _GUIDE))
    return found


def _tables(requests: Requests, charges: Charges, table: Table, world: World, seconds: int) -> list[Ceiling]:
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
                limit = DEFAULT.on_demand_start(kind_name)
                found.append(
                    _ceiling("throughput of a new on-demand table", name, kind_name, limit, sums, "units/s",
                             "Developer Guide, on-demand capacity mode, 2026-11")
                )  # fmt: skip
            else:
                limit = throughput.read_units if kind == 0 else throughput.write_units
                found.append(
                    _ceiling("provisioned throughput", name, kind_name, limit, sums, "units/s", "the scenario")
                )
    return found


def _appsync(requests: Requests, live: Realtime, seconds: int) -> list[Ceiling]:
    second = requests.time_s.astype(np.int64)
    per_s = np.bincount(second, minlength=seconds).astype(np.float64)
    joins = np.isin(requests.operation, [CODE["createGroup"], CODE["joinGroup"]]) & (live.connections > 0)
    connects = np.bincount(second[joins], minlength=seconds).astype(np.float64)
    inbound = np.bincount(second[live.request], minlength=seconds).astype(np.float64)
    outbound = np.bincount(second[live.request], live.metered_messages, minlength=seconds).astype(np.float64)
    return [
        _ceiling("request tokens, one per request", "AppSync", "", APPSYNC_TOKENS_PER_S, per_s, "tokens/s", _APPSYNC),
        _ceiling("connects", "AppSync", "", APPSYNC_CONNECTS_PER_S, connects, "connects/s", _APPSYNC),
        _ceiling("inbound messages", "AppSync", "", APPSYNC_INBOUND_PER_S, inbound, "messages/s", _APPSYNC),
        _ceiling("outbound messages", "AppSync", "", APPSYNC_OUTBOUND_PER_S, outbound, "5 kB messages/s", _APPSYNC),
    ]


def _ceiling(
    name: str, resource: str, kind: str, limit: float, per_s: NDArray[np.float64], unit: str, source: str
) -> Ceiling:
    over = np.flatnonzero(per_s > limit)
    reached_s = float(over[0]) if len(over) else None
    return Ceiling(name, resource, kind, limit, float(per_s.max(initial=0.0)), unit, reached_s, source)
