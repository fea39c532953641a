"""`meshcap run` of a mix of operations on a table that the scenario describes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from capacity.exit_codes import ExitCode

SCENARIOS = """\
version: 1
scenarios:
  mixed:
    workload:
      name: dynamodb
      table: posts
      key: [id:S, row:N]
      indexes: {newest: [feed:N, at:N]}
      mix: {GetItem: 5, PutItem: 3, UpdateItem: 1, Query: 1}
      users: 4
      requests: 5/s
      keys: 30
      rows_per_key: 3
      distribution: hot:0.5
      item: 1500B
      index: newest
      index_values: 1
    schedule: {ramp: 1s, hold: 8s, drain: 1s}
    expect: [errors.count == 0, model.error.wcu < 1%, model.error.rcu < 1%]
"""


def test_what_cloudwatch_measures_is_what_the_model_gives_to_the_mix(tmp_path: Path) -> None:
    """A busy machine makes the run late, and so not valid, but no unit of it other."""
    (tmp_path / "scenarios.yaml").write_text(SCENARIOS)
    command = [sys.executable, "-m", "meshcap", "run", "mixed"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=200)
    assert done.returncode in (ExitCode.OK, ExitCode.NOT_VALID), done.stderr
    run_dir = tmp_path / Path(done.stdout.strip().splitlines()[-1]).parent
    comparison = json.loads((run_dir / "comparison.json").read_text())
    units = {(each["resource"], each["kind"]): each for each in comparison["units"]}
    for name in (("table", "read"), ("table", "write"), ("newest", "read"), ("newest", "write")):
        assert units[name]["sent"] > 0
        assert units[name]["measured"] == pytest.approx(units[name]["sent"], rel=0.01)
    calls = {each["name"]: (each["sent"], each["measured"]) for each in comparison["calls"]}
    assert set(calls) == {"GetItem", "PutItem", "UpdateItem", "Query"}
    assert all(sent == measured for sent, measured in calls.values())
    assert "4 users" in (run_dir / "report.md").read_text()
