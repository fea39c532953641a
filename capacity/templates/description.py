"""What a file says of tables: the tables themselves, and what lint needs beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from capacity.dynamodb.attribute_value import Item
from capacity.dynamodb.table import Table
from capacity.physics.autoscaling import TargetTracking
from capacity.physics.parameters import Kind

Fact = Literal["time to live", "auto scaling", "calls"]
"""What some files can tell and others can't; what a file can't tell is unknown, not absent."""

Dimension = tuple[str | None, Kind]
"""A throughput that scales: an index, or None for the table, and reads or writes."""


@dataclass(frozen=True)
class Place:
    """A line of a file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Call:
    """A DynamoDB operation that somebody in the file makes on a table; `index` None = the table itself."""

    operation: str
    index: str | None
    by: str
    place: Place


@dataclass(frozen=True)
class IndexUse:
    """Units that CloudWatch counted on an index in so many days; `write_units` None = not asked for."""

    read_units: float
    write_units: float | None
    days: float


@dataclass(frozen=True)
class DescribedTable:
    """A table and what its file says of it."""

    table: Table
    place: Place
    index_places: Mapping[str, Place] = field(default_factory=dict)
    knows: frozenset[Fact] = frozenset()
    """Which of the facts below the file would show if they were so."""
    scaling: Mapping[Dimension, TargetTracking] = field(default_factory=dict)
    calls: tuple[Call, ...] = ()
    """The calls that can be read from the file."""
    other_readers: tuple[str, ...] = ()
    """Who else may read the table, with code that the file doesn't hold."""
    stream_view: str | None = None
    items: tuple[Item, ...] = ()
    """Sample items in DynamoDB JSON."""
    index_uses: Mapping[str, IndexUse] = field(default_factory=dict)
    """By index, where it was measured."""
    item_count: int | None = None
    size_bytes: int | None = None

    def place_of(self, index: str | None) -> Place:
        """Where an index is described; None = the table."""
        return self.place if index is None else self.index_places.get(index, self.place)


@dataclass(frozen=True)
class Description:
    """A file's tables, AppSync APIs and what a reader should know about the reading."""

    file: str
    kind: Literal["CloudFormation template", "DescribeTable answer", "NoSQL Workbench model"]
    tables: tuple[DescribedTable, ...]
    apis: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
