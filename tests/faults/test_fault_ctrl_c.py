"""Ctrl-C, once and twice, at every stage of a run; tests/loop/test_interrupt.py tries it amid the load."""

from __future__ import annotations

import json
import signal
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from capacity.exit_codes import ExitCode
from tests.faults.conftest import Run, Sandbox, Start, processes_of
from tests.faults.proxy import proxy_to

Stage = Callable[[Run], bool]
RAMP_AND_HOLD_S = 5.0


def wait_until(run: Run, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not come to this within 60 s"
        assert run.process.poll() is None, run.process.communicate()
        time.sleep(0.02)


def is_loading(run: Run) -> bool:
    """The command has begun, and its libraries are on their way into memory."""
    return b"pydantic_core" in Path(f"/proc/{run.process.pid}/maps").read_bytes()


def has(pattern: str) -> Stage:
    return lambda run: bool(list(run.runs.glob(pattern)))


def has_finished_its_load(run: Run) -> bool:
    return any('"finished"' in path.read_text() for path in run.runs.glob("*/run.json"))


def is_draining(run: Run) -> bool:
    """Past the hold: what the plan wanted is sent, and late deliveries come in."""
    starts = [json.loads(path.read_bytes())["start_s"] for path in run.runs.glob("*/parts/start.json")]
    return bool(starts) and time.time() > starts[0] + RAMP_AND_HOLD_S + 0.5


STAGES: dict[str, Stage] = {
    "the command is loaded": is_loading,
    "the sandbox starts": has("*/sandbox.log"),
    "the load starts": has("*/locust.log"),
    "nodes arrive": has("*/parts/*.requests.arrows"),
    "late deliveries come in": is_draining,
    "CloudWatch is read": has_finished_its_load,
    "the report is written": has("*/comparison.json"),
}


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="looks at processes in /proc")
@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("stage", STAGES)
def test_ctrl_c_while(start: Start, stage: str, times: int) -> None:
    run = start("draining")
    wait_until(run, lambda: STAGES[stage](run))
    run.process.send_signal(signal.SIGINT)
    if times == 2:
        time.sleep(0.1)
        run.process.send_signal(signal.SIGINT)
    if not run.runs.exists():
        stdout, stderr = run.process.communicate(timeout=60)
        assert (run.process.returncode, stdout) == (ExitCode.INTERRUPTED, ""), stderr
        assert "Traceback" not in stderr
        assert processes_of(run.runs) == []
        return
    outcome = run.over()
    late = bool(outcome.stdout) and stage == "the report is written"  # and it was written before the signal came
    ended = (ExitCode.OK, ExitCode.THRESHOLD_FAILED, ExitCode.NOT_VALID) if late else (ExitCode.INTERRUPTED,)
    outcome.assert_in_order(*ended, whole=late)
    if (outcome.run_dir / "run.json").exists():
        assert outcome.record.status in ("interrupted", "finished")
        assert outcome.record.status == "interrupted" or stage in ("CloudWatch is read", "the report is written")


def test_while_cloudwatch_is_read(start: Start, sandbox: Sandbox) -> None:
    switch(sandbox, {"throttled_calls": 1_000})
    try:
        with proxy_to(sandbox.info["url"]) as (proxy, url):  # only CloudWatch is asked by this address
            run = start("brief", *sandbox.options(), **sandbox.environment() | {"AWS_ENDPOINT_URL": url})
            wait_until(run, lambda: proxy.accepted > 0)
            run.process.send_signal(signal.SIGINT)
            outcome = run.over()
    finally:
        switch(sandbox, {})
    outcome.assert_in_order(ExitCode.INTERRUPTED)
    assert "Stopped while reading CloudWatch" in outcome.stderr
    assert outcome.record.status == "finished", "the load itself is whole"


def switch(sandbox: Sandbox, faults: dict[str, object]) -> None:
    request = urllib.request.Request(
        f"{sandbox.info['url']}/_sandbox/faults",
        json.dumps({"cloudwatch": faults}).encode(),
        {"x-api-key": sandbox.environment()["MESHCAP_API_KEY"]},
    )
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 200
