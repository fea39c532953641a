"""Which of AWS's limits the tables of an account exceed as they are described. Source: Service quotas (2023-02-22)."""

from __future__ import annotations

from collections.abc import Sequence

from capacity.dynamodb.quotas import quotas
from capacity.dynamodb.table import Table, Throughput


def exceeded(tables: Sequence[Table]) -> list[str]:
    """A sentence for every limit that these tables, all of one account and region, exceed; empty when they fit."""
    provisioned = [total for table in tables if (total := provisioned_total(table)) is not None]
    faults = [fault for table in tables for fault in _of_table(table)]
    faults += _over("the account", "dynamodb.tables", len(tables))
    faults += _over("the account", "dynamodb.account_read_units", sum(each.read_units for each in provisioned))
    faults += _over("the account", "dynamodb.account_write_units", sum(each.write_units for each in provisioned))
    return faults


def provisioned_total(table: Table) -> Throughput | None:
    """Provisioned units per second of a table and all its GSIs, which quotas count together; None on demand."""
    if table.throughput is None:
        return None
    parts = [table.throughput, *(index.throughput for index in table.indexes if index.throughput is not None)]
    return Throughput(sum(part.read_units for part in parts), sum(part.write_units for part in parts))


def _of_table(table: Table) -> list[str]:
    name = f"table {table.name!r}"
    kinds = [index.kind for index in table.indexes]
    included = sum(len(index.projection.attributes) for index in table.indexes)
    faults = _over(name, "dynamodb.global_indexes", kinds.count("GSI"))
    faults += _over(name, "dynamodb.local_indexes", kinds.count("LSI"))
    faults += _over(name, "dynamodb.projected_attributes", included)
    total = provisioned_total(table)
    if total is not None:
        faults += _over(name, "dynamodb.table_read_units", total.read_units)
        faults += _over(name, "dynamodb.table_write_units", total.write_units)
    return faults


def _over(whose: str, quota: str, value: float) -> list[str]:
    limit = quotas()[quota]
    if value <= limit.value:
        return []
    raised = "; AWS raises it on request" if limit.adjustable else ""
    return [f"{whose} has {value:,.0f} {limit.unit}, the limit is {limit.value:,.0f} ({limit.says}){raised}"]
