"""What a class keeps in the table and its indexes, in the bytes that are billed as storage.

Group, node and status rows stand while the class does: its farewells delete them. Recorded events stand until they
expire and DynamoDB gets round to deleting them. Every item and every index entry is billed with 100 bytes more than its
size (Developer Guide, read 2026-11-30).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from capacity.dynamodb.item_size import STORAGE_OVERHEAD_BYTES
from capacity.dynamodb.table import Table
from capacity.scenario import Scenario
from capacity.workloads.mesh.items import ItemKind, Sizes, data_bytes, placeholders
from capacity.workloads.mesh.layouts import layout_model, table_of
from capacity.workloads.mesh.plan import planned_lengths

TTL_LAG_S = 19 * 60.0
"""An expired row is deleted 8 to 30 minutes late, by measurements of others (2019-2021); this is their middle."""


@dataclass(frozen=True)
class Stored:
    """Billed bytes of the whole population."""

    class_bytes: float
    """Rows that stand while everybody is there."""
    event_bytes_per_s: float
    """Rows of events that a second of the hold adds."""
    event_s: float
    """How long an event's row stays."""

    def mean_bytes(self, lesson_s: float, month_s: float) -> float:
        """Mean over a month that holds so many seconds of lessons."""
        return (self.class_bytes + self.event_bytes_per_s * self.event_s) * lesson_s / month_s


def stored(scenario: Scenario) -> Stored:
    """What the scenario's population keeps in its layout's table and indexes."""
    layout, table = layout_model(scenario.layout), table_of(scenario)
    population, traffic = scenario.population, scenario.traffic
    lengths = {name: float(np.mean(value)) for name, value in planned_lengths(scenario).items()}
    lengths["data"] = float(data_bytes(float(traffic.variables_per_report), lengths["variable_name"], lengths["value"]))
    kinds = {kind.partition + kind.sort: kind for kind in layout.kinds.values() if kind.name != "event"}
    of_class = sum(
        rows_of_group(kind, population.members_per_group, traffic.reports_per_s > 0)
        * billed_bytes(kind, table, lengths)
        for kind in kinds.values()  # kinds of one key are states of one item: the last one counts
    )
    polling = 1 - scenario.mode.websocket
    events_per_s = population.nodes * polling * traffic.event_batches_per_s * traffic.events_per_batch
    return Stored(
        class_bytes=population.groups * of_class,
        event_bytes_per_s=events_per_s * billed_bytes(layout.kinds["event"], table, lengths),
        event_s=scenario.settings.event_ttl_s + TTL_LAG_S,
    )


def rows_of_group(kind: ItemKind, members: int, reporting: bool) -> int:
    """Rows of one kind that a group of a host and so many members has."""
    if "node" not in placeholders(kind.partition + kind.sort):
        return 1
    if kind.name == "status":
        return members + 1 if reporting else 0
    return members


def billed_bytes(kind: ItemKind, table: Table, lengths: Sizes) -> float:
    """Storage of one item of this kind and of its index entries."""
    held = [kind, *(kind.entry(table, index) for index in kind.indexes(table))]
    return sum(float(each.size_bytes(lengths)) + STORAGE_OVERHEAD_BYTES for each in held)
