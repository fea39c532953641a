"""A GSI provisioned below what its table writes into it: it refuses, and the table's writes are refused with it.

Source: Developer Guide, GSI (2023-02-22): a GSI's write capacity should equal or exceed its table's, since a write
needs both.
"""

from __future__ import annotations

from collections.abc import Iterator

from capacity.dynamodb.burst import bank_units
from capacity.lint.finding import Finding
from capacity.lint.subject import Subject

NAME = "index-throughput"
TITLE = "GSI provisioned below its table"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each GSI that the table outruns, at the settings or at the upper ends of auto scaling."""
    throughput, scaling = subject.table.throughput, subject.described.scaling
    if throughput is None:
        return
    table_scaling = scaling.get((None, "write"))
    table_units = throughput.write_units if table_scaling is None else table_scaling.maximum_units
    for index in subject.global_indexes:
        if index.throughput is None:
            continue
        index_scaling = scaling.get((index.name, "write"))
        units = index.throughput.write_units if index_scaling is None else index_scaling.maximum_units
        share = subject.entry_share(index)
        entry_units = subject.entry_units(index)
        if share == 0:
            continue
        table_writes_per_s = table_units / subject.put_units
        writes_per_s = units / entry_units / share
        if writes_per_s >= table_writes_per_s * (1 - 1e-9):
            continue
        wanted = table_writes_per_s * entry_units * share
        unused = 1 - writes_per_s / table_writes_per_s
        bank_s = bank_units(units) / (wanted - units)
        yield subject.finding(
            NAME,
            "error",
            index.name,
            f"{units:,.0f} write units follow {writes_per_s:,.1f} writes/s ({subject.sized}), the table takes "
            f"{table_writes_per_s:,.1f}: at the table's rate the index's savings last {bank_s:,.0f} s, then the index "
            f"refuses and the table with it, so {unused:.0%} of the table's write units can't be used.",
            f"Give it {wanted:,.0f} write units" + ("" if index_scaling is None else " as MaxCapacity") + ", or "
            "project less, or let fewer items carry its key.",
            writes_per_s=writes_per_s,
            table_writes_per_s=table_writes_per_s,
            write_units_needed=wanted,
            savings_last_s=bank_s,
        )
