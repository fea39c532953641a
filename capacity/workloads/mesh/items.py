"""Kinds of item of a layout, written as templates, and their sizes for whole arrays of items at once.

A template such as `GROUP#{group}#NODE#{node}` has a size that is linear in the byte lengths of what fills it. So the
size of every item of a run is a sum of arrays, and no item has to be built. A test builds items from the same
templates and checks the sum against `capacity.dynamodb.item_size`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from capacity.dynamodb.item_size import number_size_bytes, value_size_bytes
from capacity.dynamodb.table import Index, Table

Sizes = Mapping[str, "float | NDArray[np.float64]"]
"""Placeholder -> bytes that fill it, one figure or one per item."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Number:
    """A number attribute; `like` is one typical value, for its size."""

    like: str


EPOCH = Number("1796052452")  # epoch seconds: ten digits, 6 bytes
SMALL = Number("2")


class Flag:
    """A Boolean attribute."""


class Data:
    """The list of variables of a node: maps of `key` and `value`."""


Attribute = str | Number | type[Flag] | type[Data]


@dataclass(frozen=True)
class ItemKind:
    """One kind of item of a table: attribute -> template of its text, or what else it holds."""

    name: str
    attributes: Mapping[str, Attribute]

    @property
    def partition(self) -> str:
        """Template of the partition key."""
        return str(self.attributes["pk"])

    @property
    def sort(self) -> str:
        """Template of the sort key."""
        return str(self.attributes["sk"])

    @cached_property
    def _fixed_bytes(self) -> int:
        total = sum(len(name.encode()) for name in self.attributes)
        for value in self.attributes.values():
            if isinstance(value, str):
                total += len(_PLACEHOLDER.sub("", value).encode())
            elif isinstance(value, Number):
                total += number_size_bytes(value.like)
            elif value is Flag:
                total += 1
        return total

    @cached_property
    def _fillings(self) -> dict[str, int]:
        found: dict[str, int] = {}
        for value in self.attributes.values():
            names = _PLACEHOLDER.findall(value) if isinstance(value, str) else ["data"] if value is Data else []
            for name in names:
                found[name] = found.get(name, 0) + 1
        return found

    def size_bytes(self, sizes: Sizes) -> NDArray[np.float64]:
        """Bytes of items of this kind; raises KeyError for a placeholder that `sizes` lacks."""
        total: NDArray[np.float64] = np.asarray(float(self._fixed_bytes))
        for name, times in self._fillings.items():
            total = total + times * np.asarray(sizes[name], dtype=np.float64)
        return total

    def indexes(self, table: Table) -> tuple[Index, ...]:
        """The indexes of `table` that hold an entry for this kind: those whose key attributes it has."""
        return tuple(i for i in table.indexes if all(key in self.attributes for key in i.key.attributes))

    def entry(self, table: Table, index: Index) -> ItemKind:
        """What `index` stores of this kind: table keys, index keys and projected attributes; itself if that is all."""
        if index.projection.kind == "ALL":
            return self
        held = {*table.key.attributes, *index.key.attributes, *index.projection.attributes}
        return ItemKind(self.name, {name: value for name, value in self.attributes.items() if name in held})

    def matches(self, partition: str, prefix: str) -> bool:
        """Whether a Query on this partition and sort-key prefix (templates, "" for all) reads items of this kind."""
        return partition in ("", self.partition) and self.sort.startswith(prefix)


def event_kind(partition: str) -> ItemKind:
    """An event, which every layout writes alike under a partition key of its own (a template)."""
    return ItemKind(
        "event",
        {
            "pk": partition,
            "sk": "EVENT#{second}#{order_key}#{unique}",
            "eventName": "{event_name}",
            "firedByNodeId": "{node}",
            "groupId": "{group}",
            "domain": "{domain}",
            "payload": "{payload}",
            "timestamp": "{second}",
            "orderKey": "{order_key}",
            "ttl": EPOCH,
        },
    )


def placeholders(template: str) -> tuple[str, ...]:
    """What a template is filled with, in order."""
    return tuple(_PLACEHOLDER.findall(template))


def data_bytes(variables: NDArray[np.float64] | float, name_bytes: float, value_bytes: float) -> NDArray[np.float64]:
    """Bytes of a list of `variables` maps {key, value}, each name and value of the given length."""
    none = value_size_bytes({"L": []})
    one = value_size_bytes({"L": [{"M": {"key": {"S": ""}, "value": {"S": ""}}}]}) - none
    return none + np.asarray(variables, dtype=np.float64) * (one + name_bytes + value_bytes)
