"""Real runs that something happens to: started as a user starts them, watched from outside, and judged when over."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from capacity.exit_codes import ExitCode
from capacity.record import RunRecord, read_run
from tests.signals import as_in_the_foreground

SCENARIOS = """\
version: 1
scenarios:
  brief:
    population: {groups_per_domain: 2, members_per_group: 2}
    traffic: {reports: 1/s, event_batches: 1/s}
    schedule: {ramp: 1s, hold: 6s, drain: 1s}
    expect: [errors.count == 0, deliveries.lost == 0]
  polling:
    population: {groups_per_domain: 2, members_per_group: 2}
    mode: polling
    traffic: {reports: 1/s, event_batches: 1/s}
    schedule: {ramp: 1s, hold: 14s, drain: 1s}
    expect: [errors.count == 0]
  draining:
    population: {groups_per_domain: 2, members_per_group: 2}
    traffic: {reports: 1/s, event_batches: 1/s}
    schedule: {ramp: 2s, hold: 3s, drain: 4s}
    expect: [errors.count == 0]
  starved:
    description: One unit per second where a hundred are wanted, so that the burst of 300 is gone within seconds
    population: {groups_per_domain: 4, members_per_group: 2}
    settings: {data_update_interval: 100ms}
    traffic: {reports: 10/s, event_batches: 1/s}
    schedule: {ramp: 1s, hold: 6s, drain: 1s}
    billing:
      table: {read: 1, write: 1}
      indexes: {GroupIdIndex: {read: 1, write: 1}, GroupNameIndex: {read: 1, write: 1}}
    expect: [errors.count == 0]
"""
KEY = "da2-fault-secret-41c7"
_OURS = ("AWS_ENDPOINT_URL", "MESHCAP_API_KEY", "MESHCAP_SCENARIOS", "AWS_PROFILE")
CLEAN = {name: value for name, value in os.environ.items() if name not in _OURS}


@dataclass
class Sandbox:
    """A sandbox in a process of its own."""

    process: subprocess.Popen[str]
    info: dict[str, Any]

    def environment(self) -> dict[str, str]:
        """What a run against it needs."""
        return {
            "AWS_ENDPOINT_URL": self.info["url"],
            "AWS_REGION": self.info["region"],
            "AWS_ACCESS_KEY_ID": "sandbox",
            "AWS_SECRET_ACCESS_KEY": "sandbox",
            "MESHCAP_API_KEY": KEY,
        }

    def options(self, graphql_url: str | None = None) -> list[str]:
        """The options of `meshcap run` that name it, perhaps by another URL."""
        info = self.info
        return [
            *("--target", graphql_url or info["graphql_url"]),
            *("--table", info["table_name"], "--api-id", info["api_id"]),
        ]

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(10)


def start_sandbox(*options: str, port: int = 0) -> Sandbox:
    process = subprocess.Popen(
        [sys.executable, "-m", "meshcap", "sandbox", "--port", str(port), "--json", "--until-stdin-closes", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=CLEAN | {"MESHCAP_API_KEY": KEY},
    )
    assert process.stdout
    return Sandbox(process, json.loads(process.stdout.readline()))


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One that lives through all tests."""
    sandbox = start_sandbox()
    yield sandbox
    sandbox.end()


@dataclass
class Run:
    """A `meshcap run` that is on."""

    process: subprocess.Popen[str]
    runs: Path

    def wait_for_load(self) -> Path:
        """The run directory, once every node has had time to enter its group."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            for part in self.runs.glob("*/parts/*.presences.arrows"):
                if part.stat().st_size > 600:  # more than the schema: nodes are in
                    time.sleep(1.5)
                    return part.parents[1]
            time.sleep(0.05)
        pytest.fail(f"the load did not start within 60 s: {self.process.poll()}")

    def processes(self, word: str) -> list[int]:
        """Ids of the processes of this run whose command line has a word, the oldest first."""
        return [pid for pid, line in processes_of(self.runs) if word in line and pid != self.process.pid]

    def over(self, timeout_s: float = 120) -> Outcome:
        """What became of it."""
        stdout, stderr = self.process.communicate(timeout=timeout_s)
        return Outcome(self.process.returncode, stdout, stderr, next(self.runs.iterdir()), self.runs)


@dataclass
class Outcome:
    """A run that is over."""

    code: int
    stdout: str
    stderr: str
    run_dir: Path
    runs: Path

    @property
    def record(self) -> RunRecord:
        return read_run(self.run_dir)

    def outcomes(self) -> list[str]:
        """How each request ended, in order."""
        return list(pq.read_table(self.run_dir / "requests.parquet")["outcome"].to_pylist())

    def assert_in_order(self, *codes: ExitCode, whole: bool = True) -> None:
        """The promise after any fault: an exit code that says it, no traceback, nobody left, and readable files.

        A busy machine makes a run not valid before anything else is looked at; that is no failure of the promise.
        """
        late = self.code == ExitCode.NOT_VALID and "ms late" in self.stderr
        assert late or self.code in codes, (self.code, self.stderr)
        assert "Traceback" not in self.stderr, self.stderr
        assert processes_of(self.runs) == []
        assert not list(self.run_dir.glob(".*")), "a file half written"
        for path in self.run_dir.glob("*.json"):
            json.loads(path.read_bytes())
        for path in self.run_dir.glob("*.parquet"):
            pq.read_table(path)
        if whole:
            assert Path(self.stdout.strip().splitlines()[-1]).exists(), self.stdout
            assert {"report.html", "report.md", "junit.xml"} <= {path.name for path in self.run_dir.iterdir()}
            assert self.record.verdict is not None


Start = Callable[..., Run]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start `meshcap run SCENARIO`; whatever is left of it in the end is killed."""
    (tmp_path / "scenarios.yaml").write_text(SCENARIOS)
    started: list[Run] = []

    def begin(scenario: str, *options: str, preexec: Callable[[], None] | None = None, **environment: str) -> Run:
        runs = tmp_path / f"runs{len(started)}"

        def prepare() -> None:
            as_in_the_foreground()
            if preexec is not None:
                preexec()

        process = subprocess.Popen(
            [sys.executable, "-m", "meshcap", "run", scenario, "--runs", str(runs), "--patience", "8", *options],
            cwd=tmp_path,
            env=CLEAN | environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=prepare,
        )
        started.append(Run(process, runs))
        return started[-1]

    yield begin
    for run in started:
        run.process.kill()
        run.process.wait()
        for pid, _ in processes_of(run.runs):
            os.kill(pid, 9)


def processes_of(runs: Path) -> list[tuple[int, str]]:
    """Living processes that have a folder in their environment or arguments or log into it, and their command lines."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            text = (folder / "environ").read_bytes().decode(errors="replace") + line
            files = " ".join(os.readlink(descriptor) for descriptor in (folder / "fd").glob("[12]"))
        except OSError:
            continue
        if str(runs) in text + files and int(folder.name) != os.getpid():
            found.append((int(folder.name), line))
    return sorted(found)
