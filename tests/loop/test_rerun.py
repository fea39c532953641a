"""A run is run again from its record alone, and what a seed decides is the same in any process on any machine."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from capacity.exit_codes import ExitCode
from capacity.record import read_run
from capacity.scenario import load_scenario, load_scenarios
from meshcap.errors import UserError
from meshcap.rerun import locust_arguments, scenario_file, where
from tests.loop.conftest import Meshcap

ROOT = Path(__file__).parents[2]
OLD_RUN = ROOT / "tests" / "data" / "old_runs" / "version-1"

PLAN = """
import hashlib, sys
from pathlib import Path
from capacity.forecasting.forecast import forecast
from capacity.scenario import load_scenarios
from locustfiles.nodes.plan import Plan

for name, scenario in load_scenarios(Path(sys.argv[1])).items():
    if scenario.population.nodes > 100 or scenario.schedule.total_s > 200:
        continue
    foreseen = hashlib.sha256(forecast(scenario).model_dump_json(indent=2).encode()).hexdigest()
    print(name, scenario.digest(), foreseen)
    if scenario.workload.name != "mesh":
        continue
    plan = Plan(scenario, "run", scenario.nodes // scenario.population.nodes_per_group)
    lines = [
        repr((plan.node_name(n), plan.arrival_s(n), [plan.phase(t, n) for t in ("heartbeat", "report", "event", "sync",
        "poll")], plan.has_fault("reconnecting", n), plan.fault_s(n))) for n in range(plan.nodes)
    ]
    sent = hashlib.sha256("\\n".join(lines).encode()).hexdigest()
    print(sent, plan.planned_ticks(0, scenario.schedule.sending_s))
"""
MACHINES = [
    {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C", "OMP_NUM_THREADS": "1"},
    {"PYTHONHASHSEED": "4242", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "2"},
    {"PYTHONHASHSEED": "0", "TZ": "America/St_Johns", "LANG": "de_DE.UTF-8", "PYTHONUTF8": "1"},
]


def test_forecast_bytes_and_traffic_plan_are_the_same_whatever_the_process_lives_in(tmp_path: Path) -> None:
    said = []
    for number, machine in enumerate(MACHINES):
        folder = tmp_path / f"folder {number}"
        folder.mkdir()
        inherited = {name: value for name, value in os.environ.items() if name not in ("TZ", "LC_ALL", "LANG")}
        path = os.pathsep.join([str(ROOT), inherited.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-c", PLAN, str(ROOT / "scenarios.yaml")],
            cwd=folder,
            env=inherited | machine | {"PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        said.append(done.stdout)
    assert said[0].count("\n") >= 5
    assert said[0] == said[1] == said[2]


def test_a_scenario_as_resolved_is_read_back_as_it_was() -> None:
    for name, scenario in load_scenarios(ROOT / "scenarios.yaml").items():
        with scenario_file(name, scenario) as file:
            assert load_scenario(file, name) == scenario
        assert not file.exists()


@pytest.fixture
def moved(tmp_path: Path) -> Path:
    """A run directory that has come here alone, from an older version."""
    return Path(shutil.copytree(OLD_RUN, tmp_path / "from elsewhere"))


def changed(run_dir: Path, **changes: Any) -> Path:
    content = json.loads((run_dir / "run.json").read_text())
    content["target"] |= changes.pop("target", {})
    (run_dir / "run.json").write_text(json.dumps(content | changes))
    return run_dir


def test_a_run_is_run_again_from_its_record_alone(meshcap: Meshcap, moved: Path, tmp_path: Path) -> None:
    done = meshcap("rerun", str(moved), "--runs", str(tmp_path / "again"))
    assert done.returncode in (ExitCode.OK, ExitCode.NOT_VALID), done.stderr
    (again,) = (tmp_path / "again").iterdir()
    first, second = read_run(moved), read_run(again)
    assert second.scenario == first.scenario
    assert second.target.kind == first.target.kind
    assert second.command == ["meshcap", "rerun", str(moved)]
    assert second.generator is not None
    assert first.generator is not None
    assert second.generator.planned_requests == first.generator.planned_requests == 100
    third = meshcap("rerun", str(again), "--runs", str(tmp_path / "third"))
    assert third.returncode in (ExitCode.OK, ExitCode.NOT_VALID), third.stderr
    (last,) = (tmp_path / "third").iterdir()
    assert (last / "forecast.json").read_bytes() == (again / "forecast.json").read_bytes()


ELSEWHERE = {"kind": "aws", "graphql_url": "https://example.appsync-api.ap-northeast-1.amazonaws.com/graphql"}


@pytest.mark.parametrize(
    ("sentence", "changes", "environment", "code", "words"),
    [
        (
            "An endpoint of another machine is not permitted by a record.",
            {"target": ELSEWHERE},
            {"MESHCAP_API_KEY": "da2-x"},
            ExitCode.BAD_CONFIGURATION,
            ["example.appsync-api", "--i-own-this-endpoint", "--target sandbox"],
        ),
        (
            "Nor when the record calls it an endpoint of this machine.",
            {"target": ELSEWHERE | {"kind": "endpoint"}},
            {"MESHCAP_API_KEY": "da2-x"},
            ExitCode.BAD_CONFIGURATION,
            ["is not on this machine"],
        ),
        (
            "A key is in no record.",
            {"target": {"kind": "endpoint"}},
            {},
            ExitCode.BAD_CONFIGURATION,
            ["MESHCAP_API_KEY"],
        ),
        (
            "A run of plain Locust has options that nobody wrote down.",
            {"command": ["locust", "-f", "locustfiles/mesh.py"]},
            {},
            ExitCode.BAD_CONFIGURATION,
            ["not run by meshcap", "locust -f locustfiles/mesh.py"],
        ),
        (
            "A record that was edited to load somebody else by Locust's own option is refused.",
            {"command": ["meshcap", "run", "brief", "--", "-H", "http://192.0.2.1/graphql"]},
            {},
            ExitCode.BAD_CONFIGURATION,
            ["-- -H", "--target"],
        ),
    ],
)
def test_what_a_record_cannot_say_is_refused_in_a_sentence(
    meshcap: Meshcap,
    moved: Path,
    tmp_path: Path,
    sentence: str,
    changes: dict[str, Any],
    environment: dict[str, str],
    code: ExitCode,
    words: list[str],
) -> None:
    done = meshcap("rerun", str(changed(moved, **changes)), "--runs", str(tmp_path / "again"), **environment)
    assert done.returncode == code, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "again").exists()


def test_locust_options_come_along() -> None:
    record = read_run(OLD_RUN)
    with_options = record.model_copy(update={"command": [*record.command, "--", "--processes", "2"]})
    assert locust_arguments(OLD_RUN, with_options) == ["--processes", "2"]
    assert locust_arguments(OLD_RUN, record) == []


def test_an_endpoint_that_is_permitted_anew_is_the_same_one() -> None:
    record = read_run(OLD_RUN)
    far = record.model_copy(update={"target": record.target.model_copy(update=ELSEWHERE)})
    assert where(OLD_RUN, far, None, owned=True).url == ELSEWHERE["graphql_url"]
    assert where(OLD_RUN, far, "sandbox", owned=False).url == "sandbox"
    with pytest.raises(UserError):
        where(OLD_RUN, far, None, owned=False)


def test_what_locust_does_not_take_is_bad_input(meshcap: Meshcap, tmp_path: Path) -> None:
    done = meshcap("run", "impossible", "--runs", str(tmp_path), "--", "--bogus")
    assert done.returncode == ExitCode.BAD_CONFIGURATION, done.stderr
    assert "--bogus" in done.stderr
    assert "Traceback" not in done.stderr
    (run_dir,) = tmp_path.iterdir()
    assert read_run(run_dir).status == "failed"
