"""What one request of each operation costs in a group that is in full swing: everybody has joined and reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from capacity.dynamodb.table import Table
from capacity.scenario import Scenario
from capacity.workloads.mesh.charges import READ, Charges, charge
from capacity.workloads.mesh.plan import planned_lengths
from capacity.workloads.mesh.requests import CODE, OPERATIONS, Outcome, Requests
from capacity.workloads.mesh.steps import Layout, Query

_HOSTS = ("createGroup", "renewHeartbeat", "dissolveGroup")
_OWN_GROUP = ("createGroup", "leaveGroup", "dissolveGroup")  # these would change the group for the others
_POLLS = ("getEventsSince", "pollGroupData")


@dataclass(frozen=True)
class TypicalUnits:
    """Units of one request: by resource and kind ("read", "write"), and by class of partition key."""

    operation: str
    units: Mapping[tuple[str, str], float]
    by_key: Mapping[tuple[str, str, str], float]
    """(template of the partition key, resource, kind) -> units."""

    def of(self, resource: str, kind: str) -> float:
        """Units of one resource, 0 when the operation does not touch it."""
        return self.units.get((resource, kind), 0.0)


def typical_units(scenario: Scenario, layout: Layout, table: Table) -> dict[str, TypicalUnits]:
    """Units of one request of every operation in a group of the scenario's size, alone in its domain.

    A host's operations are the host's, all others a member's, or the host's where there are no members. A poll finds
    what the group recorded within one polling interval. An operation that reads an index which the table does not have
    is left out.
    """
    stream = _Stream(scenario)
    indexes = {None, *(index.name for index in table.indexes)}
    operations = {
        name: operation
        for name, operation in layout.operations.items()
        if all(step.index in indexes for step in operation.steps if isinstance(step, Query))
    }
    for name in OPERATIONS:
        if name in operations:
            stream.measure(name)
    charges = charge(stream.requests(), replace(layout, operations=operations), table)
    return {operation: _of(operation, charges, row) for operation, row in stream.measured.items()}


class _Stream:
    """Groups in full swing, and in them one request of each operation."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.size = scenario.population.nodes_per_group
        self.rows: list[tuple[str, int, int, int]] = []  # operation, group, node, items
        self.measured: dict[str, int] = {}
        self.groups = 0
        self.shared = self._open()

    def measure(self, operation: str) -> None:
        if operation == "createGroup":
            group, self.groups = self.groups, self.groups + 1
        else:
            group = self._open() if operation in _OWN_GROUP else self.shared
        node = 0 if operation in _HOSTS or self.size == 1 else 1
        if operation in _POLLS:
            self._record_between_polls(group, node)
        self.measured[operation] = len(self.rows)
        self._add(operation, group, node)

    def _open(self) -> int:
        group, self.groups = self.groups, self.groups + 1
        self._add("createGroup", group, 0)
        for node in range(1, self.size):
            self._add("joinGroup", group, node)
        if self.scenario.traffic.reports_per_s:
            for node in range(self.size):
                self._add("reportDataByNode", group, node)
        return group

    def _record_between_polls(self, group: int, caller: int) -> None:
        self._add("pollGroupData", group, caller)
        others = self.size - 1
        traffic, period_s = self.scenario.traffic, self.scenario.settings.polling_interval_s
        for number in range(round(traffic.event_batches_per_s * period_s * others)):
            self._add("recordEventsByNode", group, (caller + 1 + number % others) % self.size)

    def _add(self, operation: str, group: int, node: int) -> None:
        traffic = self.scenario.traffic
        items = {
            "reportDataByNode": traffic.variables_per_report,
            "fireEventsByNode": traffic.events_per_batch,
            "recordEventsByNode": traffic.events_per_batch,
        }.get(operation, 0)
        self.rows.append((operation, group, group * self.size + node, items))

    def requests(self) -> Requests:
        names, group, node, items = (np.array(column) for column in zip(*self.rows, strict=True))
        time_s = np.arange(len(self.rows), dtype=np.float64)
        lengths = planned_lengths(self.scenario)
        first = {name: float(np.asarray(lengths[name]).ravel()[0]) for name in lengths}
        return Requests(
            start_s=0.0,
            time_s=time_s,
            due_s=time_s,
            operation=np.array([CODE[name] for name in names]),
            domain=group.astype(np.int64),
            group=group.astype(np.int64),
            node=node.astype(np.int64),
            items=items.astype(np.int64),
            outcome=np.full(len(self.rows), int(Outcome.DONE)),
            group_domain=np.arange(self.groups),
            group_host=np.arange(self.groups) * self.size,
            bytes_of=first,
        )


def _of(operation: str, charges: Charges, request: int) -> TypicalUnits:
    units: dict[tuple[str, str], float] = {}
    by_key: dict[tuple[str, str, str], float] = {}
    start, end = np.searchsorted(charges.request, [request, request + 1])
    for row in range(start, end):
        resource, kind = charges.resources[charges.resource[row]], "read" if charges.kind[row] == READ else "write"
        amount = float(charges.units[row])
        units[resource, kind] = units.get((resource, kind), 0.0) + amount
        key = (charges.keys[charges.key[row]], resource, kind)
        by_key[key] = by_key.get(key, 0.0) + amount
    return TypicalUnits(operation, units, by_key)
