"""Memory of the processes of a run, over time."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq

from capacity.record import RunRecord, Target
from capacity.run_tables import PROCESSES
from capacity.scenario import Scenario
from meshcap.process_watch import LOOK_EVERY_S, Look, ProcessWatch

BEGIN = datetime(2026, 11, 30, 13, 30, tzinfo=UTC)


def record(measured: bool = True) -> RunRecord:
    scenario = Scenario.model_validate(
        {
            "population": {"groups_per_domain": 1, "members_per_group": 0},
            "traffic": {"reports": 1, "event_batches": 0},
            "schedule": {"ramp": 10, "hold": 60},
        }
    )
    return RunRecord(
        run_id="run",
        scenario_name="s",
        scenario=scenario,
        scenario_digest="d",
        status="finished",
        started_at=BEGIN,
        measuring_from=BEGIN + timedelta(seconds=10) if measured else None,
        measuring_until=BEGIN + timedelta(seconds=70) if measured else None,
        target=Target(kind="sandbox", graphql_url="http://127.0.0.1/graphql", region="x", table_name="t"),
    )


def looks(*megabytes: int) -> list[Look]:
    moments = [BEGIN + timedelta(seconds=20 * number) for number in range(len(megabytes))]
    return [Look(at, "generator", 7, size * 1_000_000, 1.0) for at, size in zip(moments, megabytes, strict=True)]


def test_what_a_process_held_is_said_of_the_measuring_window_alone() -> None:
    (said,) = ProcessWatch(looks(50, 160, 161, 166, 400)).notes(record())  # at 0, 20, 40, 60 and 80 s
    assert said == (
        "memory of the generator (process 7): 160 MB at the beginning of the measuring window, "
        "166 MB at its end 40 s later"
    )


def test_nothing_is_said_of_what_was_not_seen() -> None:
    assert ProcessWatch(looks(50, 160)).notes(record()) == []  # one look within the window tells no change
    assert ProcessWatch(looks(50, 160, 166)).notes(record(measured=False)) == []
    assert ProcessWatch().notes(record()) == []


def test_a_child_is_found_by_what_it_runs_and_looked_at_now_and_then(tmp_path: Path) -> None:
    waiting = [sys.executable, "-c", "import sys; sys.stdin.read()", "sandbox"]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE) as child:
        watch = ProcessWatch()
        for elapsed_s in (0.0, 0.1, LOOK_EVERY_S - 0.1, LOOK_EVERY_S):
            watch.look(elapsed_s)
        assert child.stdin is not None
        child.stdin.close()
    mine = [look for look in watch.looks if look.pid == child.pid]
    assert [look.process for look in mine] == ["sandbox", "sandbox"]
    assert all(look.rss_bytes > 1_000_000 for look in mine)
    watch.write(tmp_path)
    table = pq.read_table(tmp_path / "processes.parquet")
    assert table.schema.equals(PROCESSES)
    assert table.num_rows == len(watch.looks)


def test_a_run_that_ended_at_once_leaves_an_empty_table(tmp_path: Path) -> None:
    ProcessWatch().write(tmp_path)
    assert pq.read_table(tmp_path / "processes.parquet").num_rows == 0
