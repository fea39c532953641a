"""What the engine reports to CloudWatch: names and dimensions of AWS/DynamoDB, one cached series each."""

from __future__ import annotations

from typing import Protocol

NAMESPACE = "AWS/DynamoDB"
Dimensions = tuple[tuple[str, str], ...]


class Series(Protocol):
    """One metric with its dimensions. `add` is called on hot paths."""

    def add(self, value: float, count: int = 1) -> None: ...


class MetricSink(Protocol):
    def series(self, namespace: str, metric: str, dimensions: Dimensions, unit: str) -> Series: ...


class _Silent:
    def add(self, value: float, count: int = 1) -> None:
        pass


class SilentMetrics:
    """A sink for engines nobody measures."""

    def series(self, namespace: str, metric: str, dimensions: Dimensions, unit: str) -> Series:
        return _Silent()


class ResourceMetrics:
    """Series of one throughput resource: dimension TableName, for a GSI also GlobalSecondaryIndexName."""

    def __init__(self, sink: MetricSink, dimensions: Dimensions):
        self._sink = sink
        self._dimensions = dimensions
        self._cache: dict[str, Series] = {}
        self.consumed = {
            "read": self.count("ConsumedReadCapacityUnits"),
            "write": self.count("ConsumedWriteCapacityUnits"),
        }
        self.consumed_read = self.consumed["read"]
        self.consumed_write = self.consumed["write"]

    def count(self, metric: str, unit: str = "Count") -> Series:
        series = self._cache.get(metric)
        if series is None:
            series = self._cache[metric] = self._sink.series(NAMESPACE, metric, self._dimensions, unit)
        return series

    def throttled(self, kind: str, limits: tuple[str, ...]) -> None:
        """One refused event of `kind` read or write; `limits` as in ThrottlingReasons, such as KeyRangeThroughput."""
        word = kind.capitalize()
        self.count(f"{word}ThrottleEvents").add(1.0)
        for limit in limits:
            self.count(f"{word}{limit}ThrottleEvents").add(1.0)


class IndexMetrics(ResourceMetrics):
    """A global secondary index."""

    def __init__(self, sink: MetricSink, table: str, index: str):
        super().__init__(sink, (("TableName", table), ("GlobalSecondaryIndexName", index)))


class TableMetrics(ResourceMetrics):
    """A table, without its global indexes; and the series per operation."""

    def __init__(self, sink: MetricSink, table: str):
        super().__init__(sink, (("TableName", table),))
        self._table = table
        self._by_operation: dict[tuple[str, str], Series] = {}
        self._latency: dict[str, Series] = {}

    def latency(self, operation: str) -> Series:
        """SuccessfulRequestLatency of an operation, milliseconds."""
        series = self._latency.get(operation)
        if series is None:
            series = self._latency[operation] = self.of_operation("SuccessfulRequestLatency", operation, "Milliseconds")
        return series

    def of_operation(self, metric: str, operation: str, unit: str = "Count") -> Series:
        key = (metric, operation)
        series = self._by_operation.get(key)
        if series is None:
            dimensions = (("TableName", self._table), ("Operation", operation))
            series = self._by_operation[key] = self._sink.series(NAMESPACE, metric, dimensions, unit)
        return series


class AccountMetrics(ResourceMetrics):
    """Series of the whole account and region: no dimensions."""

    def __init__(self, sink: MetricSink):
        self._sink = sink
        self._dimensions = ()
        self._cache = {}
