"""A workload of your own on a table of your own, in one Python file, as a locustfile is one.

Say what the table is, show its items by example, and name the actions with their calls and rates; the forecast says
what that consumes, which limit it meets first, and what it costs. See docs/own_workload.md.
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from capacity.dynamodb.attribute_value import to_item
from capacity.dynamodb.consumption import Consumption, total
from capacity.dynamodb.reads import get_item, query_page
from capacity.dynamodb.table import Table
from capacity.dynamodb.units import Consistency
from capacity.dynamodb.writes import Write, transact_write_items, write_item

Values = Mapping[str, Any]
"""An item as plain Python values."""


@dataclass(frozen=True)
class KeySpread:
    """How traffic spreads over the values of a key: the share of the busiest value decides what it can carry."""

    busiest_share: float
    text: str


UNIQUE = KeySpread(0.0, "a new value each time")
CONSTANT = KeySpread(1.0, "always the same value")


def uniform(values: int) -> KeySpread:
    """Evenly over so many values. Raises ValueError for fewer than one."""
    if values < 1:
        raise ValueError(f"uniform({values}) has no values; give at least 1, for example uniform(10)")
    return KeySpread(1 / values, f"evenly over {values:,} values")


def zipf(values: int, exponent: float = 1.0) -> KeySpread:
    """The k-th busiest value gets a share in proportion to 1 / k^exponent (Zipf's law), as users and pages do."""
    if values < 1 or exponent < 0:
        raise ValueError(f"zipf({values}, {exponent:g}) is none; give values from 1 and an exponent from 0: zipf(1000)")
    harmonic = sum(1 / rank**exponent for rank in range(1, values + 1))
    return KeySpread(1 / harmonic, f"over {values:,} values by Zipf's law, exponent {exponent:g}")


def hot(share: float) -> KeySpread:
    """One value gets this share of the traffic. Raises ValueError outside (0, 1]."""
    if not 0 < share <= 1:
        raise ValueError(f"hot({share:g}) is no share; give one between 0 and 1, for example hot(0.2)")
    return KeySpread(share, f"one value gets {share:.0%}")


@dataclass(frozen=True)
class Call:
    """One DynamoDB call: its operation, what it reads (None = the table), and what it consumes of a table."""

    operation: str
    index: str | None
    consumption: Callable[[Table], Consumption] = field(repr=False)


def put(item: Values, *, over: Values | None = None) -> Call:
    """PutItem of a new item, or over an existing one."""
    write = Write(None if over is None else to_item(over), to_item(item))
    return Call("PutItem", None, lambda table: write_item(table, write))


def update(before: Values, after: Values) -> Call:
    """UpdateItem: the item before and after."""
    write = Write(to_item(before), to_item(after))
    return Call("UpdateItem", None, lambda table: write_item(table, write))


def delete(item: Values) -> Call:
    """DeleteItem of an item that is there."""
    write = Write(to_item(item), None)
    return Call("DeleteItem", None, lambda table: write_item(table, write))


def get(item: Values, *, strong: bool = False) -> Call:
    """GetItem."""
    consistency = Consistency.STRONG if strong else Consistency.EVENTUAL
    return Call("GetItem", None, lambda table: get_item(to_item(item), consistency))


def query(item: Values, rows: int, *, index: str | None = None, strong: bool = False) -> Call:
    """One page of a Query that evaluates `rows` items like this one; a filter does not lower what it costs."""
    evaluated = [to_item(item)] * rows
    consistency = Consistency.STRONG if strong else Consistency.EVENTUAL
    return Call("Query", index, lambda table: query_page(table, evaluated, consistency, index=index))


def transact(*puts: Values) -> Call:
    """TransactWriteItems of new items."""
    writes = [Write(None, to_item(item)) for item in puts]
    return Call("TransactWriteItems", None, lambda table: transact_write_items(table, writes))


@dataclass(frozen=True)
class Action:
    """What your users do: its calls, each `times` in one action, and how often it happens."""

    name: str
    calls: tuple[Call, ...]
    per_s: float
    times: int = 1


@dataclass(frozen=True)
class Workload:
    """A table, the actions on it, and how the traffic spreads over its key attributes (unnamed ones are UNIQUE).

    Raises ValueError with every fault at once.
    """

    table: Table
    actions: tuple[Action, ...]
    keys: Mapping[str, KeySpread] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {self.table.key.partition, *(index.key.partition for index in self.table.indexes)}
        faults = [
            f"keys names {name!r}, which is no partition key; there are {', '.join(sorted(known))}"
            for name in self.keys
            if name not in known
        ]
        names = [index.name for index in self.table.indexes]
        have = ", ".join(names) or "none"
        for action in self.actions:
            faults += [
                f"action {action.name!r} queries index {call.index!r}; the table has {have}"
                for call in action.calls
                if call.index is not None and call.index not in names
            ]
            if action.per_s < 0:
                faults.append(f"action {action.name!r} happens {action.per_s:g} times a second; give 0 or more")
        if not self.actions:
            faults.append("there are no actions; give at least one, for example Action('post', (put(POST),), per_s=5)")
        if faults:
            raise ValueError("; ".join(faults))

    def spread(self, partition_key: str) -> KeySpread:
        """How traffic spreads over a partition key."""
        return self.keys.get(partition_key, UNIQUE)


def consumed_by(action: Action, table: Table) -> Consumption:
    """What one action consumes."""
    return total(call.consumption(table) for call in action.calls for _ in range(action.times))


def load_workload(path: Path) -> Workload:
    """The `WORKLOAD` of a Python file, which is run. Raises ValueError when it defines none."""
    found = runpy.run_path(str(path)).get("WORKLOAD")
    if not isinstance(found, Workload):
        raise ValueError(f"{path} defines no WORKLOAD; end it with WORKLOAD = Workload(table=..., actions=(...,))")
    return found
