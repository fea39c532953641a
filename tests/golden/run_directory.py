"""A generated run directory: one seed, the same files, so what a report says about them can be kept as golden.

The run is made up, but it is made up whole: 2 groups of a host and 3 members work for 60 s after a 10 s ramp;
GroupIdIndex is too small for them and throttles 41 s into the run.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import made_up_comparison
import made_up_forecast
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from hdrh.histogram import HdrHistogram

from capacity.record import Generator, RunRecord, Target, ThresholdResult, Verdict, write_json, write_run
from capacity.run_tables import DELIVERIES, DELIVERY_FAULTS, METRICS, REQUESTS
from capacity.scenario import Scenario

START = datetime(2026, 11, 30, 13, 30, 0, tzinfo=UTC)
DIGEST = "5e1f0c2ba9d84763"
RAMP_S, HOLD_S, DRAIN_S = 10.0, 60.0, 5.0
TABLE = "mesh-run"
# operation -> (per second in all, median latency in ms)
RATES = {
    "reportDataByNode": (8.0, 6.0),
    "fireEventsByNode": (8.0, 4.0),
    "listGroupStatuses": (0.53, 7.5),
    "renewHeartbeat": (0.04, 5.0),
    "sendMemberHeartbeat": (0.05, 5.5),
}


def scenario() -> Scenario:
    """Two groups on a provisioned table."""
    return Scenario.model_validate(
        {
            "description": "Two groups on a small provisioned table",
            "population": {"domains": 1, "groups_per_domain": 2, "members_per_group": 3},
            "traffic": {"reports": "1/s", "event_batches": "1/s"},
            "schedule": {"ramp": "10s", "hold": "60s", "drain": "5s"},
            "billing": {
                "table": {"read": 40, "write": 20},
                "indexes": {"GroupIdIndex": {"read": 5, "write": 5}, "GroupNameIndex": {"read": 5, "write": 5}},
            },
            "expect": [
                "latency.p(95) < 30ms",
                "throttles.total == 0",
                "deliveries.lost == 0",
                "latency.p(99, renewHeartbeat) < 100ms",
                "cost.run_usd < 0.02",
            ],
        }
    )


def record(**changes: Any) -> RunRecord:
    """run.json of the run."""
    plan = scenario()
    return RunRecord(
        run_id="2026-11-30T13-30-00Z-two-groups",
        scenario_name="two-groups",
        scenario=plan,
        scenario_digest=DIGEST,
        status="finished",
        started_at=START,
        measuring_from=START + timedelta(seconds=RAMP_S),
        measuring_until=START + timedelta(seconds=RAMP_S + HOLD_S),
        ended_at=START + timedelta(seconds=RAMP_S + HOLD_S + DRAIN_S),
        target=Target(
            kind="sandbox",
            graphql_url="http://127.0.0.1:40123/graphql",
            aws_endpoint_url="http://127.0.0.1:40123",
            region="ap-northeast-1",
            table_name=TABLE,
            api_id="sandbox",
        ),
        generator=Generator(
            planned_requests=997,
            sent_requests=996,
            achieved=996 / 997,
            lateness_p99_ms=3.1,
            lateness_max_ms=12.4,
            cpu_mean_percent=21.0,
            cpu_max_percent=38.0,
            workers=1,
            valid=True,
            notes=["reportDataByNode refused, DynamoDB:ProvisionedThroughputExceededException: 3 times"],
        ),
        verdict=Verdict(
            outcome="failed",
            exit_code=99,
            sentence="1 of 5 thresholds did not hold: throttles.total == 0.",
            thresholds=[
                ThresholdResult(
                    expression="latency.p(95) < 30ms", outcome="passed", limit=30, actual=17.4, unit="ms", margin=-0.42
                ),
                ThresholdResult(
                    expression="throttles.total == 0", outcome="failed", limit=0, actual=58, unit="count", margin=None
                ),
                ThresholdResult(
                    expression="deliveries.lost == 0", outcome="passed", limit=0, actual=0, unit="count", margin=None
                ),
                ThresholdResult(
                    expression="latency.p(99, renewHeartbeat) < 100ms",
                    outcome="unknown",
                    limit=100,
                    actual=None,
                    unit="ms",
                    margin=None,
                    reason="not enough data: p99 needs 1,000 answers, the run has 3",
                ),
                ThresholdResult(
                    expression="cost.run_usd < 0.02",
                    outcome="passed",
                    limit=0.02,
                    actual=0.0128,
                    unit="number",
                    margin=-0.36,
                ),
            ],
        ),
        versions={"meshcap": "0.1.0", "python": "3.11.2", "locust": "2.47.0"},
        host={"cpu": "2 cores", "system": "Linux 6.1"},
        clock={"source": "monotonic", "resolution_ms": 0.000001},
        command=["meshcap", "run", "two-groups", "--seed", "1"],
    ).model_copy(update=changes)


def requests(seed: int = 1, scale: float = 1.0, names: dict[str, str] | None = None) -> pa.Table:
    """requests.parquet: steady operations with a tail, refusals once the index throttles; `scale` multiplies rates."""
    random = np.random.default_rng(seed)
    names = names or {}
    frames = []
    for operation, (per_s, median_ms) in RATES.items():
        count = round(per_s * scale * (RAMP_S + HOLD_S))
        intended_s = np.sort(random.uniform(0, RAMP_S + HOLD_S, count))
        lateness_s = random.exponential(0.0004, count)
        latency_ms = median_ms * random.lognormal(0, 0.35, count) + (random.random(count) < 0.01) * random.exponential(
            40, count
        )
        throttled = (operation == "reportDataByNode") & (intended_s > 41) & (random.random(count) < 0.28)
        node = random.integers(0, 8, count)
        frames.append(
            pd.DataFrame(
                {
                    "operation": names.get(operation, operation),
                    "node": [f"n{n}" for n in node],
                    "domain": names.get("domain", "203.0.113.7"),
                    "group": [names.get("group", f"g{n // 4}") for n in node],
                    "intended_start": pd.Timestamp(START) + pd.to_timedelta(intended_s, unit="s"),
                    "start": pd.Timestamp(START) + pd.to_timedelta(intended_s + lateness_s, unit="s"),
                    "latency_ms": latency_ms,
                    "intended_latency_ms": latency_ms + lateness_s * 1000,
                    "outcome": np.where(throttled, "refused", "ok"),
                    "error_type": np.where(
                        throttled, "DynamoDB:ProvisionedThroughputExceededException", np.array(None, dtype=object)
                    ),
                    "error_message": np.where(
                        throttled,
                        names.get(
                            "message",
                            "The level of configured provisioned throughput for one or more indexes was exceeded.",
                        ),
                        np.array(None, dtype=object),
                    ),
                    "request_bytes": random.integers(300, 420, count),
                    "response_bytes": random.integers(200, 700, count),
                    "items": 2,
                    "request_id": [f"{operation[:2]}-{n:05d}" for n in range(count)],
                    "tokens": 1,
                }
            )
        )
    frame = pd.concat(frames).sort_values("start", kind="stable").reset_index(drop=True)
    for column in ("intended_start", "start"):
        frame[column] = frame[column].dt.floor("us")
    return pa.Table.from_pandas(frame, schema=REQUESTS, preserve_index=False)


def histogram(times_ms: np.ndarray) -> str:
    """A latency histogram as the ledger writes it."""
    whole = HdrHistogram(1, 3_600_000_000, 3)
    for time_ms in times_ms:
        whole.record_value(int(time_ms * 1000))
    return str(whole.encode().decode())


def deliveries(polling: bool = False) -> tuple[pa.Table, pa.Table]:
    """deliveries.parquet and delivery_faults.parquet: all delivered by WebSocket; polling loses by its cursor rule."""
    random = np.random.default_rng(2)
    rows, faults = [], []
    for second in range(int(RAMP_S + HOLD_S)):
        for group in range(2):
            for message in ("event", "report"):
                expected = 16
                by_cursor = 2 if polling and message == "event" and second % 5 == 0 else 0
                late = 1 if not polling and second == 44 and message == "report" else 0
                row = dict.fromkeys((field.name for field in DELIVERIES), 0) | {
                    "second": START + timedelta(seconds=second),
                    "group": f"g{group}",
                    "message": message,
                    "mode": "polling" if polling else "websocket",
                    "expected": expected,
                    "delivered": expected - by_cursor - late,
                    "late": late,
                    "lost_by_cursor": by_cursor,
                    "latency_p50_ms": 980.0 if polling else 2.1 + 0.3 * group,
                    "latency_p99_ms": 1985.0 if polling else 6.5 + second % 3,
                    "latency_max_ms": 2010.0 if polling else 5100.0 if late else 9.0,
                    "latency_histogram": None,
                }
                middle_ms = 980.0 if polling else 2.1 + 0.3 * group
                times_ms = middle_ms * random.lognormal(0, 0.3, expected - by_cursor - late)
                row["latency_histogram"] = histogram(np.append(times_ms, [5100.0] * late))
                rows.append(row)
                for outcome, times in (("lost_by_cursor", by_cursor), ("late", late)):
                    faults += [
                        {
                            "published": START + timedelta(seconds=second, milliseconds=120 + n),
                            "group": f"g{group}",
                            "message": message,
                            "sender": f"n{group * 4}",
                            "receiver": f"n{group * 4 + 1 + n}",
                            "sequence": second + 1,
                            "outcome": outcome,
                            "latency_ms": 5100.0 if outcome == "late" else None,
                        }
                        for n in range(times)
                    ]
    return pa.Table.from_pylist(rows, schema=DELIVERIES), pa.Table.from_pylist(faults, schema=DELIVERY_FAULTS)


RESOURCES = {"": (12.8, 8.6), "GroupIdIndex": (0.0, 8.2), "GroupNameIndex": (0.0, 0.08)}
"""Resource -> measured read and write units per second of the hold; the table's name is empty."""


