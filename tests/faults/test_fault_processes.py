"""A process of the run dies; what exists is kept, marked and told, and nobody is left behind."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from capacity.exit_codes import ExitCode
from tests.faults.conftest import Start, processes_of, start_sandbox

pytestmark = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")


def test_the_embedded_sandbox_is_killed(start: Start) -> None:
    run = start("brief")
    run.wait_for_load()
    (sandbox,) = run.processes("meshcap sandbox")
    os.kill(sandbox, signal.SIGKILL)
    outcome = run.over()
    outcome.assert_in_order(ExitCode.TARGET_UNREACHABLE)
    assert "CloudWatch gave no answer" in outcome.stderr
    assert outcome.record.status == "finished"
    assert {"ok", "error"} <= set(outcome.outcomes())


def test_a_sandbox_is_killed_and_another_takes_its_port(start: Start) -> None:
    first = start_sandbox()
    run = start("polling", *first.options(), **first.environment())
    run.wait_for_load()
    first.process.kill()
    first.process.wait()
    time.sleep(1)
    second = start_sandbox(port=int(first.info["url"].rpartition(":")[2]))
    try:
        outcome = run.over()
    finally:
        second.end()
    outcome.assert_in_order(ExitCode.THRESHOLD_FAILED)
    outcomes = outcome.outcomes()
    assert "error" in outcomes
    assert outcomes[-1] != "error", "the generator connected again"


def test_one_of_two_workers_is_killed(start: Start) -> None:
    run = start("brief", "--", "--processes", "2")
    run.wait_for_load()
    _, _, second = run.processes("locust")
    os.kill(second, signal.SIGKILL)
    outcome = run.over()
    outcome.assert_in_order(ExitCode.NOT_VALID)
    assert "1 of 2 workers did not report" in outcome.stderr
    generator = outcome.record.generator
    assert generator is not None
    assert (generator.workers, generator.missing_workers) == (2, 1)
    assert len(outcome.outcomes()) > 10, "what the dead one had flushed is there too"


def test_the_master_of_two_workers_is_killed(start: Start) -> None:
    run = start("brief", "--", "--processes", "2")
    run.wait_for_load()
    os.kill(run.processes("locust")[0], signal.SIGKILL)
    outcome = run.over()
    outcome.assert_in_order(ExitCode.NOT_VALID)
    assert outcome.record.status == "failed"
    assert "before its plan" in outcome.stderr


def test_a_single_generator_is_killed(start: Start) -> None:
    run = start("brief")
    run.wait_for_load()
    os.kill(run.processes("locust")[0], signal.SIGKILL)
    outcome = run.over()
    outcome.assert_in_order(ExitCode.NOT_VALID)
    assert outcome.record.status == "failed"
    assert "1 of 1 workers did not report" in outcome.stderr


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_cancelled_job_or_a_closed_terminal_ends_the_run_as_ctrl_c_does(start: Start, number: int) -> None:
    run = start("brief")
    run.wait_for_load()
    run.process.send_signal(number)
    outcome = run.over()
    outcome.assert_in_order(ExitCode.INTERRUPTED)
    assert outcome.record.status == "interrupted"


def test_when_the_command_itself_is_killed_the_load_and_the_sandbox_end_by_themselves(start: Start) -> None:
    run = start("brief", "--", "--processes", "2")
    run_dir = run.wait_for_load()
    assert len(run.processes("locust")) == 3
    run.process.kill()
    deadline = time.monotonic() + 20
    while processes_of(run.runs) and time.monotonic() < deadline:
        time.sleep(0.2)
    outcome = run.over()
    assert processes_of(run.runs) == []
    assert outcome.record.status in ("interrupted", "started")
    assert (run_dir / "requests.parquet").exists()


def test_two_runs_at_once_in_one_folder_with_workers_keep_apart(start: Start) -> None:
    runs = [start("brief", "--", "--processes", "2") for _ in range(2)]
    outcomes = [run.over() for run in runs]
    for outcome in outcomes:
        outcome.assert_in_order(ExitCode.OK)
        generator = outcome.record.generator
        assert generator is not None
        assert (generator.workers, generator.missing_workers) == (2, 0)
    assert len({outcome.record.target.graphql_url for outcome in outcomes}) == 2
