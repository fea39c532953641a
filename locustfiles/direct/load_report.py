"""What a load on a table leaves beside the run record: sums of its own, as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from capacity.record import replacing


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ConsumedUnits(_Part):
    """Read or write units that an operation consumed, as the answers say."""

    resource: str
    """"table" or the name of an index."""
    kind: Literal["read", "write"]
    units: float
    units_per_request: float | None
    """None where no request was answered."""
    units_per_s: float | None


class OperationSums(_Part):
    """One DynamoDB operation."""

    requests: int
    """That were answered."""
    consumed: list[ConsumedUnits]
    throttled: dict[str, int]
    """Reason -> times."""


class ConsumedReport(_Part):
    """consumed.json: what a load on a table consumed, and why it was throttled."""

    schema_version: Literal[1] = 1
    table: str
    seconds: float
    operations: dict[str, OperationSums]


class ReadingChecks(_Part):
    """What readers of a timeline found."""

    readings: int
    pages: int
    posts: int
    duplicate: int
    """Posts that a reading showed twice."""
    out_of_order: int
    missing: int
    failed: int
    """Readings of which a page failed."""


class TimelineExpectation(_Part):
    """What the model says of the same load."""

    write_units_per_post: dict[str, float]
    """Table or index -> units."""
    read_units_per_full_page: float
    first_limit: str
    posts_per_s_at_first_limit: float


class TimelineReport(ConsumedReport):
    """timeline.json: what the timeline app consumed, what its readers found, and what the model expects."""

    shards: int
    checks: ReadingChecks
    model: TimelineExpectation


def write_load_report(run_dir: str | None, name: str, report: ConsumedReport) -> None:
    """Write `report` to a file of the run directory, whole or not at all; nothing without --run-dir."""
    if run_dir:
        Path(run_dir).mkdir(parents=True, exist_ok=True)
        with replacing(Path(run_dir) / name) as path:
            path.write_text(report.model_dump_json(indent=2) + "\n", encoding="utf-8")
