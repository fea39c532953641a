"""A command that was started without stdin, stdout or stderr, or whose talk goes to a full disk, ends as it would."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from capacity.exit_codes import ExitCode

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("verb", "shell", "code"),
    [
        pytest.param("plan smoke", ">&-", ExitCode.OK, id="no stdout"),
        pytest.param("plan smoke", "2>&-", ExitCode.OK, id="no stderr"),
        pytest.param("plan smoke", "<&- >&- 2>&-", ExitCode.OK, id="none at all"),
        pytest.param("report nowhere", "<&- >&- 2>&-", ExitCode.BAD_CONFIGURATION, id="a refusal that nobody hears"),
        pytest.param("report nowhere", "2>/dev/full", ExitCode.BAD_CONFIGURATION, id="a refusal to a full disk"),
        pytest.param("plan smoke", ">/dev/full", ExitCode.BAD_CONFIGURATION, id="data to a full disk"),
    ],
)
def test_the_exit_code_is_the_promised_one(verb: str, shell: str, code: ExitCode) -> None:
    if "/dev/full" in shell and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    command = f'"$0" -m meshcap {verb} {shell}'
    done = subprocess.run(["sh", "-c", command, sys.executable], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "Traceback" not in done.stderr


def test_a_reader_that_has_seen_enough_is_no_failure() -> None:
    """As in `meshcap plan smoke | head -1`, here with a pipe that nobody reads at all."""
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "meshcap", "plan", "smoke"]
    done = subprocess.run(command, cwd=ROOT, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, "Traceback" in done.stderr) == (ExitCode.OK, False)
