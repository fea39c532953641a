"""A sandbox in a process of its own and Locust in another, as a user would start them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pandas as pd
import pyarrow.parquet as pq

from capacity.record import RunRecord, read_run
from tests.signals import as_in_the_foreground

ROOT = Path(__file__).resolve().parents[3]
LOCUSTFILE = ROOT / "locustfiles" / "mesh.py"
API_KEY = "da2-test"

SCENARIOS = """
version: 1
scenarios:
  lesson: &lesson
    population: {domains: 2, groups_per_domain: 1, members_per_group: 2}
    settings: {profile: seeds-development, data_update_interval: 200ms, event_batch_interval: 200ms}
    traffic: {reports: 5/s, event_batches: 5/s, variables_per_report: 2, value: 16B, payload: 20B}
    schedule: {ramp: 1s, hold: 4s, drain: 1.5s}
  polling:
    <<: *lesson
    mode: polling
    settings: {profile: seeds-development, polling_interval: 500ms, event_batch_interval: 200ms}
    traffic: {reports: 5/s, event_batches: 1/s, variables_per_report: 2, value: 16B, payload: 20B}
  faulty:
    <<: *lesson
    population: {domains: 4, groups_per_domain: 1, members_per_group: 3}
    traffic: {reports: 2/s, event_batches: 1/s, variables_per_report: 2, value: 16B, payload: 20B}
    settings: {profile: seeds-development, polling_interval: 1s, host_heartbeat_interval: 1s,
               member_heartbeat_interval: 1s, host_heartbeat_ttl: 60s}
    schedule: {ramp: 2s, hold: 6s, drain: 1.5s, arrivals: bell}
    faults: {vanishing_hosts: 0.4, silent_members: 0.4, filtered: 0.3, reconnecting: 0.5}
    seed: 5
  crowd:
    <<: *lesson
    population: {domains: 20, groups_per_domain: 1, members_per_group: 3}
    schedule: {ramp: 1s, hold: 60s, drain: 1.5s}
  long:
    <<: *lesson
    schedule: {ramp: 1s, hold: 60s, drain: 1.5s}
"""


@dataclass
class Sandbox:
    """A running sandbox."""

    process: subprocess.Popen[str]
    url: str
    graphql_url: str
    table_name: str

    def items(self) -> list[dict[str, Any]]:
        """Everything in the table."""
        table = boto3.client(
            "dynamodb",
            endpoint_url=self.url,
            region_name="ap-northeast-1",
            aws_access_key_id="sandbox",
            aws_secret_access_key="sandbox",
        )
        return list(table.scan(TableName=self.table_name)["Items"])

    def stall(self, seconds: float) -> None:
        """Nothing is served for a while, as in a long pause of a garbage collector."""
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)


@dataclass
class Run:
    """A run that has ended."""

    record: RunRecord
    requests: pd.DataFrame
    deliveries: pd.DataFrame
    faults: pd.DataFrame
    output: str
    exit_code: int

    def count(self, outcome: str, message: str | None = None) -> int:
        """Deliveries with an outcome."""
        rows = self.deliveries if message is None else self.deliveries[self.deliveries["message"] == message]
        return int(rows[outcome].sum())


class Load:
    """Locust on the Mesh locustfile."""

    def __init__(self, directory: Path, graphql_url: str) -> None:
        self.run_dir = directory / "run"
        self._directory = directory
        self._graphql_url = graphql_url
        (directory / "scenarios.yaml").write_text(SCENARIOS)

    def start(self, scenario: str, *arguments: str, headless: bool = True, **more: str) -> subprocess.Popen[str]:
        """Start a run and return its process; `more` goes into its environment."""
        environment = dict(
            os.environ,
            MESHCAP_SCENARIOS=str(self._directory / "scenarios.yaml"),
            MESHCAP_SCENARIO=scenario,
            MESHCAP_RUN_DIR=str(self.run_dir),
            MESHCAP_API_KEY=API_KEY,
        )
        environment.update(more)
        command = [sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "-H", self._graphql_url]
        return subprocess.Popen(
            [*command, *(["--headless", "--only-summary"] if headless else []), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            preexec_fn=as_in_the_foreground,
            env=environment,
            cwd=self._directory,
            start_new_session=True,
        )

    def end(self, process: subprocess.Popen[str], timeout_s: float = 90) -> Run:
        """Wait for the end and read the record."""
        try:
            output, _ = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            output, _ = process.communicate()
            raise AssertionError(f"Locust did not end within {timeout_s:g} s; it said:\n{output[-3000:]}") from None
        assert (self.run_dir / "requests.parquet").exists(), f"there is no record; Locust said:\n{output[-3000:]}"
        frames = [
            pq.read_table(self.run_dir / name).to_pandas()
            for name in ("requests.parquet", "deliveries.parquet", "delivery_faults.parquet")
        ]
        return Run(read_run(self.run_dir), *frames, output, process.returncode)

    def run(self, scenario: str, *arguments: str) -> Run:
        """Run from start to end."""
        return self.end(self.start(scenario, *arguments))

    def wait_until_busy(self, seconds: float) -> None:
        """Let a started run go on until it has sent for a while."""
        deadline = time.monotonic() + 30
        while not list((self.run_dir / "parts").glob("*.requests.arrows")) and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(seconds)


@contextmanager
def running_sandbox(directory: Path, scenario: str) -> Iterator[Sandbox]:
    """A sandbox with the settings of a scenario."""
    (directory / "scenarios.yaml").write_text(SCENARIOS)
    command = [sys.executable, "-m", "meshcap", "sandbox", "--port", "0", "--json", "--until-stdin-closes"]
    process = subprocess.Popen(
        [*command, "--file", str(directory / "scenarios.yaml"), "--scenario", scenario],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ, MESHCAP_API_KEY=API_KEY),
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        said = json.loads(process.stdout.readline())
        yield Sandbox(process, said["url"], said["graphql_url"], said["table_name"])
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
