"""A table under lint: how large its items are and what they cost, and how findings on it are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from capacity.dynamodb.attribute_value import Item
from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.quotas import limit
from capacity.dynamodb.table import Index, Projection, Table
from capacity.dynamodb.units import write_units
from capacity.lint.finding import Finding, Severity
from capacity.pricing.prices import PriceList
from capacity.templates.description import DescribedTable

ASSUMED_BYTES = 1024
"""Size of an item that nothing is known of: what one write unit carries."""
_KEY_BYTES = 64
"""Bytes of key attributes in an index entry that nothing is known of: a few names and identifiers."""


@dataclass(frozen=True)
class Subject:
    """A described table with prices of its region."""

    described: DescribedTable
    prices: PriceList

    @property
    def table(self) -> Table:
        return self.described.table

    @property
    def items(self) -> tuple[Item, ...]:
        return self.described.items

    @property
    def global_indexes(self) -> list[Index]:
        return [index for index in self.table.indexes if index.kind == "GSI"]

    @property
    def size_is_known(self) -> bool:
        """Whether item sizes come from samples or from DynamoDB's own count, rather than from an assumption."""
        return bool(self.items) or self.described.item_count is not None

    @cached_property
    def item_bytes(self) -> float:
        """Mean size of an item."""
        described = self.described
        if self.items:
            return sum(map(item_size_bytes, self.items)) / len(self.items)
        if described.item_count and described.size_bytes:
            return described.size_bytes / described.item_count
        return float(ASSUMED_BYTES)

    @property
    def sized(self) -> str:
        """The item size in words, with where it comes from."""
        size = f"{self.item_bytes / 1024:.3g} KB"
        if self.items:
            return f"items of {size} (mean of {len(self.items)} samples)"
        return f"items of {size}" + (" (by DescribeTable)" if self.size_is_known else " (assumed)")

    @cached_property
    def put_units(self) -> float:
        """Mean write units of putting a new item, on the table alone."""
        return self._mean(lambda item: write_units(item_size_bytes(item)), write_units(round(self.item_bytes)))

    def entry_units(self, index: Index, projection: Projection | None = None) -> float:
        """Mean write units of a new entry, over the items that have one; with another projection if given."""
        table = self.table if projection is None else _projected(self.table, index, projection)
        held = table.index(index.name)
        entries = [entry for item in self.items if (entry := table.index_entry(held, item)) is not None]
        if entries:
            return sum(write_units(item_size_bytes(entry)) for entry in entries) / len(entries)
        return write_units(round(self.item_bytes if held.projection.kind == "ALL" else _KEY_BYTES))

    def entry_share(self, index: Index) -> float:
        """Share of the items that have an entry in an index; 1 where nothing is known."""
        if not self.items:
            return 1.0
        return sum(self.table.index_entry(index, item) is not None for item in self.items) / len(self.items)

    @property
    def writes_per_s(self) -> float:
        """New items per second that the table itself takes: as provisioned, or on demand when it is new."""
        throughput = self.table.throughput
        units = limit("dynamodb.on_demand_start_write_units") if throughput is None else throughput.write_units
        return units / self.put_units

    @property
    def takes(self) -> str:
        """`writes_per_s` in words."""
        how = "as provisioned" if self.table.throughput is not None else "when new and on demand"
        return f"the table takes {self.writes_per_s:,.0f} writes/s {how}"

    def finding(
        self, rule: str, severity: Severity, index: str | None, message: str, remedy: str, **figures: float
    ) -> Finding:
        """A finding on the table or one of its indexes."""
        place = self.described.place_of(index)
        return Finding(
            rule=rule,
            severity=severity,
            table=self.table.name,
            index=index,
            file=place.file,
            line=place.line,
            message=message,
            figures={name: round(value, 6) for name, value in figures.items()},
            remedy=remedy,
        )

    def _mean(self, units: Callable[[Item], float], otherwise: float) -> float:
        return sum(map(units, self.items)) / len(self.items) if self.items else otherwise


def _projected(table: Table, index: Index, projection: Projection) -> Table:
    indexes: Sequence[Index] = [
        Index(each.name, each.kind, each.key, projection, each.throughput) if each.name == index.name else each
        for each in table.indexes
    ]
    return Table(table.name, table.key, table.attribute_types, tuple(indexes), table.throughput, table.ttl_attribute)
