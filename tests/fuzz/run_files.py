"""Run directories: of other versions, cut off, edited by hand; and the parts of a process that was killed."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from zlib import crc32

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

from capacity.forecasting.forecast import forecast
from capacity.record import RunDirectoryError, RunRecord, Target, write_json, write_run
from capacity.run_tables import DELIVERIES, DELIVERY_FAULTS, METRICS, REQUESTS
from capacity.scenario.load import parse_scenarios
from locustfiles.running.parts import STREAMS, PartStream, read_stream
from meshcap.finished_run import judge_run
from meshcap.run_listing import listing
from reports import render
from reports.compare import compare as compare_runs
from reports.run import Run
from tests.fuzz.mutations import NOW_S, ROOT, damaged, mutated, scratch

DRAWN = 500
"""One input in so many is drawn, which takes fifty times as long as reading it."""
LISTED = {"run.json", "requests.parquet", "deliveries.parquet", "forecast.json", "comparison.json"}
"""What `meshcap runs` reads; damage to other files does not concern it."""
JUDGED = {"run.json", "requests.parquet", "deliveries.parquet", "forecast.json", "metrics.parquet"}
"""What a verdict is made of."""
PARTS = {
    "run.json": "requests",
    "requests.parquet": "requests",
    "deliveries.parquet": "deliveries",
    "delivery_faults.parquet": "delivery_faults",
    "metrics.parquet": "metrics",
    "forecast.json": "forecast",
    "comparison.json": "comparison",
}
"""What a report makes of a file."""


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
    judge_run(folder)
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


def damaged_directory(name: str, content: bytes) -> Path:
    """The small whole run directory with one file damaged; what the last input left of it is used again."""
    folder = scratch() / "runs" / run_directory().name
    folder.mkdir(parents=True, exist_ok=True)
    whole = {path.name: path for path in run_directory().iterdir()}
    for path in folder.iterdir():
        if path.name not in whole or not path.samefile(whole[path.name]):
            path.unlink()
    for path in whole.values():
        if not (folder / path.name).exists():
            (folder / path.name).hardlink_to(path)
    (folder / name).unlink()  # and not the whole one, which it is linked to
    (folder / name).write_bytes(content)
    return folder


def read_run_directory(given: tuple[str, bytes]) -> str:
    """What `meshcap runs`, `report` and `compare` read of a damaged file; one in DRAWN in full, and drawn, too."""
    name, content = given
    whole = crc32(content) % DRAWN == 1
    folder = damaged_directory(name, content)
    if whole or name in LISTED:
        listed = listing(folder.parent)
        names = [each.run for each in listed.runs] + [each.run for each in listed.unreadable]
        assert names == [folder.name]
    try:
        run = Run.open(folder)
    except RunDirectoryError as refusal:
        _names(folder, refusal)
        return "refused"
    for part in PARTS.values() if whole else [PARTS[name]]:
        getattr(run, part)
    if whole:
        draw(folder)
    if whole or name in JUDGED:
        try:
            judge_run(folder)
        except RunDirectoryError as refusal:
            _names(folder, refusal)
            return "refused"
    return "refused" if any(absence.name == name for absence in run.absences) else "read"


def _names(folder: Path, refusal: RunDirectoryError) -> None:
    assert str(folder) in str(refusal), "the sentence names the folder"


def draw(folder: Path) -> None:
    """What `meshcap report RUN` and `meshcap compare BEFORE AFTER --force` draw."""
    render(folder)
    for before, after in ((run_directory(), folder), (folder, run_directory())):
        try:
            comparison = compare_runs(before, after, force=True)
        except RunDirectoryError as refusal:
            _names(folder, refusal)
        else:
            comparison.markdown("en")
            comparison.for_machines()


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
