"""Partitions of tables and global indexes, for people and `/_sandbox/partitions`: key ranges, bucket levels, heat."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from capacity.physics.partition import PartitionView
from capacity.physics.resource import ThroughputResource
from sandbox.dynamodb.tables import TableState


def partition_report(tables: Iterable[TableState], now_s: float) -> dict[str, Any]:
    """By table name: limits, partitions in key order, items, bytes; the same for each global index. Plain JSON."""
    return {
        table.name: {
            **_resource(table.throughput, now_s),
            "items": len(table.rows),
            "size_bytes": table.size_bytes,
            "indexes": {
                index.name: {
                    **_resource(index.throughput, now_s),
                    "items": len(index.records),
                    "size_bytes": index.size_bytes,
                    "queued_write_units": index.queue.waiting_units(now_s) if index.queue is not None else 0.0,
                }
                for index in table.global_indexes()
            },
        }
        for table in tables
    }


def _resource(throughput: ThroughputResource | None, now_s: float) -> dict[str, Any]:
    if throughput is None:
        return {"world": "off", "limits": [], "partitions": []}
    limits = [
        {"kind": kind, "limit": limit, "units_per_s": rate, "units_left": left}
        for kind in ("read", "write")
        for limit, rate, left in throughput.limits(now_s, kind)
    ]
    return {
        "world": throughput.settings.world,
        "limits": limits,
        "partitions": [_partition(view) for view in throughput.partitions(now_s)],
    }


def _partition(view: PartitionView) -> dict[str, Any]:
    """One partition; hashes as 32 hexadecimal digits, because JSON numbers do not hold 128 bits."""
    return {
        "from_hash": f"{view.lower_hash:032x}",
        "from_sort_key": view.lower_sort_key.decode("utf-8", "backslashreplace"),
        "to_hash": f"{view.upper_hash - 1:032x}",
        "ceiling_units_left": view.ceiling_level,
        "share_units_per_s": view.share,
        "share_units_left": view.share_level,
        "consumed_units_last_minute": view.consumed_last_minute,
        "hot_minutes": view.hot_minutes,
        "size_bytes": view.size_bytes,
        "split_at_s": view.split_at_s,
        "kept_whole": view.kept_whole,
    }
