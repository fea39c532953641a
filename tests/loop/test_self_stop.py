"""Runs that end themselves: everybody leaves, the record is whole, and the exit code says why."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import boto3
import pyarrow.parquet as pq
import pytest

from capacity.exit_codes import ExitCode
from capacity.record import RunRecord, read_run
from tests.loop.conftest import Meshcap

SCENARIOS = """\
version: 1
scenarios:
  refused:
    description: One unit per second where dozens are wanted, so that the burst of 300 is gone within seconds
    population: {groups_per_domain: 4, members_per_group: 2}
    settings: {data_update_interval: 100ms}
    traffic: {reports: 10/s, event_batches: 1/s}
    schedule: {ramp: 1s, hold: 90s, drain: 1s}
    billing:
      table: {read: 1, write: 1}
      indexes: {GroupIdIndex: {read: 1, write: 1}, GroupNameIndex: {read: 1, write: 1}}
    expect: [deliveries.crosstalk == 0, throttles.answered == 0 abort after 2s]
  long:
    population: {groups_per_domain: 2, members_per_group: 2}
    traffic: {reports: 1/s, event_batches: 1/s}
    schedule: {ramp: 1s, hold: 90s, drain: 1s}
"""


@pytest.fixture(scope="module")
def scenarios(workplace: Path) -> Path:
    path = workplace / "stopping.yaml"
    path.write_text(SCENARIOS)
    return path


def ended(meshcap: Meshcap, workplace: Path, *arguments: str, **environment: str) -> tuple[int, str, RunRecord, Path]:
    done = meshcap("run", "-f", "stopping.yaml", "--patience", "5", *arguments, **environment)
    assert done.stdout, done.stderr
    run_dir = workplace / Path(done.stdout.strip().splitlines()[-1]).parent
    return done.returncode, done.stderr, read_run(run_dir), run_dir


def is_whole(record: RunRecord, run_dir: Path) -> None:
    assert record.status == "stopped"
    assert record.stopped is not None
    assert record.generator is not None
    assert record.generator.missing_workers == 0
    assert record.ended_at is not None
    assert record.stopped.after_s < 80, "long before the plan's end"
    requests = pq.read_table(run_dir / "requests.parquet", columns=["operation", "outcome"]).to_pandas()
    opened, dissolved = ((requests["operation"] == name).sum() for name in ("createGroup", "dissolveGroup"))
    assert opened == dissolved, "every group that was opened was asked to go"
    assert {"deliveries.parquet", "comparison.json", "report.html", "junit.xml"} <= {f.name for f in run_dir.iterdir()}
    assert "ended itself after" in (run_dir / "report.md").read_text()


@pytest.mark.parametrize("workers", [(), ("--", "--processes", "2")], ids=["one process", "two workers"])
def test_a_threshold_that_says_abort_ends_the_run(
    meshcap: Meshcap, workplace: Path, scenarios: Path, workers: tuple[str, ...]
) -> None:
    code, said, record, run_dir = ended(meshcap, workplace, "refused", *workers)
    assert code == ExitCode.THRESHOLD_FAILED
    assert "stopped by itself after" in said
    is_whole(record, run_dir)
    assert record.verdict is not None
    assert [each.outcome for each in record.verdict.thresholds] == ["passed", "failed"]
    assert 'failures="1"' in (run_dir / "junit.xml").read_text()


def test_the_spend_ends_the_run(meshcap: Meshcap, workplace: Path, scenarios: Path) -> None:
    code, said, record, run_dir = ended(meshcap, workplace, "long", "--max-usd", "0.001")
    assert code == ExitCode.STOPPED
    assert "Stopped by itself after" in said
    is_whole(record, run_dir)
    assert record.stopped is not None
    assert record.stopped.rule == "max-usd"
    assert record.stopped.actual > record.stopped.limit


def test_locusts_own_options_change_nothing_of_that(meshcap: Meshcap, workplace: Path, scenarios: Path) -> None:
    crowd = ("--max-usd", "0.001", "--", "-u", "12", "-r", "12", "-t", "90s")
    code, _, record, run_dir = ended(meshcap, workplace, "long", *crowd)
    assert code == ExitCode.STOPPED
    is_whole(record, run_dir)


def test_a_limit_of_the_command_line_ends_the_run_and_leaves_nothing_behind(
    meshcap: Meshcap, workplace: Path, scenarios: Path, separate_sandbox: dict[str, Any]
) -> None:
    environment = {
        "AWS_ENDPOINT_URL": separate_sandbox["url"],
        "AWS_DEFAULT_REGION": "ap-northeast-1",
        "AWS_ACCESS_KEY_ID": "sandbox",
        "AWS_SECRET_ACCESS_KEY": "sandbox",
        "MESHCAP_API_KEY": separate_sandbox["key"],
    }
    target = ("--target", separate_sandbox["graphql_url"], "--table", separate_sandbox["table_name"])
    code, _, record, run_dir = ended(
        meshcap, workplace, "long", *target, "--abort", "latency.p(50) < 1e-6ms", **environment
    )
    assert code == ExitCode.STOPPED
    is_whole(record, run_dir)
    keys = {"aws_access_key_id": "sandbox", "aws_secret_access_key": "sandbox", "region_name": "ap-northeast-1"}
    client = boto3.client("dynamodb", endpoint_url=separate_sandbox["url"], **keys)
    items = client.scan(TableName=separate_sandbox["table_name"])["Items"]
    assert [item for item in items if record.run_id in json.dumps(item) and "METADATA" in json.dumps(item)] == []


def test_every_fault_of_the_limits_is_told_before_the_run(meshcap: Meshcap, workplace: Path, scenarios: Path) -> None:
    done = meshcap("run", "long", "-f", "stopping.yaml", "--abort", "deliveries.lost == 0", "--abort", "errors.rate")
    assert done.returncode == ExitCode.BAD_CONFIGURATION
    assert "--abort 'deliveries.lost == 0': deliveries.lost is known after the run" in done.stderr
    assert "--abort: 'errors.rate' does not read as FIGURE OPERATOR VALUE" in done.stderr


def test_plain_locust_is_told_too(workplace: Path, scenarios: Path) -> None:
    locust = [sys.executable, "-m", "locust", "-f", str(Path(__file__).parents[2] / "locustfiles" / "mesh.py")]
    options = ["--headless", "--scenarios", "stopping.yaml", "--scenario", "long", "-H", "http://127.0.0.1:9/graphql"]
    done = subprocess.run(
        [*locust, *options, "--abort", "errors.rate; latency.max < 3s"],
        cwd=workplace,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == ExitCode.BAD_CONFIGURATION
    assert "'errors.rate' does not read as" in done.stderr
    assert "latency.max is known after the run" in done.stderr
