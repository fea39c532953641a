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


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for loopback and its key."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    try:
        subprocess.run([*made, *names, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no openssl here to make a certificate")
    return certificate, key
