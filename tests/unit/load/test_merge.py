"""Parts of one, two or four workers give the same record; what a dead worker had flushed is in it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import orjson
import pandas as pd
import pyarrow.parquet as pq
import pytest

from capacity.record import RunRecord, read_run
from capacity.run_tables import DELIVERY_COUNTS
from capacity.scenario import Scenario
from locustfiles.nodes.session import Start
from locustfiles.running.lateness import Lateness
from locustfiles.running.merge import merge_run
from locustfiles.running.parts import ACCEPTED, FIRED, REPORT, STREAMS, PartStream
from locustfiles.running.record import begin_record, unused_run_dir

ZERO_S = 1796052000.0
GROUPS, NODES_PER_GROUP, SECONDS = 3, 4, 20
SCENARIO = Scenario.model_validate(
    {
        "population": {"groups_per_domain": GROUPS, "members_per_group": NODES_PER_GROUP - 1},
        "traffic": {"reports": "1/s", "event_batches": "1/s"},
        "schedule": {"ramp": "2s", "hold": f"{SECONDS}s", "drain": "2s"},
        "settings": {"profile": "deployed"},
    }
)
NAN = float("nan")


class Worker:
    """Writes the parts of a worker whose clock is `offset_s` behind the master's."""

    def __init__(self, parts: Path, name: str, offset_s: float = 0.0) -> None:
        self.name, self.offset_s, self._parts = name, offset_s, parts
        clock = {"offset_s": offset_s, "error_s": 0.0005}
        (parts / f"{name}.clock.json").write_bytes(orjson.dumps(clock))
        self.streams = {
            stream: PartStream(parts / f"{name}.{stream}.arrows", schema) for stream, schema in STREAMS.items()
        }

    def listen(self, node: int, since_s: float, until_s: float = NAN) -> None:
        row = (node, node // NODES_PER_GROUP, f"group-{node // NODES_PER_GROUP}", False)
        self.streams["presences"].append((*row, since_s - self.offset_s, until_s - self.offset_s))

    def publish(self, node: int, kind: int, sequence: int, sent_s: float) -> None:
        sent_s -= self.offset_s
        self.streams["publications"].append(
            (node, kind, sequence, node // NODES_PER_GROUP, sent_s, sent_s + 0.01, ACCEPTED, None)
        )
        operation = "reportDataByNode" if kind == REPORT else "fireEventsByNode"
        self.streams["requests"].append(
            (
                operation,
                f"run-n{node}",
                "run-d0",
                "group",
                sent_s,
                sent_s,
                10.0,
                10.0,
                "ok",
                None,
                None,
                1,
                1,
                1,
                None,
                1,
            )
        )

    def hear(self, receiver: int, node: int, kind: int, sequence: int, received_s: float) -> None:
        self.streams["receptions"].append((receiver, node, kind, sequence, received_s - self.offset_s, False))

    def flush(self) -> None:
        for stream in self.streams.values():
            stream.flush()

    def end(self) -> None:
        for stream in self.streams.values():
            stream.close()
        lateness = Lateness()
        lateness.add(0.001)
        summary = {
            "worker": self.name,
            "ended_s": ZERO_S + 2 + SECONDS + 2 - self.offset_s,
            "lateness_counts": lateness.counts(),
            "lateness_max_s": lateness.max_s,
            "cpu_mean_percent": 10.0,
            "cpu_max_percent": 12.0,
            "entered": 1,
            "notes": {},
        }
        (self._parts / f"{self.name}.summary.json").write_bytes(orjson.dumps(summary))


def record_of(run_dir: Path) -> tuple[RunRecord, pd.DataFrame, pd.DataFrame]:
    frames = [pq.read_table(run_dir / f"{name}.parquet").to_pandas() for name in ("requests", "deliveries")]
    return read_run(run_dir), *frames


def begin(run_dir: Path) -> Path:
    parts = run_dir / "parts"
    parts.mkdir(parents=True)
    start = Start("run", ZERO_S, GROUPS, True)
    (parts / "start.json").write_bytes(orjson.dumps(asdict(start)))
    begin_record(run_dir, start, SCENARIO, "lesson", "http://127.0.0.1:1/graphql")
    return parts


def write_run_of(run_dir: Path, workers: int, *, last_dies_after_s: float | None = None) -> None:
    """Every node publishes a report and an event a second; one report in seven never comes, one event comes late."""
    parts = begin(run_dir)
    team = [Worker(parts, f"worker{number}", offset_s=0.25 * number) for number in range(workers)]

    def of(node: int) -> Worker:
        return team[node % workers]

    def gone(worker: Worker, moment_s: float) -> bool:
        return last_dies_after_s is not None and worker is team[-1] and moment_s > ZERO_S + last_dies_after_s

    nodes = range(GROUPS * NODES_PER_GROUP)
    for node in nodes:
        of(node).listen(node, ZERO_S + 1)
    for second in range(SECONDS):
        for node in nodes:
            sent_s = ZERO_S + 2 + second + node / 100
            for kind in (REPORT, FIRED):
                if gone(of(node), sent_s):
                    continue
                of(node).publish(node, kind, second + 1, sent_s)
                for receiver in range(
                    node // NODES_PER_GROUP * NODES_PER_GROUP, node // NODES_PER_GROUP * NODES_PER_GROUP + 4
                ):
                    lost = kind == REPORT and (second + node + receiver) % 7 == 0
                    delay_s = 1.5 if kind == FIRED and second == 5 and receiver == 0 else 0.02
                    if not lost and not gone(of(receiver), sent_s):
                        of(receiver).hear(receiver, node, kind, second + 1, sent_s + delay_s)
        for worker in team:
            worker.flush()
    for node in nodes:
        if not gone(of(node), float("inf")):
            of(node).listen(node, ZERO_S + 1, ZERO_S + 2 + SECONDS + 2)
    for worker in team:
        if not gone(worker, float("inf")):
            worker.end()
    merge_run(run_dir, workers)


def _who_and_when(requests: pd.DataFrame) -> pd.DataFrame:
    assert requests["start"].is_monotonic_increasing
    rows = requests[["operation", "node", "start", "intended_start"]].astype({"operation": str, "node": str})
    return rows.sort_values(["start", "node", "operation"], ignore_index=True)


@pytest.mark.parametrize("workers", [2, 4])
def test_the_record_does_not_depend_on_the_number_of_workers(tmp_path: Path, workers: int) -> None:
    write_run_of(tmp_path / "one" / "run", 1)
    write_run_of(tmp_path / "many" / "run", workers)
    (_, one_requests, one), (record, requests, many) = (record_of(tmp_path / name / "run") for name in ("one", "many"))
    pd.testing.assert_frame_equal(_who_and_when(requests), _who_and_when(one_requests))
    keys = ["second", "group", "message"]
    columns = [*keys, *DELIVERY_COUNTS]
    for frame in (one, many):
        frame[keys] = frame[keys].astype(str)
    left, right = (frame.sort_values(keys)[columns].reset_index(drop=True) for frame in (one, many))
    pd.testing.assert_frame_equal(left, right)
    assert one["lost"].sum() > 0
    assert one["late"].sum() > 0
    assert one["expected"].sum() == GROUPS * NODES_PER_GROUP * SECONDS * 2 * NODES_PER_GROUP
    assert record.clock["workers_offset_max_s"] == 0.25 * (workers - 1)
    assert not (tmp_path / "many" / "run" / "parts").exists()


def test_latencies_between_workers_are_free_of_their_clocks(tmp_path: Path) -> None:
    write_run_of(tmp_path / "run", 4)
    _, _, deliveries = record_of(tmp_path / "run")
    assert deliveries["latency_p50_ms"].between(19.9, 20.1).all()


def test_what_a_dead_worker_flushed_is_part_of_the_record_and_its_parts_are_kept(tmp_path: Path) -> None:
    run_dir = tmp_path / "run"
    write_run_of(run_dir, 2, last_dies_after_s=10)
    record, requests, deliveries = record_of(run_dir)
    assert record.generator is not None
    assert (record.generator.missing_workers, record.generator.valid) == (1, False)
    sent = requests.groupby("node", observed=True).size()
    assert sent["run-n0"] == 2 * SECONDS
    assert sent["run-n1"] == 2 * 8  # eight whole seconds before its worker died
    # Nobody owes anything to nodes that were gone: losses are the same share as in a whole run.
    assert deliveries["lost"].sum() / deliveries["expected"].sum() == pytest.approx(1 / 14, abs=0.02)
    assert (run_dir / "parts").is_dir()


def test_a_folder_where_a_run_has_ended_is_not_used_again(tmp_path: Path) -> None:
    wanted = tmp_path / "run"
    assert unused_run_dir(wanted) == wanted
    begin(wanted)  # as `meshcap run` leaves it for the load: begun, without a word of the generator
    assert unused_run_dir(wanted) == wanted
    for directory in (wanted, tmp_path / "run-2"):
        Worker(directory / "parts" if directory == wanted else begin(directory), "local").end()
        merge_run(directory, 1)
    assert unused_run_dir(wanted) == tmp_path / "run-3"


def test_a_run_that_was_cut_short_is_interrupted_and_not_valid(tmp_path: Path) -> None:
    parts = begin(tmp_path / "run")
    worker = Worker(parts, "local")
    worker.end()
    summary: dict[str, Any] = orjson.loads((parts / "local.summary.json").read_bytes())
    (parts / "local.summary.json").write_bytes(orjson.dumps(summary | {"ended_s": ZERO_S + 12}))
    merge_run(tmp_path / "run", 1)
    record, requests, deliveries = record_of(tmp_path / "run")
    assert record.status == "interrupted"
    assert record.generator is not None
    assert record.generator.reasons == ["the run ended 10 s before its plan"]
    assert record.measuring_from is not None
    assert record.measuring_until is not None
    assert (record.measuring_until - record.measuring_from).total_seconds() == pytest.approx(10)
    assert len(requests) == len(deliveries) == 0
