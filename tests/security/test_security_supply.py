"""What the project is made of is pinned: packages by hash, Actions by commit; and the audit says what it knows."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.dependency_audit import CLEAN, FOUND, LOCKS, NOT_ASKED, audit

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_is_pinned_by_version_and_hash(lock: str) -> None:
    entries = re.split(r"\n(?=\S)", (ROOT / lock).read_text(encoding="utf-8"))
    packages = [entry for entry in entries if entry and not entry.startswith("#")]
    assert len(packages) > 20
    for entry in packages:
        assert re.match(r"[\w.\[\],-]+==\S+", entry), entry[:80]
        assert "--hash=sha256:" in entry, entry[:80]
        assert "://" not in entry.partition("--hash")[0], "from the registry alone, not from a URL"


def test_the_makefile_installs_by_hash_alone() -> None:
    installs = [
        line for line in (ROOT / "Makefile").read_text().splitlines() if "$(PIP)" in line and "PIP :=" not in line
    ]
    assert len(installs) == 3
    assert all("--require-hashes -r " in line or "--no-deps --editable ." in line for line in installs)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_and_have_few_rights(workflow: Path) -> None:
    text = workflow.read_text(encoding="utf-8")
    used = re.findall(r"uses:\s*(\S+)(.*)", text)
    assert used
    for action, comment in used:
        assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", action), action
        assert re.match(r"\s*# v\d", comment), f"{action}: the version behind the commit is not said"
    document = yaml.safe_load(text)
    assert document["permissions"] == {"contents": "read"}
    assert "pull_request_target" not in text
    for job in document["jobs"].values():
        for step in job["steps"]:
            assert "${{ github.event" not in step.get("run", ""), "a title or branch name would become shell"


def answering(*answers: Any):
    """A stand-in for the tool: for each lock file JSON, or what it says on stderr."""
    left = list(answers)

    def run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        out, err = (answer, "") if answer.startswith("{") else ("", answer)
        return subprocess.CompletedProcess(list(command), 1, out, err)

    return run


NOTHING = json.dumps({"dependencies": [{"name": "a", "version": "1", "vulns": []}]})
SOMETHING = json.dumps(
    {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}]}
)
SKIPPED = json.dumps({"dependencies": [{"name": "a", "skip_reason": "not found"}]})


@pytest.mark.parametrize(
    ("sentence", "answers", "code", "words"),
    [
        ("Asked, and nothing is known.", [NOTHING, NOTHING], CLEAN, "1 packages, nothing known"),
        (
            "What is known is named, with the version that mends it.",
            [NOTHING, SOMETHING],
            FOUND,
            "a 1: PYSEC-1; fixed in 2",
        ),
        ("Without a network nothing is known, which is no success.", ["ConnectionError: no", NOTHING], NOT_ASKED, "no"),
        (
            "A package of which nothing is known is no clean one.",
            [SKIPPED, NOTHING],
            NOT_ASKED,
            "of 1 of 1 packages nothing is known (a)",
        ),
        ("A finding outweighs what could not be asked.", ["Timeout", SOMETHING], FOUND, "PYSEC-1"),
        ("A tool that is not there is told.", [OSError(2, "No such file"), NOTHING], NOT_ASKED, "No such file"),
        ("Silence is no success.", [subprocess.TimeoutExpired("uv", 1), NOTHING], NOT_ASKED, "timed out"),
    ],
)
def test_the_audit_tells_known_from_unknown(sentence: str, answers: list[Any], code: int, words: str) -> None:
    told = audit(answering(*answers))
    assert told.code == code
    assert words in "\n".join(told.lines)