def metrics() -> pa.Table:
    """metrics.parquet at 10 s: consumed units of the table and its indexes, throttles of GroupIdIndex from 40 s on."""
    rows: list[dict[str, Any]] = []

    def add(metric: str, dimensions: str, statistic: str, values: list[float | None]) -> None:
        for step, value in enumerate(values):
            if value is not None:
                rows.append(
                    {
                        "namespace": "AWS/DynamoDB",
                        "metric": metric,
                        "dimensions": dimensions,
                        "statistic": statistic,
                        "period_s": 10,
                        "timestamp": START + timedelta(seconds=10 * step),
                        "value": value,
                    }
                )
        if all(value is None for value in values):
            rows.append(
                {
                    "namespace": "AWS/DynamoDB",
                    "metric": metric,
                    "dimensions": dimensions,
                    "statistic": statistic,
                    "period_s": 10,
                    "timestamp": None,
                    "value": None,
                }
            )

    shape = [0.62, 1, 1, 1, 1, 1, 1, 0.02]
    for index, (read, write) in RESOURCES.items():
        dimensions = f"GlobalSecondaryIndexName={index},TableName={TABLE}" if index else f"TableName={TABLE}"
        held = 0.72 if index == "GroupIdIndex" else 1
        add(
            "ConsumedReadCapacityUnits", dimensions, "Sum", [round(10 * read * s, 1) for s in shape] if read else [None]
        )
        add(
            "ConsumedWriteCapacityUnits",
            dimensions,
            "Sum",
            [round(10 * write * s * (held if n >= 4 else 1), 1) for n, s in enumerate(shape)],
        )
        throttles: list[float | None] = [None] * 4 + [12.0, 23.0, 23.0, None] if index == "GroupIdIndex" else [None]
        add("WriteThrottleEvents", dimensions, "Sum", throttles)
        add("ReadThrottleEvents", dimensions, "Sum", [None])
    add("ThrottledRequests", f"Operation=PutItem,TableName={TABLE}", "Sum", [None] * 4 + [12.0, 23.0, 23.0, None])
    return pa.Table.from_pylist(rows, schema=METRICS)


def build(directory: Path, *, polling: bool = False, scale: float = 1.0, names: dict[str, str] | None = None) -> Path:
    """Write the whole run directory and return it."""
    directory.mkdir(parents=True, exist_ok=True)
    write_run(directory, record())
    write_json(directory / "forecast.json", made_up_forecast.forecast(DIGEST))
    write_json(directory / "comparison.json", made_up_comparison.comparison(record().run_id, START))
    pq.write_table(requests(scale=scale, names=names), directory / "requests.parquet")
    rows, faults = deliveries(polling)
    pq.write_table(rows, directory / "deliveries.parquet")
    pq.write_table(faults, directory / "delivery_faults.parquet")
    pq.write_table(metrics(), directory / "metrics.parquet")
    return directory
