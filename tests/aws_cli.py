"""The AWS CLI, fetched once into the git-ignored `.cache/`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fetched_once import fetched_once

PACKAGE = "awscli==1.46.3"
HOME = Path(__file__).parents[1] / ".cache" / "awscli"


def aws_cli() -> Path:
    """Its command. Processes that run tests side by side wait for one another; without it skipped, in CI it fails."""
    command = HOME / "bin" / "aws"
    fetched_once(command, HOME, _fetch)
    return command


def _fetch() -> None:
    for step in (
        [sys.executable, "-m", "venv", str(HOME)],
        [str(HOME / "bin" / "pip"), "install", "-q", PACKAGE],
    ):
        done = subprocess.run(step, capture_output=True, text=True, timeout=240, check=False)
        if done.returncode:
            pytest.skip(f"the AWS CLI could not be installed: {done.stderr.strip()[-200:]}")
