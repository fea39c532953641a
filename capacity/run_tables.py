"""The Parquet files of a run directory: their columns, with units and meanings, and how they are read.

    requests.parquet          REQUESTS: one row per request
    deliveries.parquet        DELIVERIES: per second, group and kind of message
    delivery_faults.parquet   DELIVERY_FAULTS: one row per delivery that went wrong
    processes.parquet         PROCESSES: memory and processor time of generator and sandbox
    metrics.parquet           METRICS: CloudWatch points, tidy

Times are UTC; names carry units.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from capacity.record import SCHEMA_VERSION

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_NAME = pa.dictionary(pa.int32(), pa.string())
_TIME = pa.timestamp("us", tz="UTC")


def _column(name: str, kind: pa.DataType, meaning: str, unit: str = "", nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"unit": unit, "meaning": meaning})


REQUESTS = pa.schema(
    [
        _column("operation", _NAME, "GraphQL field, such as reportDataByNode"),
        _column("node", _NAME, "node id as sent"),
        _column("domain", _NAME, "domain as sent, or as createDomain returned it", nullable=True),
        _column("group", _NAME, "group id; null before the node has one", nullable=True),
        _column("intended_start", _TIME, "when the plan wanted it sent"),
        _column("start", _TIME, "when it was sent"),
        _column("latency_ms", pa.float64(), "from start to the whole answer", "ms"),
        _column("intended_latency_ms", pa.float64(), "from intended_start to the whole answer", "ms"),
        _column("outcome", _NAME, "ok; refused: the answer carries an error; error: no valid answer"),
        _column("error_type", _NAME, "errorType of the answer, HTTP status, or exception class", nullable=True),
        _column("error_message", _NAME, "first error's message", nullable=True),
        _column("request_bytes", pa.int32(), "body sent", "bytes"),
        _column("response_bytes", pa.int32(), "body received", "bytes"),
        _column("items", pa.int32(), "variables or events sent; events or rows returned by a read", nullable=True),
        _column("request_id", pa.string(), "x-amzn-requestid of the answer", nullable=True),
        _column("tokens", pa.int32(), "x-amzn-appsync-TokensConsumed of the answer", nullable=True),
    ],
    metadata={"schema": "meshcap.requests", "version": str(SCHEMA_VERSION)},
)

_COUNTS = {
    "expected": "(message, receiver) pairs that the sender's accepted mutation owes",
    "delivered": "came once, in order, in time",
    "late": "came after the ledger's limit",
    "duplicate": "came again",
    "out_of_order": "overtook an earlier message of the same sender",
    "lost": "never came",
    "lost_after_ack": "never came, and was published within a second of the receiver's start_ack",
    "lost_by_cursor": "polling: skipped by the receiver's own cursor rule",
    "superseded": "polling: a report overwritten before the receiver read it, which is no loss",
    "crosstalk": "came to a node of another group",
    "unsettled": "the run ended before the time limit: neither delivered nor lost",
}

DELIVERIES = pa.schema(
    [
        _column("second", _TIME, "second of publication"),
        _column("group", _NAME, "group id"),
        _column("message", _NAME, "event or report"),
        _column("mode", _NAME, "websocket or polling"),
        *(_column(name, pa.int64(), meaning, "deliveries") for name, meaning in _COUNTS.items()),
        _column("latency_p50_ms", pa.float64(), "publication to receipt; age of a report when polling", "ms", True),
        _column("latency_p99_ms", pa.float64(), "same", "ms", True),
        _column("latency_max_ms", pa.float64(), "same", "ms", True),
        _column("latency_histogram", pa.string(), "HdrHistogram V2 (base64), values in microseconds", "us", True),
    ],
    metadata={"schema": "meshcap.deliveries", "version": str(SCHEMA_VERSION)},
)
DELIVERY_COUNTS = tuple(_COUNTS)

DELIVERY_FAULTS = pa.schema(
    [
        _column("published", _TIME, "when the sender's mutation was accepted"),
        _column("group", _NAME, "group id"),
        _column("message", _NAME, "event or report"),
        _column("sender", _NAME, "node id"),
        _column("receiver", _NAME, "node id"),
        _column("sequence", pa.int64(), "the sender's running number"),
        _column("outcome", _NAME, "a column of deliveries.parquet other than expected and delivered"),
        _column("latency_ms", pa.float64(), "publication to receipt, if it came", "ms", True),
    ],
    metadata={"schema": "meshcap.delivery_faults", "version": str(SCHEMA_VERSION)},
)

PROCESSES = pa.schema(
    [
        _column("time", _TIME, "when it was looked at"),
        _column("process", _NAME, "generator or sandbox"),
        _column("pid", pa.int32(), "process id"),
        _column("rss_bytes", pa.int64(), "memory that is resident", "bytes"),
        _column("cpu_s", pa.float64(), "processor time since the process began", "s"),
    ],
    metadata={"schema": "meshcap.processes", "version": str(SCHEMA_VERSION)},
)

METRICS = pa.schema(
    [
        _column("namespace", _NAME, "AWS/DynamoDB, AWS/AppSync, AWS/Lambda"),
        _column("metric", _NAME, "metric name"),
        _column("dimensions", _NAME, "Name=Value pairs, sorted by name, joined by commas"),
        _column("statistic", _NAME, "Sum, SampleCount, Average, Minimum, Maximum or pNN"),
        _column("period_s", pa.int32(), "period", "s"),
        _column("timestamp", _TIME, "start of the period; null with a null value: asked for, no points", nullable=True),
        _column("value", pa.float64(), "in the metric's unit", nullable=True),
    ],
    metadata={"schema": "meshcap.metrics", "version": str(SCHEMA_VERSION)},
)

TABLES = {
    "requests.parquet": REQUESTS,
    "deliveries.parquet": DELIVERIES,
    "delivery_faults.parquet": DELIVERY_FAULTS,
    "processes.parquet": PROCESSES,
    "metrics.parquet": METRICS,
}
"""The Parquet files of a run directory by name."""


def read_table(path: Path, columns: list[str] | None = None) -> pa.Table:
    """A Parquet file of a run, or some of its columns, looked through for values that are no values.

    Raises OSError or pa.ArrowException when it is none, or one whose bytes have changed: an index beyond its
    dictionary would otherwise be taken for an index of something else, text for bytes. Raises ValueError when a column
    or a value is missing.
    """
    with _opened(path) as file:
        missing = [name for name in columns or [] if name not in file.schema_arrow.names]
        if missing:
            raise ValueError(f"it lacks the columns {', '.join(missing)}")
        table = file.read(columns=columns)
    table.validate(full=True)
    return _as_recorded(table, TABLES[path.name]) if path.name in TABLES else table


def column_names(path: Path) -> list[str]:
    """The columns of a Parquet file. Raises OSError or pa.ArrowException when it is none."""
    with _opened(path) as file:
        return list(file.schema_arrow.names)


def _opened(path: Path) -> pq.ParquetFile:
    import pyarrow.parquet as pq

    if not path.is_file():
        raise OSError(f"{path} is no file")  # opening a pipe would wait for its other end
    return pq.ParquetFile(path)  # takes a third of the time of pq.read_table, which makes a data set of it


def _as_recorded(table: pa.Table, schema: pa.Schema) -> pa.Table:
    for place, name in enumerate(table.column_names):
        if name not in schema.names:
            continue
        field, column = schema.field(name), table.column(place)
        if column.null_count and not field.nullable:
            raise ValueError(f"its column {name} lacks {column.null_count} values")
        if column.type != field.type:  # older versions wrote some numbers shorter
            table = table.set_column(place, name, column.cast(field.type))
    return table


def dimension_text(dimensions: Iterable[tuple[str, str]]) -> str:
    """Dimensions as metrics.parquet writes them: `GlobalSecondaryIndexName=i,TableName=t`."""
    return ",".join(f"{name}={value}" for name, value in sorted(dimensions))
