"""The system clock is set while a run is on: schedules, buckets and metric periods keep the time they began with."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from capacity.exit_codes import ExitCode
from tests.faults.conftest import Start

STEPPED_CLOCK = Path(__file__).with_name("stepped_clock")


def step(file: Path, seconds: float) -> None:
    with file.open("r+b") as opened:
        opened.write(struct.pack("d", seconds))


@pytest.mark.parametrize("seconds", [3600.0, -3600.0, 2.5, -2.5], ids=["+1h", "-1h", "+2.5s", "-2.5s"])
def test_a_clock_that_is_set_during_a_run_moves_nothing(start: Start, tmp_path: Path, seconds: float) -> None:
    """In generator, sandbox and command at once, as when the machine's clock is set."""
    clock = tmp_path / "clock"
    clock.write_bytes(struct.pack("d", 0.0))
    path = os.pathsep.join(filter(None, [str(STEPPED_CLOCK), os.environ.get("PYTHONPATH")]))
    run = start("brief", "--", PYTHONPATH=path, STEPPED_CLOCK=str(clock))
    run.wait_for_load()
    step(clock, seconds)
    outcome = run.over()
    outcome.assert_in_order(ExitCode.OK)
    record = outcome.record
    assert record.measuring_from is not None
    assert record.measuring_until is not None
    assert (record.measuring_until - record.measuring_from).total_seconds() == 6.0
    requests = pq.read_table(outcome.run_dir / "requests.parquet")
    starts = requests["intended_start"].to_pylist()
    assert (max(starts) - min(starts)).total_seconds() < 60
    assert requests["intended_latency_ms"].to_pylist()
    assert min(requests["intended_latency_ms"].to_pylist()) >= 0
    assert record.verdict is not None
    assert record.verdict.outcome != "unknown", "CloudWatch's points are where the run's window is"
    metrics = pq.read_table(outcome.run_dir / "metrics.parquet").to_pandas()
    written = metrics[(metrics["metric"] == "ConsumedWriteCapacityUnits") & metrics["value"].gt(0)]
    assert len(written), "and they were found"


def test_the_clock_of_the_test_does_step(tmp_path: Path) -> None:
    """A test of the test: without it the one above could pass on a clock that nobody moved."""
    import subprocess
    import sys

    clock = tmp_path / "clock"
    clock.write_bytes(struct.pack("d", 3600.0))
    code = "import time, datetime; print(time.time() - datetime.datetime.now().timestamp())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(STEPPED_CLOCK), "STEPPED_CLOCK": str(clock)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert float(done.stdout) == pytest.approx(3600, abs=5)
