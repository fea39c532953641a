"""What the answers of single writes have in common."""

from __future__ import annotations

from typing import Any

from sandbox.dynamodb.capacity_report import collection_metrics, consumed_capacity
from sandbox.dynamodb.values import Item
from sandbox.dynamodb.writes import Write


def add_write_report(answer: dict[str, Any], request: dict[str, Any], write: Write, key: Item) -> None:
    """ConsumedCapacity and ItemCollectionMetrics, where asked for."""
    mode = request.get("ReturnConsumedCapacity")
    if mode is not None and mode != "NONE":
        charges = [(index, units) for index, units, _ in write.index_charges]
        answer["ConsumedCapacity"] = consumed_capacity(mode, write.table, write.units, charges)
    if request.get("ReturnItemCollectionMetrics") == "SIZE":
        metrics = collection_metrics(write.table, write.order[0], key)
        if metrics is not None:
            answer["ItemCollectionMetrics"] = metrics
