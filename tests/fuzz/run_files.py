"""Run directories: of other versions, cut off, edited by hand; and the parts of a process that was killed."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from capacity.forecasting.forecast import forecast
from capacity.judgement.comparison import compare
from capacity.record import (
    DELIVERIES,
    DELIVERY_FAULTS,
    METRICS,
    REQUESTS,
    RunDirectoryError,
    RunRecord,
    Target,
    read_run,
    write_json,
    write_run,
)
from capacity.scenario.load import parse_scenarios
from locustfiles.running.parts import STREAMS, PartStream, read_stream
from meshcap.finished_run import judge_run
from reports.run import Run
from tests.fuzz.mutations import NOW_S, ROOT, damaged, mutated, scratch


@cache
def run_directory() -> Path:
    """A small whole run directory: every file that a verb may read."""

    scenario = parse_scenarios((ROOT / "scenarios.yaml").read_text(encoding="utf-8"))["smoke"]
    folder = scratch() / "2026-11-30T13-30-00Z-smoke"
    folder.mkdir()
    start = datetime(2026, 11, 30, 13, 30, tzinfo=UTC)
    record = RunRecord(
        run_id=folder.name,
        scenario_name="smoke",
        scenario=scenario,
        scenario_digest=scenario.digest(),
        status="finished",
        started_at=start,
        measuring_from=start,
        measuring_until=start.replace(second=20),
        ended_at=start.replace(second=25),
        target=Target(
            kind="sandbox", graphql_url="http://127.0.0.1:1/graphql", region="ap-northeast-1", table_name="T"
        ),
    )
    write_run(folder, record)
    write_json(folder / "forecast.json", forecast(scenario))
    row = {
        "operation": "renewHeartbeat",
        "node": "n",
        "domain": "d",
        "group": "g",
        "intended_start": start,
        "start": start,
        "latency_ms": 1.0,
        "intended_latency_ms": 1.0,
        "outcome": "ok",
        "error_type": None,
        "error_message": None,
        "request_bytes": 1,
        "response_bytes": 1,
        "items": None,
        "request_id": None,
        "tokens": None,
    }
    pq.write_table(pa.Table.from_pylist([row] * 5, schema=REQUESTS), folder / "requests.parquet")
    pq.write_table(DELIVERIES.empty_table(), folder / "deliveries.parquet")
    pq.write_table(DELIVERY_FAULTS.empty_table(), folder / "delivery_faults.parquet")
    point = {
        "namespace": "AWS/DynamoDB",
        "metric": "ConsumedWriteCapacityUnits",
        "dimensions": "TableName=T",
        "statistic": "Sum",
        "period_s": 10,
        "timestamp": start,
        "value": 5.0,
    }
    pq.write_table(pa.Table.from_pylist([point], schema=METRICS), folder / "metrics.parquet")
    write_json(folder / "comparison.json", compare(folder))
    return folder


def run_directories() -> st.SearchStrategy[tuple[str, bytes]]:
    folder = run_directory()
    choices: list[st.SearchStrategy[tuple[str, bytes]]] = []
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        choices.append(st.tuples(st.just(path.name), damaged(content)))
        if path.suffix == ".json":
            choices += [
                st.tuples(
                    st.just(path.name), mutated(json.loads(content)).map(lambda value: json.dumps(value).encode())
                )
            ] * 2
    return st.one_of(choices)


def read_run_directory(given: tuple[str, bytes]) -> str:
    """Everything that `meshcap compare` and `meshcap report` read, without drawing."""
    name, content = given
    folder = scratch() / "damaged"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(run_directory(), folder)
    (folder / name).write_bytes(content)
    try:
        read_run(folder)
        judge_run(folder)
        outcome = "read"
    except RunDirectoryError as refusal:
        outcome = str(refusal)
    assert outcome == "read" or str(folder) in outcome, "the sentence names the folder"
    try:
        run = Run.open(folder)
    except RunDirectoryError:
        return "refused"
    for part in ("requests", "deliveries", "delivery_faults", "metrics", "forecast", "comparison"):
        getattr(run, part)
    return "read" if outcome == "read" else "refused"


@cache
def _stream() -> bytes:
    path = scratch() / "local.receptions.arrows"
    stream = PartStream(path, STREAMS["receptions"])
    for second in range(4):
        for _ in range(20):
            stream.append((1, 2, 0, second, NOW_S, False))
        stream.flush()
    stream.close()
    return path.read_bytes()


def parts() -> st.SearchStrategy[bytes]:
    return damaged(_stream())


def read_part(content: bytes) -> str:
    path = scratch() / "damaged.arrows"
    path.write_bytes(content)
    rows = sum(batch.num_rows for batch in read_stream(path))
    return "read" if rows else "refused"
