"""The embedded sandbox: a process of its own, so that it never competes with the generator for one interpreter."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from capacity.exit_codes import ExitCode
from meshcap.errors import UserError
from meshcap.interrupts import interrupts_held_back


@contextmanager
def running_sandbox(scenario_file: Path, scenario: str, api_key: str, log: Path) -> Iterator[dict[str, str]]:
    """Start `meshcap sandbox` for a scenario on a free port, give what it said of itself, and stop it in the end.

    The sandbox lives in a session of its own, so that a Ctrl-C meant for the run leaves it to serve the clean-up. It
    ends by itself when its standard input closes, so it never outlives us. Raises UserError when it does not start.
    """
    command = [sys.executable, "-m", "meshcap", "sandbox", "--port", "0", "--json", "--until-stdin-closes"]
    command += ["--file", str(scenario_file), "--scenario", scenario]
    process: subprocess.Popen[str] | None = None
    try:
        with interrupts_held_back(), log.open("w", encoding="utf-8") as talk:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=talk,
                text=True,
                env=dict(os.environ, MESHCAP_API_KEY=api_key),
                start_new_session=True,
            )
        assert process.stdout is not None
        first_line = process.stdout.readline()
        if not first_line:
            process.wait(10)
            raise UserError(
                f"the sandbox did not start; its last words: {_last_words(log)}", ExitCode.TARGET_UNREACHABLE
            )
        yield json.loads(first_line)
    finally:
        if process is not None:
            with interrupts_held_back():  # a second Ctrl-C must not leave it behind
                _end(process)


def _end(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.close()
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()


def _last_words(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1] if lines else "none"
