"""One short run of the whole loop, made once for all tests that look at its outcome."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from capacity.exit_codes import ExitCode

SCENARIOS = """\
version: 1
scenarios:
  brief:
    description: Two groups of three for a few seconds
    population: {groups_per_domain: 2, members_per_group: 2}
    traffic: {reports: 1/s, event_batches: 1/s}
    schedule: {ramp: 1s, hold: 8s, drain: 1s}
    expect: [errors.count == 0, deliveries.lost == 0, model.error.wcu < 1%, model.error.rcu < 1%]
  impossible:
    population: {groups_per_domain: 1, members_per_group: 1}
    traffic: {reports: 1/s, event_batches: 0/s}
    schedule: {ramp: 0s, hold: 3s, drain: 0s}
    expect: [requests.count > 1000000]
  unknowable:
    population: {groups_per_domain: 1, members_per_group: 1}
    traffic: {reports: 1/s, event_batches: 0/s}
    schedule: {ramp: 0s, hold: 3s, drain: 0s}
    expect: [latency.p(99) < 1s]
"""

Meshcap = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a scenario file, as a user's."""
    folder = tmp_path_factory.mktemp("workplace")
    (folder / "scenarios.yaml").write_text(SCENARIOS)
    return folder


@pytest.fixture(scope="session")
def meshcap(workplace: Path) -> Meshcap:
    """Run the command in the workplace, as a user does."""

    names = ("AWS_ENDPOINT_URL", "MESHCAP_API_KEY", "MESHCAP_SCENARIOS")
    clean = {name: value for name, value in os.environ.items() if name not in names}

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        for _ in range(3):  # a machine that is busy with other things makes a run not valid, and says nothing
            done = subprocess.run(
                [sys.executable, "-m", "meshcap", *arguments],
                cwd=workplace,
                env=clean | environment,
                capture_output=True,
                text=True,
                timeout=200,
            )
            if done.returncode != ExitCode.NOT_VALID:
                break
        return done

    return run


@pytest.fixture(scope="session")
def brief_run(meshcap: Meshcap, workplace: Path) -> Path:
    """The run directory of one run of `brief` on the embedded sandbox."""
    done = meshcap("run", "brief")
    assert done.returncode == 0, done.stderr
    return workplace / Path(done.stdout.strip().splitlines()[-1]).parent


@pytest.fixture(scope="session")
def separate_sandbox() -> Iterator[dict[str, str]]:
    """A sandbox that somebody else started, with a key that only the environment knows."""
    key = "da2-planted-secret-7f3a"
    process = subprocess.Popen(
        [sys.executable, "-m", "meshcap", "sandbox", "--port", "0", "--json", "--until-stdin-closes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ, MESHCAP_API_KEY=key),
    )
    assert process.stdout
    assert process.stdin
    yield json.loads(process.stdout.readline()) | {"key": key}
    process.stdin.close()
    assert process.wait(10) == 0
