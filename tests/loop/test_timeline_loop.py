"""`meshcap run` of the timeline app, as its user runs it: a small table whose index is soon behind.

Table and index are small, so that the index's savings and the queue to it are used up within a quarter of a minute:
600 units/s against 20, with 300 s of savings and a queue of 30 s of the table's 60.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from capacity.exit_codes import ExitCode
from capacity.forecasting.forecast import Forecast
from capacity.workloads.timeline.app import INDEX
from capacity.workloads.timeline.schedule import app_of
from reports.run import Run
from reports.sections.timeline import posts_per_s_at_limit

SCENARIOS = """\
version: 1
scenarios:
  behind:
    workload:
      {name: timeline, posters: 10, posts: 6/s, body: 9500B, readers: 2, readings: 0.5/s, pages: 2, per_page: 5}
    schedule: {ramp: 1s, hold: 42s, drain: 1s}
    billing:
      table: {read: 10, write: 60}
      indexes:
        sort_hash_key_process_at_index: {read: 200, write: 20}
    expect:
      - throttles.GSI(sort_hash_key_process_at_index) > 0
      - errors.count(reading) == 0
      - model.error.wcu < 1%
"""


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run directory of one run. On a machine that is busy with other things its load comes late, which makes it
    not valid but changes nothing of what is asserted here.
    """
    folder = tmp_path_factory.mktemp("timeline")
    (folder / "scenarios.yaml").write_text(SCENARIOS)
    command = [sys.executable, "-m", "meshcap", "run", "behind"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=250)
    assert done.returncode in (ExitCode.OK, ExitCode.NOT_VALID), done.stderr
    return folder / Path(done.stdout.strip().splitlines()[-1]).parent


def test_the_report_names_the_index_as_first_limit(run_dir: Path) -> None:
    first = Forecast.model_validate_json((run_dir / "forecast.json").read_text()).first_limit
    assert (first.resource, first.kind) == (INDEX, "write")
    report = (run_dir / "report.md").read_text().replace("\\", "")
    assert f"First to be passed is provisioned throughput ({INDEX}, writes)" in report
    assert "Posts that the index takes" in report


def test_while_it_refuses_the_index_takes_the_posts_that_were_forecast(run_dir: Path) -> None:
    """20 units/s of posts of 10 units are 2 posts/s."""
    run = Run.open(run_dir)
    assert posts_per_s_at_limit(run, app_of(run.record.scenario)) == pytest.approx(2.0, rel=0.05)


def test_the_table_refuses_what_its_index_refuses(run_dir: Path) -> None:
    comparison = json.loads((run_dir / "comparison.json").read_text())
    throttles = {(each["resource"], each["kind"]): each["measured"] for each in comparison["throttles"]}
    assert throttles[INDEX, "write"] > 0
    units = {(each["resource"], each["kind"]): each["measured"] for each in comparison["units"]}
    assert units["table", "write"] == units[INDEX, "write"]
    requests = pq.read_table(run_dir / "requests.parquet")
    refused = requests.filter(pc.equal(requests["outcome"], "refused"))
    assert set(refused["operation"].to_pylist()) == {"post"}
    assert any("global secondary index" in text for text in refused["error_message"].to_pylist())


def test_readers_saw_every_post_once_and_in_order(run_dir: Path) -> None:
    requests = pq.read_table(run_dir / "requests.parquet")
    readings = requests.filter(pc.equal(requests["operation"], "reading"))
    assert readings.num_rows > 30
    assert set(readings["outcome"].to_pylist()) == {"ok"}


def test_nothing_of_mesh_is_in_the_record(run_dir: Path) -> None:
    scenario = json.loads((run_dir / "run.json").read_text())["scenario"]
    assert scenario["workload"]["name"] == "timeline"
    assert not {"population", "traffic", "layout"} & scenario.keys()
    assert not (run_dir / "deliveries.parquet").exists()
    report = (run_dir / "report.md").read_text()
    assert "Deliveries" not in report
    assert "is not in the run directory" not in report
