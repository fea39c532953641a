"""Each test gets a sandbox of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from load_run import API_KEY, SCENARIOS, Load, Sandbox


@pytest.fixture
def sandbox(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """With the settings of the scenario `lesson`, or of the one that a test names."""
    (tmp_path / "scenarios.yaml").write_text(SCENARIOS)
    command = [sys.executable, "-m", "meshcap", "sandbox", "--port", "0", "--json", "--until-stdin-closes"]
    process = subprocess.Popen(
        [*command, "--file", str(tmp_path / "scenarios.yaml"), "--scenario", getattr(request, "param", "lesson")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ, MESHCAP_API_KEY=API_KEY),
    )
    assert process.stdout is not None
    said = json.loads(process.stdout.readline())
    yield Sandbox(process, said["url"], said["graphql_url"], said["table_name"])
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        assert pipe is not None
        pipe.close()


@pytest.fixture
def load(tmp_path: Path, sandbox: Sandbox) -> Load:
    return Load(tmp_path, sandbox.graphql_url)
