"""A mistake on the command line is answered by what was given and what is expected, and never by a traceback."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from capacity.exit_codes import ExitCode

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("plan classroom --region us-east-1", ["--region goes with --workload"]),
        ("plan --workload capacity/workloads/example.py --region eu-west-1", ["--region eu-west-1", "us-east-1"]),
        ("plan nosuch", ["no scenario 'nosuch'", "classroom"]),
        ("run capacity/workloads/example.py", ["plan --workload capacity/workloads/example.py", "workload: dynamodb"]),
        ("run --workload own.yaml", ["--workload own.yaml", "meshcap plan --workload own.yaml"]),
        ("run posts -f own.py", ["own.py is a Python file", "locustfiles/dynamodb.py"]),
        ("plan own.py", ["meshcap plan --workload own.py"]),
        (
            "cost --lesson-minutes 0 --days-per-month 40",
            ["--lesson-minutes 0", "greater than 0", "--days-per-month 40"],
        ),
        ("limits --axis pupils", ["--axis 'pupils'", "members_per_group"]),
        ("calc partitions", ["--read 5000"]),
        ("prices show --region eu-west-1", ["no price list of eu-west-1;", "ap-northeast-1 2024-11"]),
        ("report nowhere", ["nowhere is no run directory"]),
    ],
)
def test_a_mistake_is_answered_with_what_is_expected(words: str, said: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "meshcap", *words.split()], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == ExitCode.BAD_CONFIGURATION
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "pydantic" not in done.stderr
    assert all(words in done.stderr for words in said)


@pytest.mark.parametrize(
    ("locustfile", "scenario", "other"),
    [
        ("mesh", "timeline", "timeline"),
        ("timeline", "smoke", "mesh"),
        ("dynamodb", "smoke --table posts", "mesh"),
    ],
)
def test_a_locustfile_refuses_the_scenario_of_another_and_names_it(locustfile: str, scenario: str, other: str) -> None:
    words = f"-m locust -f locustfiles/{locustfile}.py -H http://127.0.0.1:9/graphql --headless --scenario {scenario}"
    done = subprocess.run([sys.executable, *words.split()], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == ExitCode.BAD_CONFIGURATION
    assert f"take locustfiles/{other}.py" in done.stderr


def test_a_table_without_a_region_is_refused_with_how_to_name_one() -> None:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    nowhere = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_CONFIG_FILE": os.devnull}
    command = [sys.executable, "-m", "meshcap", "table", "create"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, env=clean | nowhere)
    assert done.returncode == ExitCode.BAD_CONFIGURATION
    assert "export AWS_DEFAULT_REGION=ap-northeast-1" in done.stderr
