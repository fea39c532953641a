"""ConsumedCapacity and ItemCollectionMetrics as answers carry them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sandbox.dynamodb.tables import IndexState, TableState
from sandbox.dynamodb.values import Item

GIGABYTE = float(1 << 30)


def consumed_capacity(
    mode: str,
    table: TableState,
    table_units: float,
    index_units: Iterable[tuple[IndexState, float]] = (),
    split: str | None = None,
) -> dict[str, Any]:
    """One ConsumedCapacity. `mode`: TOTAL or INDEXES; `split`: ReadCapacityUnits or WriteCapacityUnits where the
    operation also tells them apart (transactions)."""
    by_index: dict[str, tuple[IndexState, float]] = {}
    for index, units in index_units:
        before = by_index.get(index.name)
        by_index[index.name] = (index, units + (before[1] if before else 0.0))
    total = table_units + sum(units for _, units in by_index.values())
    answer: dict[str, Any] = {"TableName": table.name, **_units(total, split)}
    if mode == "INDEXES":
        answer["Table"] = _units(table_units, None if split == "ReadCapacityUnits" else split)
        for member, is_global in (("LocalSecondaryIndexes", False), ("GlobalSecondaryIndexes", True)):
            arms = {
                name: _units(units, split) for name, (index, units) in by_index.items() if index.is_global == is_global
            }
            if arms:
                answer[member] = arms
    return answer


def _units(units: float, split: str | None) -> dict[str, float]:
    return {"CapacityUnits": units} if split is None else {"CapacityUnits": units, split: units}


def collection_metrics(table: TableState, hash128: int, key: Item) -> dict[str, Any] | None:
    """Size of the item collection that a write touched; None for a table without a local index."""
    if table.collection_bytes is None:
        return None
    size = table.collection_bytes.get(hash128, 0) / GIGABYTE
    return {
        "ItemCollectionKey": {table.keys.partition: key[table.keys.partition]},
        "SizeEstimateRangeGB": [float(int(size)), float(int(size) + 1)],
    }
