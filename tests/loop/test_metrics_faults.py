"""A finished run is measured again while CloudWatch misbehaves, by the command and in processes of their own."""

from __future__ import annotations

import json
import shutil
import time
import urllib.request
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from capacity.exit_codes import ExitCode
from tests.loop.conftest import Meshcap

PERIOD_S = 10.0


def switch(sandbox: dict[str, Any], **faults: Any) -> None:
    """Put faults in force in the running sandbox; none given: all off."""
    body = json.dumps({"cloudwatch": faults}).encode()
    request = urllib.request.Request(f"{sandbox['url']}/_sandbox/faults", body, {"x-api-key": sandbox["key"]})
    with urllib.request.urlopen(request, timeout=10) as answer:
        assert answer.status == 200


def measure(meshcap: Meshcap, run_dir: Path, sandbox: dict[str, Any], patience_s: int = 60) -> Any:
    return meshcap(
        *("metrics", str(run_dir), "--patience", str(patience_s)),
        AWS_ENDPOINT_URL=sandbox["url"],
        AWS_REGION="ap-northeast-1",
        AWS_ACCESS_KEY_ID="sandbox",
        AWS_SECRET_ACCESS_KEY="sandbox",
    )


def sums(run_dir: Path) -> dict[tuple[str, str, str, str], float]:
    """Every series with points, added up."""
    frame = pd.read_parquet(run_dir / "metrics.parquet").dropna(subset=["value"])
    keys = ["namespace", "metric", "dimensions", "statistic"]
    return {key: round(value, 6) for key, value in frame.groupby(keys, observed=True)["value"].sum().items()}


@pytest.fixture(scope="module")
def measured_run(meshcap: Meshcap, workplace: Path, separate_sandbox: dict[str, Any]) -> Path:
    """A short run on the separate sandbox, measured without faults after the sandbox has come to rest."""
    time.sleep(PERIOD_S - time.time() % PERIOD_S)  # no earlier run's traffic in its first period
    done = meshcap(
        *("run", "unknowable", "--target", separate_sandbox["graphql_url"]),
        *("--table", separate_sandbox["table_name"], "--api-id", separate_sandbox["api_id"]),
        AWS_ENDPOINT_URL=separate_sandbox["url"],
        AWS_REGION="ap-northeast-1",
        AWS_ACCESS_KEY_ID="sandbox",
        AWS_SECRET_ACCESS_KEY="sandbox",
        MESHCAP_API_KEY=separate_sandbox["key"],
    )
    assert done.stdout, done.stderr
    run_dir = workplace / Path(done.stdout.strip().splitlines()[-1]).parent
    assert measure(meshcap, run_dir, separate_sandbox).returncode == 0
    return run_dir


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param({"throttled_calls": 3}, id="the first three calls are throttled"),
        pytest.param({"partial_data_answers": 2}, id="two answers are partial"),
        pytest.param({"empty_answers": 2}, id="two answers are empty"),
        pytest.param({"late_points_s": "until three seconds from now"}, id="the newest points are still to come"),
        pytest.param({"shuffled": True, "split_pages": 9}, id="points in no order, on many pages"),
    ],
)
def test_faults_that_pass_cost_no_point(
    meshcap: Meshcap, measured_run: Path, separate_sandbox: dict[str, Any], tmp_path: Path, faults: dict[str, Any]
) -> None:
    again = tmp_path / measured_run.name
    shutil.copytree(measured_run, again)
    if "late_points_s" in faults:
        newest = pd.read_parquet(measured_run / "metrics.parquet")["timestamp"].max().timestamp()
        faults = {"late_points_s": time.time() + 3 - newest - separate_sandbox["metric_resolution_s"]}
    switch(separate_sandbox, **faults)
    try:
        done = measure(meshcap, again, separate_sandbox)
    finally:
        switch(separate_sandbox)
    assert done.returncode == 0, done.stderr
    calls = [key for key in sums(measured_run) if key[3] in ("Sum", "SampleCount") and key[0] == "AWS/DynamoDB"]
    assert calls
    before, after = sums(measured_run), sums(again)
    idle = [key for key in calls if key[1].startswith("Consumed") and key[3] == "SampleCount"]
    assert {key: after.get(key) for key in calls if key not in idle} == {
        key: before[key] for key in calls if key not in idle
    }


def test_a_refusal_is_one_sentence_and_keeps_the_old_points(
    meshcap: Meshcap, measured_run: Path, separate_sandbox: dict[str, Any], tmp_path: Path
) -> None:
    again = tmp_path / measured_run.name
    shutil.copytree(measured_run, again)
    switch(separate_sandbox, denied=True)
    try:
        done = measure(meshcap, again, separate_sandbox)
    finally:
        switch(separate_sandbox)
    assert done.returncode == ExitCode.TARGET_UNREACHABLE
    assert "cloudwatch:GetMetricData" in done.stderr
    assert "Traceback" not in done.stderr
    assert sums(again) == sums(measured_run)
