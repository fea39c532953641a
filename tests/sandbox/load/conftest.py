"""Each test gets a sandbox of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from load_run import Load, Sandbox, running_sandbox


@pytest.fixture
def sandbox(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """With the settings of the scenario `lesson`, or of the one that a test names."""
    with running_sandbox(tmp_path, getattr(request, "param", "lesson")) as running:
        yield running


@pytest.fixture
def load(tmp_path: Path, sandbox: Sandbox) -> Load:
    return Load(tmp_path, sandbox.graphql_url)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for loopback and its key."""
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    try:
        subprocess.run([*made, *names, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("there is no openssl here to make a certificate")
    return certificate, key
