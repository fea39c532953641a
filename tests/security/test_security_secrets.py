"""Secrets that are planted in the environment of a run come out nowhere: files, logs, output, command lines, errors."""

from __future__ import annotations

import base64
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.faults.conftest import Run, Sandbox, Start, processes_of

SECRETS = {
    "MESHCAP_API_KEY": "da2-planted9f27key1c5d",
    "AWS_ACCESS_KEY_ID": "AKIAPLANTED0ACCESSID",
    "AWS_SECRET_ACCESS_KEY": "planted/secret+access/key0123456789abcdef",
    "AWS_SESSION_TOKEN": "plantedSessionTokenXyz0123456789",
}


def disguises(secret: str) -> Iterator[bytes]:
    """A secret as it is, and as base64 shows it wherever it begins within a longer text."""
    yield secret.encode()
    for offset in range(3):
        encoded = base64.b64encode(b"\0" * offset + secret.encode())
        yield encoded[4 if offset else 0 : -4]


def found_in(content: bytes) -> list[str]:
    return [name for name, secret in SECRETS.items() for form in disguises(secret) if form in content]


def everything(run_dir: Path) -> Iterator[tuple[str, bytes]]:
    """Every file of a run, and what is packed in those that are."""
    for path in sorted(run_dir.rglob("*")):
        if path.is_file():
            yield path.name, path.name.encode() + path.read_bytes()
            if path.suffix == ".parquet":
                yield path.name, str(pq.read_table(path).to_pydict()).encode()


def command_lines() -> bytes:
    """The command lines of all processes of this machine, as any user of it can list them."""
    found = b""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += path.read_bytes() + b"\n"
        except OSError:
            continue
    return found


def watched(run: Run) -> None:
    """Look at the command lines of a run that is on."""
    run.wait_for_load()
    assert len(processes_of(run.runs)) >= 2
    assert found_in(command_lines()) == []


def assert_kept(run: Run, files: int) -> None:
    outcome = run.over()
    looked_at = list(everything(outcome.run_dir))
    assert len(looked_at) >= files, outcome.stderr
    for name, content in looked_at:
        assert found_in(content) == [], name
    assert found_in((outcome.stdout + outcome.stderr).encode()) == []


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="reads command lines in /proc")
def test_a_run_whose_every_request_is_refused_keeps_its_secrets(start: Start, sandbox: Sandbox) -> None:
    """The planted key is not the sandbox's: each refusal, with what was sent, is something to write down."""
    run = start("brief", *sandbox.options(), "--", "--processes", "2", **(sandbox.environment() | SECRETS))
    assert_kept(run, 10)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="reads command lines in /proc")
def test_a_run_whose_parts_die_keeps_its_secrets(start: Start) -> None:
    """On a sandbox of its own, whose key is drawn; the credentials of the user are planted."""
    run = start("brief", "--", "--processes", "2", **SECRETS)
    watched(run)
    os.kill(run.processes("meshcap sandbox")[0], signal.SIGKILL)
    os.kill(run.processes("locust")[-1], signal.SIGKILL)
    assert_kept(run, 8)


def test_a_disguise_would_be_seen() -> None:
    secret = SECRETS["MESHCAP_API_KEY"]
    for text in (secret, f"x{secret}y", f'{{"host":"h","x-api-key":"{secret}"}}', f"ab{secret}"):
        assert found_in(b"log " + text.encode())
        assert found_in(b"log " + base64.b64encode(text.encode())), text
