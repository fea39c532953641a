"""Asks the advisory database about every pinned version: `make audit`, or `python -m tests.dependency_audit`.

Exit 0: asked, nothing known. 1: something is known, and said. 75: the database could not be asked, so nothing is known
either way; that is no success, but no finding.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
LOCKS = ("requirements.lock", "requirements-dev.lock")
TOOL = "pip-audit==2.10.1"
CLEAN, FOUND, NOT_ASKED = 0, 1, 75
_MOST_S = 300

Run = Callable[[Sequence[str]], "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Answer:
    """What the database says of one lock file."""

    code: int
    lines: tuple[str, ...]


def ask(lock: str, run: Run) -> Answer:
    """Audit one lock file. Nothing is installed or resolved: the versions and hashes are those of the file."""
    tool = [str(Path(sys.executable).with_name("uv")), "tool", "run", "--from", TOOL, "pip-audit"]
    try:
        done = run([*tool, "--requirement", lock, "--disable-pip", "--require-hashes", "--format", "json"])
        known = json.loads(done.stdout)["dependencies"]
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as fault:
        why = str(fault) if isinstance(fault, OSError | subprocess.TimeoutExpired) else _last_line(done.stderr)
        return Answer(NOT_ASKED, (f"{lock}: the advisory database could not be asked, so nothing is known: {why}",))
    found = tuple(f"{lock}: {_finding(each)}" for each in known if each.get("vulns"))
    unasked = [each for each in known if "skip_reason" in each]
    if unasked:
        names = ", ".join(each["name"] for each in unasked[:5]) + (", ..." if len(unasked) > 5 else "")
        why = str(unasked[0]["skip_reason"])[:200]
        told = f"{lock}: of {len(unasked)} of {len(known)} packages nothing is known ({names}): {why}"
        return Answer(NOT_ASKED, (*found, told))
    return Answer(FOUND if found else CLEAN, found or (f"{lock}: {len(known)} packages, nothing known",))


def _finding(package: dict[str, Any]) -> str:
    names = ", ".join(fault["id"] for fault in package["vulns"])
    fixes = sorted({fix for fault in package["vulns"] for fix in fault["fix_versions"]})
    return f"{package['name']} {package['version']}: {names}; fixed in {', '.join(fixes) or 'no version'}"


def audit(run: Run) -> Answer:
    """Both lock files: something found outweighs something not asked."""
    answers = [ask(lock, run) for lock in LOCKS]
    codes = {answer.code for answer in answers}
    code = FOUND if FOUND in codes else NOT_ASKED if NOT_ASKED in codes else CLEAN
    return Answer(code, tuple(line for answer in answers for line in answer.lines))


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1][:300] if lines else "no answer"


def _really(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=_MOST_S)


if __name__ == "__main__":
    told = audit(_really)
    print("\n".join(told.lines))
    sys.exit(told.code)
