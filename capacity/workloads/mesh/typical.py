"""What one request of each operation costs in a group that is in full swing: everybody has joined and reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from capacity.scenario import Scenario
from capacity.table import Table
from capacity.workloads.mesh.charges import READ, Charges, charge
from capacity.workloads.mesh.plan import planned_lengths
from capacity.workloads.mesh.requests import CODE, OPERATIONS, Outcome, Requests
from capacity.workloads.mesh.steps import Layout

_HOSTS = ("createGroup", "renewHeartbeat", "dissolveGroup")


@dataclass(frozen=True)
class TypicalUnits:
    """Units of one request: by resource and kind ("read", "write"), and by class of partition key."""

    operation: str
    units: Mapping[tuple[str, str], float]
    by_key: Mapping[tuple[str, str, str], float] = field(default_factory=dict)
    """(template of the partition key, resource, kind) -> units."""

    def of(self, resource: str, kind: str) -> float:
        """Units of one resource, 0 when the operation does not touch it."""
        return self.units.get((resource, kind), 0.0)


def typical_units(scenario: Scenario, layout: Layout, table: Table) -> dict[str, TypicalUnits]:
    """Units of one request of every operation, in the first group of a scenario whose domain has one group.

    A host's operations are the host's, all others a member's, or the host's where there are no members. Reads that
    grow with the domain (createGroup, listGroupsByDomain) are those of a domain of one group. A poll finds what all
    nodes recorded since the last one.
    """
    members = scenario.population.members_per_group
    found = {}
    for operation in OPERATIONS:
        requests = _stream(scenario, operation, members)
        found[operation] = _last(operation, charge(requests, layout, table), len(requests) - 1)
    return found


def _stream(scenario: Scenario, operation: str, members: int) -> Requests:
    """Opening, joins and reports of one group, and then the operation."""
    traffic, nodes = scenario.traffic, range(members + 1)
    caller = 0 if operation in _HOSTS or not members else 1
    steps = [("createGroup", 0, 0), *(("joinGroup", node, 0) for node in nodes[1:])]
    steps += [("reportDataByNode", node, traffic.variables_per_report) for node in nodes]
    if operation == "createGroup":  # another host of the domain opens a group beside it: the first one's cost
        steps = [("createGroup", 0, 0)]
    if operation in ("pollGroupData", "getEventsSince") and traffic.event_batches_per_s:
        steps += [("pollGroupData", caller, 0)]
        period_s = scenario.settings.polling_interval_s
        batches = max(1, round(traffic.event_batches_per_s * period_s)) if members else 0
        steps += [("recordEventsByNode", node, traffic.events_per_batch) for node in nodes if node != caller] * batches
    items = {"reportDataByNode": traffic.variables_per_report}.get(operation, 0)
    if operation in ("fireEventsByNode", "recordEventsByNode"):
        items = traffic.events_per_batch
    if operation != "createGroup":
        steps.append((operation, caller, items))
    names, node, count = (np.array(column) for column in zip(*steps, strict=True))
    zero, time_s = np.zeros(len(steps), np.int64), np.arange(len(steps), dtype=np.float64)
    return Requests(
        start_s=0.0,
        time_s=time_s,
        due_s=time_s,
        operation=np.array([CODE[name] for name in names]),
        domain=zero,
        group=zero,
        node=node.astype(np.int64),
        items=count.astype(np.int64),
        outcome=np.full(len(steps), int(Outcome.DONE)),
        group_domain=np.zeros(1, np.int64),
        group_host=np.zeros(1, np.int64),
        bytes_of=planned_lengths(scenario),
    )


def _last(operation: str, charges: Charges, request: int) -> TypicalUnits:
    units: dict[tuple[str, str], float] = {}
    by_key: dict[tuple[str, str, str], float] = {}
    for row in np.flatnonzero(charges.request == request).tolist():
        resource, kind = charges.resources[charges.resource[row]], "read" if charges.kind[row] == READ else "write"
        amount = float(charges.units[row])
        units[resource, kind] = units.get((resource, kind), 0.0) + amount
        key = (charges.keys[charges.key[row]], resource, kind)
        by_key[key] = by_key.get(key, 0.0) + amount
    return TypicalUnits(operation, units, by_key)
