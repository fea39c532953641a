"""What an operation consumed: read and write units of a table and of each of its indexes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from capacity.dynamodb.table import Table


@dataclass(frozen=True)
class Units:
    """Read and write units of one table or one index."""

    read: float = 0.0
    write: float = 0.0

    def __add__(self, other: Units) -> Units:
        return Units(self.read + other.read, self.write + other.write)


NOTHING = Units()


@dataclass(frozen=True)
class Consumption:
    """Units of the table itself and of the indexes that were touched; an untouched index is absent, as in AWS's
    answers.
    """

    table: Units = NOTHING
    indexes: Mapping[str, Units] = field(default_factory=dict)

    def __add__(self, other: Consumption) -> Consumption:
        names = dict.fromkeys((*self.indexes, *other.indexes))
        merged = {name: self.indexes.get(name, NOTHING) + other.indexes.get(name, NOTHING) for name in names}
        return Consumption(self.table + other.table, merged)

    @property
    def total(self) -> Units:
        """Table and indexes together: what ReturnConsumedCapacity=TOTAL reports (measured in eu-west-2, 2026-08)."""
        return sum(self.indexes.values(), self.table)

    def by_throughput(self, table: Table) -> dict[str | None, Units]:
        """Units by whose throughput pays: None = the table, which also pays for its LSIs; else a GSI's name."""
        units: dict[str | None, Units] = {None: self.table}
        for name, consumed in self.indexes.items():
            payer = name if table.index(name).kind == "GSI" else None
            units[payer] = units.get(payer, NOTHING) + consumed
        return units


def total(consumptions: Iterable[Consumption]) -> Consumption:
    """Several operations on one table together."""
    return sum(consumptions, Consumption())
