"""The measurement of a run: CloudWatch's points of its table, indexes and API, from its first request to its last."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from capacity.judgement.comparison import comparison_of
from capacity.measurement.cloudwatch import CloudWatchReader, Expectation, Patience, Reading, cloudwatch_client
from capacity.measurement.metric_catalogue import queries_for
from capacity.record import RunRecord, replacing
from capacity.run_tables import METRICS, REQUESTS, read_table
from capacity.workloads.registry import workload_of

# Beside a target on this machine nothing is on its way for long; AWS publishes minutes, and not all at once (its
# DynamoDB and AppSync metrics have no finer period; CloudWatch metrics pages of both guides, 2026-11-30).
_LOCAL = {"settle_s": 3.0, "confirm_s": 0.0, "interval_s": 0.5}
_AWS = {"settle_s": 90.0, "confirm_s": 30.0, "interval_s": 15.0}


def measure(run_dir: Path, record: RunRecord, *, patience_s: float) -> Reading:
    """Read CloudWatch for a run and write metrics.parquet, waiting up to `patience_s` for late points.

    Raises CloudWatchError, with a sentence for the user, when CloudWatch cannot be read.
    """
    requests = read_table(run_dir / "requests.parquet") if (run_dir / "requests.parquet").exists() else None
    start, end = _span(record, requests)
    target = record.target
    reader = CloudWatchReader(cloudwatch_client(target.region, target.aws_endpoint_url))
    indexes = [index.name for index in workload_of(record.scenario).table.indexes]
    pace = _AWS if target.kind == "aws" else _LOCAL
    reading = reader.read(
        queries_for(target.table_name, indexes, target.api_id, target.function_names),
        start.timestamp(),
        end.timestamp() + 1,
        expected=expected_calls(record, requests),
        patience=Patience(total_s=patience_s, **pace),
        finest_period_s=60 if target.kind == "aws" else 10,
    )
    with replacing(run_dir / "metrics.parquet") as path:
        pq.write_table(pa.Table.from_pandas(reading.metrics, schema=METRICS, preserve_index=False), path)
    return reading


def _span(record: RunRecord, requests: pa.Table | None) -> tuple[datetime, datetime]:
    """From the start of the run to the answer of its last request."""
    end = record.ended_at or datetime.now(UTC)
    if requests is not None and requests.num_rows:
        end = max(end, pc.max(requests["start"]).as_py())
    return record.started_at, end


def expected_calls(record: RunRecord, requests: pa.Table | None) -> list[Expectation]:
    """What CloudWatch must at least have counted when all points have arrived: calls of the requests that went well.

    A throttled call has no SuccessfulRequestLatency, and which call of a refused request that was is not known yet.
    """
    served = REQUESTS.empty_table()
    if requests is not None:
        served = requests.filter(pc.equal(pc.cast(requests["outcome"], pa.string()), "ok"))
    calls = comparison_of(record, served, None, None).calls
    return [
        Expectation(
            "AWS/DynamoDB",
            "SuccessfulRequestLatency",
            (("TableName", record.target.table_name), ("Operation", call.name)),
            "SampleCount",
            call.sent,
        )
        for call in calls
        if call.sent
    ]
