"""The workflows: pinned, with no more rights than they need, and nothing of a pull request pasted into a command."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

FILES = sorted((Path(__file__).parents[2] / ".github/workflows").glob("*.yml"))
LOADED: dict[str, dict[Any, Any]] = {file.stem: yaml.safe_load(file.read_text(encoding="utf-8")) for file in FILES}
NAMES = sorted(LOADED)


def steps(name: str) -> Iterator[dict[str, Any]]:
    for job in LOADED[name]["jobs"].values():
        yield from job["steps"]


def test_they_keep_to_github_s_schema() -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    done = subprocess.run([*command, *map(str, FILES)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_every_action_is_pinned_by_its_commit_with_its_version_beside_it(name: str) -> None:
    text = next(file for file in FILES if file.stem == name).read_text(encoding="utf-8")
    used = re.findall(r"uses: (.*)", text)
    assert used
    assert all(re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each) for each in used)


@pytest.mark.parametrize("name", NAMES)
def test_rights_are_read_only_but_for_a_job_that_checks_nothing_out(name: str) -> None:
    assert LOADED[name]["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in LOADED[name][True], "it would give a fork's code the rights of this repository"
    for job in LOADED[name]["jobs"].values():
        if "write" in job.get("permissions", {}).values():
            assert not any("uses" in step for step in job["steps"])
            assert "head.repo.full_name == github.repository" in job["if"]


@pytest.mark.parametrize("name", NAMES)
def test_no_expression_is_pasted_into_a_command_and_no_token_is_left_behind(name: str) -> None:
    for step in steps(name):
        assert "${{" not in step.get("run", ""), "a title or branch may hold a command; give it by env"
        if step.get("uses", "").startswith("actions/checkout@"):
            assert step["with"]["persist-credentials"] is False


def test_the_commands_are_shell() -> None:
    for name in NAMES:
        for step in steps(name):
            done = subprocess.run(["bash", "-n"], input=step.get("run", ""), capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
