"""The run directory: every file that crosses from one verb to the next, with its schema.

    run.json                  RunRecord: scenario as resolved, target, versions, host, clock, generator, verdict
    forecast.json             capacity.forecasting.forecast.Forecast
    requests.parquet          REQUESTS: one row per request
    deliveries.parquet        DELIVERIES: per second, group and kind of message
    delivery_faults.parquet   DELIVERY_FAULTS: one row per delivery that went wrong
    processes.parquet         PROCESSES: memory and processor time of generator and sandbox
    metrics.parquet           METRICS: CloudWatch points, tidy
    comparison.json           capacity.judgement.comparison.Comparison
    report.html, report.md, junit.xml

Times are UTC; names carry units. A file is written beside its place and moved there, so nobody reads half a one.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json

from capacity.record_upgrades import upgraded
from capacity.scenario.model import Scenario

if TYPE_CHECKING:
    import pyarrow.parquet as pq

SCHEMA_VERSION = 1
MAX_RUN_JSON_BYTES = 8 * 1024 * 1024
"""A scenario file, which is the longest part of it, has a megabyte at most."""

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


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Target(_Part):
    """What was loaded and where its metrics stand. Credentials and keys are never part of it."""

    kind: Literal["sandbox", "endpoint", "aws"]
    graphql_url: str
    """What is loaded: AppSync's endpoint, or DynamoDB's where the workload calls it itself."""
    aws_endpoint_url: str | None = None
    """Endpoint of DynamoDB and CloudWatch; None for the region's own."""
    region: str
    table_name: str
    api_id: str | None = None
    function_names: tuple[str, ...] = ()
    """Lambda functions behind the target, whose metrics are read too."""


class Generator(_Part):
    """Whether the load generator kept to its plan."""

    planned_requests: int
    """Requests whose intended start lies in the measuring window."""
    sent_requests: int
    """Those of them that were sent."""
    achieved: float
    """sent / planned."""
    lateness_p99_ms: float | None
    lateness_max_ms: float | None
    cpu_mean_percent: float | None
    """Of one core, by the busiest process."""
    cpu_max_percent: float | None
    workers: int
    missing_workers: int = 0
    valid: bool
    reasons: list[str] = Field(default_factory=list)
    """Why the run is not valid."""
    notes: list[str] = Field(default_factory=list)


class ThresholdResult(_Part):
    """One threshold of `expect`, judged."""

    expression: str
    outcome: Literal["passed", "failed", "unknown"]
    limit: float
    actual: float | None
    unit: str
    """ms, share, count or number."""
    margin: float | None
    """(actual - limit) / limit."""
    reason: str | None = None
    """Why it is unknown."""


Outcome = Literal["passed", "failed", "not valid", "unknown", "interrupted"]


class Verdict(_Part):
    """What the run decided."""

    outcome: Outcome
    exit_code: int
    sentence: str
    thresholds: list[ThresholdResult] = Field(default_factory=list)


class EarlyStop(_Part):
    """Why a run ended itself before its plan was over."""

    rule: Literal["expect", "abort", "max-usd"]
    """A threshold of the scenario that says abort, one of --abort, or the limit of the spend."""
    expression: str
    """The threshold as written."""
    limit: float
    actual: float
    unit: str
    """ms, share, count or number."""
    after_s: float
    """Seconds since the run's zero."""
    sentence: str


class RunRecord(_Part):
    """run.json."""

    schema_version: int = SCHEMA_VERSION
    run_id: str
    scenario_name: str
    scenario: Scenario
    scenario_digest: str
    status: Literal["started", "finished", "interrupted", "failed", "stopped"]
    """`stopped`: it ended itself, and `stopped` says why."""
    started_at: datetime
    measuring_from: datetime | None = None
    measuring_until: datetime | None = None
    ended_at: datetime | None = None
    target: Target
    generator: Generator | None = None
    stopped: EarlyStop | None = None
    verdict: Verdict | None = None
    versions: dict[str, str] = Field(default_factory=dict)
    host: dict[str, str | int | float] = Field(default_factory=dict)
    clock: dict[str, str | float] = Field(default_factory=dict)
    command: list[str] = Field(default_factory=list)
    """How to run it again."""
    notes: list[str] = Field(default_factory=list)


class RunDirectoryError(Exception):
    """A run directory that is missing, broken or of another version; the message says which and what to do."""


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a temporary path beside `path`; on success it takes the place of `path`, on failure it is removed."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)
    except OSError as fault:
        fault.filename = fault.filename or str(path)  # a full disk does not say which file it was
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_json(path: Path, model: BaseModel) -> None:
    """Write a model as indented JSON, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(model.model_dump_json(indent=2) + "\n", encoding="utf-8")


def write_run(run_dir: Path, record: RunRecord) -> None:
    """Write run.json."""
    write_json(run_dir / "run.json", record)


def read_run(run_dir: Path) -> RunRecord:
    """Read run.json, of this version or an older one that upgrades.

    Raises RunDirectoryError when there is none, it is too large, broken, or of a version that is not read here.
    """
    path = run_dir / "run.json"
    if path.exists() and not path.is_file():
        raise RunDirectoryError(f"{path} cannot be read: it is no file")
    try:
        with path.open("rb") as opened:
            content = opened.read(MAX_RUN_JSON_BYTES + 1)
    except FileNotFoundError:
        raise RunDirectoryError(
            f"{run_dir} is no run directory: it has no run.json; give a folder like runs/2026-11-30T13-30-00Z-smoke"
        ) from None
    except OSError as fault:
        raise RunDirectoryError(f"{path} cannot be read: {fault.strerror or fault}") from fault
    if len(content) > MAX_RUN_JSON_BYTES:
        raise RunDirectoryError(f"{path} has more than {MAX_RUN_JSON_BYTES:,} bytes, the most that is read")
    try:
        document = from_json(content)
    except ValueError as fault:
        raise RunDirectoryError(f"{path} is not a run record of version {SCHEMA_VERSION}: no JSON: {fault}") from fault
    try:
        document = upgraded(document, SCHEMA_VERSION)
    except ValueError as fault:
        raise RunDirectoryError(f"{path} {fault}") from fault
    try:
        return RunRecord.model_validate(document)
    except ValueError as fault:
        raise RunDirectoryError(f"{path} is not a run record of version {SCHEMA_VERSION}: {fault}") from fault


def update_run(run_dir: Path, **changes: Any) -> RunRecord:
    """Read run.json, replace the given fields, write it back, and return the result."""
    record = RunRecord.model_validate(read_run(run_dir).model_dump() | changes)
    write_run(run_dir, record)
    return record


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


def run_id(started_at: datetime, scenario_name: str) -> str:
    """The name of a run: its UTC start and scenario, fit for a folder and for names at the target.

    A scenario may have any name; here only letters, digits, `.`, `_` and `-` are left of it, so that it names no path.
    """
    fit = re.sub(r"[^\w.-]+", "_", scenario_name)[:60]
    return f"{started_at.astimezone(UTC):%Y-%m-%dT%H-%M-%SZ}-{fit}"


def dimension_text(dimensions: Iterable[tuple[str, str]]) -> str:
    """Dimensions as metrics.parquet writes them: `GlobalSecondaryIndexName=i,TableName=t`."""
    return ",".join(f"{name}={value}" for name, value in sorted(dimensions))
