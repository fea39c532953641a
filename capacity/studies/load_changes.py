"""What can be changed about a load to move a limit: each change is a load of its own, for the model to run again."""

from __future__ import annotations

from dataclasses import dataclass, replace

from capacity.dynamodb.table import Projection, Table
from capacity.studies.pressure import Load, Model
from capacity.workloads.mesh.layouts import layout_model, table_of
from capacity.workloads.mesh.steps import Query


@dataclass(frozen=True)
class Change:
    """A change in words, and the load after it."""

    text: str
    load: Load


def changes(load: Load) -> list[Change]:
    """Every change that applies to a load."""
    found = []
    for index in load.table.indexes:
        if index.name in _read_indexes(load):
            continue  # its readers need what it projects
        text = f"drop index {index.name}, which no client reads"
        found.append(Change(text, replace(load, table=_without(load.table, index.name))))
        text = f"let index {index.name} project keys only"
        found.append(Change(text, replace(load, table=_keys_only(load.table, index.name))))
    if any("ALL_GROUPS" in kind.attributes.values() for kind in load.layout.kinds.values()):
        text = "spread the constant key ALL_GROUPS over 10 keys"
        found.append(Change(text, replace(load, shards={"ALL_GROUPS": 10})))
    if load.layout.name != "architecture" and load.scenario.billing.is_on_demand:
        moved = load.scenario.model_copy(update={"layout": "architecture"})
        other = replace(load, scenario=moved, layout=layout_model("architecture"), table=table_of(moved))
        found.append(Change("move to the architecture layout: statuses under their node", other))
    if load.reports_per_s:
        found.append(Change("report half as often", replace(load, reports_per_s=load.reports_per_s / 2)))
    if load.websocket < 1:
        found.append(Change("use WebSocket instead of polling", replace(load, websocket=1.0)))
        found.append(Change("poll half as often", replace(load, polling_interval_s=2 * load.polling_interval_s)))
    longer = replace(load, host_interval_s=2 * load.host_interval_s, member_interval_s=2 * load.member_interval_s)
    found.append(Change("beat half as often", longer))
    found.append(Change("let the class arrive over twice the time", replace(load, ramp_s=2 * max(1.0, load.ramp_s))))
    if load.scenario.billing.is_on_demand:
        warm = {"read": 40_000.0, "write": 40_000.0}
        found.append(Change("warm the table up to 40,000 units/s before class", replace(load, warm=warm)))
    return found


def _read_indexes(load: Load) -> set[str | None]:
    """Indexes that an operation of the simulated clients reads."""
    used = [load.layout.operations[name].steps for name in Model().rates_per_s(load)]
    return {step.index for steps in used for step in steps if isinstance(step, Query)}


def _without(table: Table, name: str) -> Table:
    left = tuple(index for index in table.indexes if index.name != name)
    keys = {*table.key.attributes, *(attribute for index in left for attribute in index.key.attributes)}
    types = {attribute: kind for attribute, kind in table.attribute_types.items() if attribute in keys}
    return replace(table, indexes=left, attribute_types=types)


def _keys_only(table: Table, name: str) -> Table:
    return replace(
        table,
        indexes=tuple(
            replace(index, projection=Projection("KEYS_ONLY")) if index.name == name else index
            for index in table.indexes
        ),
    )
