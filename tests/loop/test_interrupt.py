"""Ctrl-C at any time leaves a readable run directory, nobody in a group, and no process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from capacity.exit_codes import ExitCode
from capacity.record import read_run
from tests.signals import as_in_the_foreground


def started(workplace: Path, runs: Path) -> subprocess.Popen[str]:
    names = ("AWS_ENDPOINT_URL", "MESHCAP_API_KEY", "MESHCAP_SCENARIOS")
    return subprocess.Popen(
        [sys.executable, "-m", "meshcap", "run", "brief", "--runs", str(runs)],
        cwd=workplace,
        env={name: value for name, value in os.environ.items() if name not in names},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=as_in_the_foreground,
    )


def wait_for_load(runs: Path) -> Path:
    """The run directory, once requests are on their way."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for part in runs.glob("*/parts/*.requests.arrows"):
            if part.stat().st_size > 5_000:
                return part.parents[1]
        time.sleep(0.1)
    pytest.fail("the load did not start within 60 s")


def processes_of(run_dir: Path) -> list[str]:
    """Command lines of living processes that have this run directory in their environment or arguments.

    Its whole path, because another test may have started a run of the same scenario in the same second.
    """
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            text = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if str(run_dir).encode() in text and int(folder.name) != os.getpid():
            found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
    return found


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for left processes in /proc, as on Linux")
def test_one_interrupt_ends_the_run_whole_and_leaves_nobody_behind(workplace: Path, tmp_path: Path) -> None:
    process = started(workplace, tmp_path)
    run_dir = wait_for_load(tmp_path)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=90)
    assert process.returncode == ExitCode.INTERRUPTED, stderr
    assert "interrupted" in stderr
    assert "Traceback" not in stderr
    assert Path(stdout.strip()).exists()
    assert read_run(run_dir).status == "interrupted"
    operations = pq.read_table(run_dir / "requests.parquet")["operation"].to_pylist()
    assert operations.count("dissolveGroup") == operations.count("createGroup") > 0
    assert processes_of(run_dir) == []


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for left processes in /proc, as on Linux")
def test_a_second_interrupt_stops_at_once_and_leaves_what_exists(workplace: Path, tmp_path: Path) -> None:
    process = started(workplace, tmp_path)
    run_dir = wait_for_load(tmp_path)
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=90)
    assert process.returncode == ExitCode.INTERRUPTED, stderr
    assert "Traceback" not in stderr
    assert read_run(run_dir).status == "interrupted"
    assert pq.read_table(run_dir / "requests.parquet").num_rows > 0
    assert processes_of(run_dir) == []


@pytest.mark.parametrize(
    "sign",
    [
        pytest.param("locust.log", id="while the generator is being started"),
        pytest.param("parts/start.json", id="in the moment in which its users are spawned"),
    ],
)
def test_an_interrupt_in_the_first_moments_is_heard(workplace: Path, tmp_path: Path, sign: str) -> None:
    process = started(workplace, tmp_path)
    while process.poll() is None and not any(tmp_path.glob(f"*/{sign}")):
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == ExitCode.INTERRUPTED
    (run_dir,) = tmp_path.iterdir()
    record = read_run(run_dir)
    assert record.status == "interrupted"
    assert record.generator is None or not record.generator.valid  # a lost one would let the plan end as it should
