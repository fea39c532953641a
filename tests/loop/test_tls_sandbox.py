"""What `meshcap sandbox --tls` prints is all that another shell needs to reach it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest

from capacity.exit_codes import ExitCode
from tests.loop.conftest import Meshcap

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="making a certificate needs openssl")


@pytest.fixture(scope="module")
def printed() -> Iterator[tuple[dict[str, str], list[str]]]:
    """The variables that a sandbox with TLS says to export, and the run it says to try."""
    process = subprocess.Popen(
        [sys.executable, "-m", "meshcap", "sandbox", "--port", "0", "--tls", "--until-stdin-closes"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={name: value for name, value in os.environ.items() if name != "MESHCAP_API_KEY"},
    )
    assert process.stdout
    assert process.stdin
    exported: dict[str, str] = {}
    for line in process.stdout:
        first, *words = shlex.split(line)
        if first != "export":
            break
        exported |= {name: value for name, _, value in (word.partition("=") for word in words)}
    yield exported, words
    process.stdin.close()
    assert process.wait(10) == 0


def findings(meshcap: Meshcap, words: list[str], code: int, environment: dict[str, str]) -> dict[str, tuple[str, str]]:
    done = meshcap("doctor", "brief", *words[words.index("--target") :][:4], "--json", **environment)
    assert done.returncode == code, done.stderr
    return {each["check"]: (each["state"], each["message"]) for each in json.loads(done.stdout)["findings"]}


def test_its_exports_let_every_client_trust_it(meshcap: Meshcap, printed: tuple[dict[str, str], list[str]]) -> None:
    exported, words = printed
    found = findings(meshcap, words, ExitCode.OK, exported)
    assert {state for state, _ in found.values()} == {"ok"}


def test_without_them_the_doctor_says_what_names_the_certificate(
    meshcap: Meshcap, printed: tuple[dict[str, str], list[str]]
) -> None:
    exported, words = printed
    found = findings(meshcap, words, ExitCode.TARGET_UNREACHABLE, exported | {"SSL_CERT_FILE": ""})
    state, message = found["GraphQL"]
    assert state == "fault"
    assert "SSL_CERT_FILE" in message
