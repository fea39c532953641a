"""Ctrl-C before and after the load; that in the middle of it is tried in tests/loop/test_interrupt.py."""

from __future__ import annotations

import json
import signal
import time
import urllib.request
from collections.abc import Callable

import pytest

from capacity.exit_codes import ExitCode
from tests.faults.conftest import Run, Sandbox, Start


def wait_until(run: Run, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it did not come to this within 60 s"
        assert run.process.poll() is None, run.process.communicate()
        time.sleep(0.02)


@pytest.mark.parametrize("file", ["sandbox.log", "run.json", "locust.log"])
def test_before_the_load(start: Start, file: str) -> None:
    run = start("brief")
    wait_until(run, lambda: bool(list(run.runs.glob(f"*/{file}"))))
    run.process.send_signal(signal.SIGINT)
    outcome = run.over()
    outcome.assert_in_order(ExitCode.INTERRUPTED, whole=False)
    if (outcome.run_dir / "run.json").exists():
        assert outcome.record.status == "interrupted"


def test_while_cloudwatch_is_read(start: Start, sandbox: Sandbox) -> None:
    switch(sandbox, {"throttled_calls": 1_000})
    try:
        run = start("brief", *sandbox.options(), **sandbox.environment())
        wait_until(run, lambda: any('"finished"' in path.read_text() for path in run.runs.glob("*/run.json")))
        time.sleep(1)
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
