"""The run directory: every file that crosses from one verb to the next, with its schema.

    run.json                  RunRecord: scenario as resolved, target, versions, host, clock, generator, verdict
    forecast.json             capacity.forecasting.forecast.Forecast
    *.parquet                 capacity.run_tables
    comparison.json           capacity.judgement.comparison.Comparison
    report.html, report.md, junit.xml

Times are UTC; names carry units. A file is written beside its place and moved there, so nobody reads half a one.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json

from capacity.record_upgrades import upgraded
from capacity.scenario.model import Scenario

SCHEMA_VERSION = 1
MAX_RUN_JSON_BYTES = 8 * 1024 * 1024
"""A scenario file, which is the longest part of it, has a megabyte at most."""


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


def run_id(started_at: datetime, scenario_name: str) -> str:
    """The name of a run: its UTC start and scenario, fit for a folder and for names at the target.

    A scenario may have any name; here only letters, digits, `.`, `_` and `-` are left of it, so that it names no path.
    """
    fit = re.sub(r"[^\w.-]+", "_", scenario_name)[:60]
    return f"{started_at.astimezone(UTC):%Y-%m-%dT%H-%M-%SZ}-{fit}"
