"""Item collections: everything under one partition key, which a table with an LSI keeps on one partition and below 10
GB.

Source: Developer Guide, LSI (2023-02-22), and the deck of 2015-08-05, slides 31 and 46. A write that would grow a
full collection fails with ItemCollectionSizeLimitExceededException; one that shrinks it still works. Without an LSI
there is no limit.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from capacity.dynamodb.attribute_value import Item
from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.quotas import limit
from capacity.dynamodb.table import Table

GB = 2**30


def collection_limit_bytes(table: Table) -> float:
    """Bytes that one partition key may hold: 10 GB with an LSI, else no limit."""
    return limit("dynamodb.item_collection_gb") * GB if table.has_local_index else math.inf


def collection_bytes(table: Table, items: Iterable[Item]) -> int:
    """Size of an item collection: its items and their entries in every LSI. Raises ValueError for items of several
    keys.
    """
    total = 0
    partition: object = None
    for item in items:
        key = item[table.key.partition]
        if partition not in (None, key):
            raise ValueError(f"an item collection has one partition key, got {partition} and {key}")
        partition = key
        entries = (table.index_entry(index, item) for index in table.indexes if index.kind == "LSI")
        total += item_size_bytes(item) + sum(item_size_bytes(entry) for entry in entries if entry is not None)
    return total


def largest_collection_items(table: Table, item: Item) -> float:
    """How many items like this one a partition key can hold; infinite without an LSI."""
    return math.inf if not table.has_local_index else collection_limit_bytes(table) // collection_bytes(table, [item])
