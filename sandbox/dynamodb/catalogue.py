"""The tables of an engine: made, found, described, changed, dropped; their throughput and their status over time."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import orjson

from capacity.physics.backpressure import IndexQueue
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings
from sandbox.dynamodb.backfill import Backfill
from sandbox.dynamodb.config import EngineConfig
from sandbox.dynamodb.errors import table_not_found
from sandbox.dynamodb.metrics import IndexMetrics, MetricSink, TableMetrics
from sandbox.dynamodb.partition_report import partition_report
from sandbox.dynamodb.streams import RETENTION_S, Stream, stream_label
from sandbox.dynamodb.tables import Description, IndexState, TableState, attribute_kinds

GAUGE_PERIOD_S = 60.0
_ON_DEMAND_QUEUE_UNITS = 4000.0
"""Write rate that stands for an on-demand table's when the queue before an index is sized."""


class Catalogue:
    """Tables by name, and by ARN."""

    def __init__(self, clock: Callable[[], float], metrics: MetricSink, config: EngineConfig):
        self.clock = clock
        self.metrics = metrics
        self.config = config
        self.tables: dict[str, TableState] = {}
        self.streams: dict[str, Stream] = {}
        self.created_tables = 0
        self.next_event_s = math.inf
        self.next_change_s = math.inf
        self._changing: list[TableState] = []
        self._backfills: list[Backfill] = []
        self._next_gauges_s = 0.0

    # Finding

    def table(self, name: str) -> TableState:
        """The table that a data operation names; it must be there and serve."""
        table = self.tables.get(name) or self.find(name)
        if table is None or table.unavailable:
            raise table_not_found()
        return table

    def named_table(self, name: str) -> TableState:
        """The table that a control operation names."""
        table = self.find(name)
        if table is None:
            raise table_not_found(name.rpartition("/")[2])
        return table

    def find(self, name: str) -> TableState | None:
        table = self.tables.get(name)
        if table is None and name.startswith("arn:"):
            table = self.tables.get(name.rpartition("/")[2])
        return table

    def table_names(self) -> list[str]:
        return sorted(self.tables)

    # Making and dropping

    def add_table(self, description: Description, request: dict[str, Any]) -> TableState:
        """A new table with its indexes, buckets and metric series."""
        now_s = self.clock()
        table = TableState(description, TableMetrics(self.metrics, description["TableName"]))
        kinds = attribute_kinds(description)
        indexes = [
            self.make_index(table, each, kinds, is_global)
            for member, is_global in (("LocalSecondaryIndexes", False), ("GlobalSecondaryIndexes", True))
            for each in description.get(member, ())
        ]
        table.warm = request.get("WarmThroughput") or {}
        table.wake = self.wake
        table.collection_limit_bytes = self.config.item_collection_bytes
        table.set_indexes(indexes)
        self.set_throughput(table, now_s)
        for tag in request.get("Tags") or ():
            table.tags[tag["Key"]] = tag["Value"]
        stream = request.get("StreamSpecification")
        if stream is not None and stream["StreamEnabled"]:
            self.open_stream(table, stream["StreamViewType"], now_s)
        self.tables[table.name] = table
        self.change_status(table, "CREATING", now_s)
        return table

    def make_index(
        self, table: TableState, description: Description, kinds: dict[str, str], is_global: bool
    ) -> IndexState:
        index = IndexState(description, table.keys, kinds, is_global)
        if is_global:
            index.metrics = IndexMetrics(self.metrics, table.name, index.name)
        return index

    def drop_table(self, table: TableState) -> None:
        """DeleteTable: gone at once, or after a while in status DELETING."""
        if self.config.table_delay_s <= 0.0:
            table.description["TableStatus"] = "DELETING"
            self._remove(table)
            return
        self.change_status(table, "DELETING", self.clock())

    def _remove(self, table: TableState) -> None:
        self.tables.pop(table.name, None)
        table.dropped = True
        self._end_stream(table)

    def open_stream(self, table: TableState, view: str, now_s: float) -> None:
        """Start a stream; the label is the time it started."""
        label = stream_label(now_s)
        arn = f"{table.arn}/stream/{label}"
        while arn in self.streams:
            now_s += 0.001
            label = stream_label(now_s)
            arn = f"{table.arn}/stream/{label}"
        table.stream = self.streams[arn] = Stream(arn, label, view, self.config.region, now_s, table.name, table.keys)
        table.description["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": view}
        table.description["LatestStreamLabel"] = label
        table.description["LatestStreamArn"] = arn

    def close_stream(self, table: TableState) -> None:
        """Take the stream off a table."""
        self._end_stream(table)
        table.description.pop("StreamSpecification", None)

    def _end_stream(self, table: TableState) -> None:
        """A stream that has ended can be read for as long as its records last."""
        now_s = self.clock()
        for arn, stream in list(self.streams.items()):
            if stream.closed_s is not None and stream.closed_s < now_s - RETENTION_S:
                del self.streams[arn]
        if table.stream is not None:
            table.stream.closed_s = now_s
            table.stream = None

    # Throughput

    def set_throughput(self, table: TableState, now_s: float) -> None:
        """(Re)tune the buckets of a table and its global indexes to what its description says."""
        has_local = any(not index.is_global for index in table.indexes)
        settings = self._settings(table, table.description, table.warm)
        if settings is None:
            table.throughput = None
        elif table.throughput is None:
            table.throughput = ThroughputResource(
                settings, now_s, self.config.parameters, has_local_index=has_local, size_bytes=table.size_bytes
            )
        elif table.throughput.settings != settings:
            table.throughput.retune(now_s, settings)
        rate = float(table.description["ProvisionedThroughput"]["WriteCapacityUnits"]) or _ON_DEMAND_QUEUE_UNITS
        for index in table.global_indexes():
            settings = self._settings(table, index.description, index.description.get("WarmThroughput") or {})
            if settings is None:
                index.throughput = index.queue = None
                continue
            if index.throughput is None:
                index.throughput = ThroughputResource(
                    settings, now_s, self.config.parameters, size_bytes=index.size_bytes
                )
                index.queue = IndexQueue(index.throughput, rate * self.config.index_queue_s)
            else:
                if index.throughput.settings != settings:
                    index.throughput.retune(now_s, settings)
                assert index.queue is not None
                index.queue.capacity_units = rate * self.config.index_queue_s
        table.set_indexes(table.indexes)
        _report_levels(table)

    def _settings(self, table: TableState, description: Description, warm: dict[str, Any]) -> Settings | None:
        if self.config.world == "off":
            return None
        warm_units = {
            "warm_read_units": float(warm.get("ReadUnitsPerSecond") or 0.0),
            "warm_write_units": float(warm.get("WriteUnitsPerSecond") or 0.0),
        }
        if table.is_on_demand():
            most = description.get("OnDemandThroughput") or {}
            return Settings(
                "on_demand",
                maximum_read_units=_maximum(most.get("MaxReadRequestUnits")),
                maximum_write_units=_maximum(most.get("MaxWriteRequestUnits")),
                **warm_units,
            )
        throughput = description["ProvisionedThroughput"]
        return Settings(
            self.config.world,
            float(throughput["ReadCapacityUnits"]),
            float(throughput["WriteCapacityUnits"]),
            **warm_units,
        )

    def report_gauges(self, now_s: float) -> None:
        """The levels that CloudWatch shows as Provisioned...CapacityUnits and OnDemandMax...RequestUnits, once a
        minute (AWS: every five) and at every change."""
        if now_s >= self._next_gauges_s:
            self._next_gauges_s = now_s - now_s % GAUGE_PERIOD_S + GAUGE_PERIOD_S
            for table in self.tables.values():
                _report_levels(table)

    def partitions(self) -> dict[str, Any]:
        """Partitions of every table and global index as plain JSON, for people."""
        return partition_report(self.tables.values(), self.clock())

    # Status over time

    def wake(self, due_s: float) -> None:
        """Something will be due then."""
        self.next_event_s = min(self.next_event_s, due_s)

    def change_status(self, table: TableState, status: str, now_s: float) -> None:
        """Enter a passing status; with no delay configured, leave it at once."""
        table.pass_through(status, now_s + self.config.table_delay_s)
        if self.config.table_delay_s > 0.0:
            if table not in self._changing:
                self._changing.append(table)
            self.next_change_s = min(self.next_change_s, now_s + self.config.table_delay_s)
            self.next_event_s = min(self.next_event_s, self.next_change_s)
        else:
            table.settle()

    def status(self, table: TableState) -> str:
        return str(table.description["TableStatus"])

    def start_backfill(self, table: TableState, index: IndexState, now_s: float) -> None:
        backfill = Backfill(table, index, self.config.backfill_items_per_s, now_s + self.config.table_delay_s)
        self._backfills.append(backfill)
        self.advance(now_s)

    def advance(self, now_s: float) -> None:
        """Carry statuses and backfills on to `now_s`."""
        for table in [table for table in self._changing if table.active_from_s <= now_s]:
            self._changing.remove(table)
            if self.status(table) == "DELETING":
                self._remove(table)
            else:
                table.settle()
        self._backfills = [backfill for backfill in self._backfills if not backfill.advance(now_s)]
        due = [table.active_from_s for table in self._changing]
        due += [backfill.next_s(now_s) for backfill in self._backfills]
        self.next_change_s = min(due, default=math.inf)
        self.next_event_s = min(self.next_event_s, self.next_change_s)

    def describe(self, table: TableState) -> Description:
        """The table's description with current sizes, as a copy."""
        description = dict(table.description)
        description["TableSizeBytes"] = table.size_bytes
        description["ItemCount"] = len(table.rows)
        if table.throughput is not None:
            description["WarmThroughput"] = _warm(table.throughput)
        for member, is_global in (("LocalSecondaryIndexes", False), ("GlobalSecondaryIndexes", True)):
            indexes = [index for index in table.indexes if index.is_global == is_global]
            if indexes:
                description[member] = [
                    {
                        **index.description,
                        "IndexSizeBytes": index.size_bytes,
                        "ItemCount": len(index.records),
                        **({"WarmThroughput": _warm(index.throughput)} if index.throughput is not None else {}),
                        **({"IndexStatus": "CREATING"} if is_global and self.status(table) == "CREATING" else {}),
                    }
                    for index in indexes
                ]
        copied: Description = orjson.loads(orjson.dumps(description))
        return copied


def _report_levels(table: TableState) -> None:
    resources: list[tuple[Any, Description]] = [(table.metrics, table.description)]
    resources += [(index.metrics, index.description) for index in table.global_indexes()]
    for metrics, description in resources:
        for kind in ("Read", "Write"):
            if not table.is_on_demand():
                units = description["ProvisionedThroughput"][f"{kind}CapacityUnits"]
                metrics.count(f"Provisioned{kind}CapacityUnits").add(float(units))
            most = (description.get("OnDemandThroughput") or {}).get(f"Max{kind}RequestUnits")
            if most is not None and most >= 0:
                metrics.count(f"OnDemandMax{kind}RequestUnits").add(float(most))


def _warm(throughput: ThroughputResource) -> Description:
    return {
        "ReadUnitsPerSecond": int(throughput.warm_throughput("read")),
        "WriteUnitsPerSecond": int(throughput.warm_throughput("write")),
        "Status": "ACTIVE",
    }


def _maximum(units: Any) -> float | None:
    """A configured on-demand maximum; -1 removes it."""
    return None if units is None or units < 0 else float(units)
