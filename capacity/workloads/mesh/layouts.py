"""The workload model of a layout by its name, loaded when it is asked for."""

from __future__ import annotations

from importlib import import_module

from capacity.dynamodb.table import Table, Throughput
from capacity.scenario import Scenario
from capacity.workloads.mesh.steps import Layout
from capacity.workloads.mesh.tables import LAYOUTS, TABLES, provisioned


def layout_model(name: str) -> Layout:
    """Kinds of item and operations of a layout. Raises ValueError with the names there are."""
    if name not in LAYOUTS:
        raise ValueError(f"no layout {name!r}; there are {', '.join(LAYOUTS)}")
    layout: Layout = import_module(f"capacity.workloads.mesh.{name}").LAYOUT
    return layout


def table_of(scenario: Scenario) -> Table:
    """The scenario's table: its layout's keys and indexes with the throughput that the scenario bills."""
    table, billing = TABLES[scenario.layout], scenario.billing
    if billing.table is None:
        return table
    return provisioned(
        table,
        Throughput(billing.table.read_units, billing.table.write_units),
        {name: Throughput(each.read_units, each.write_units) for name, each in billing.indexes.items()},
    )
