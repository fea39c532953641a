"""A verb that runs as a step of GitHub Actions tells it so: summary and annotations, without being asked.

Annotations go to stderr, which the runner reads like stdout: what a verb prints there stays data.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from meshcap.console import complain

if TYPE_CHECKING:
    from reports.compare import Comparison


def tell_of_run(run_dir: Path, scenario_file: Path | None) -> None:
    """Append a run's report to the step's summary, and annotate each threshold that did not hold or is unknown.

    Without a file, the one that the run's own command names is meant.
    """
    if not _in_a_step():
        return
    from capacity.record import read_run
    from reports.github import workflow_annotations

    record = read_run(run_dir)
    named = dict(zip(record.command, record.command[1:], strict=False)).get("--file", "scenarios.yaml")
    report = run_dir / "report.md"
    if report.exists():
        _summarise(report.read_text(encoding="utf-8"))
    _annotate(workflow_annotations(record, scenario_file or Path(named)))


def tell_of_comparison(comparison: Comparison) -> None:
    """Append a comparison of two runs to the step's summary, and annotate each figure that became worse."""
    if not _in_a_step():
        return
    from reports.github import comparison_annotations

    _summarise(comparison.markdown("en"))
    _annotate(comparison_annotations(comparison))


def _in_a_step() -> bool:
    return bool(os.environ.get("GITHUB_STEP_SUMMARY")) or os.environ.get("GITHUB_ACTIONS") == "true"


def _summarise(markdown: str) -> None:
    from reports.github import write_step_summary

    try:
        write_step_summary(markdown, os.environ)
    except OSError as fault:
        name = os.environ.get("GITHUB_STEP_SUMMARY")
        complain(f"GITHUB_STEP_SUMMARY {name} cannot be written: {fault.strerror or fault}")


def _annotate(commands: Iterable[str]) -> None:
    if os.environ.get("GITHUB_ACTIONS") == "true":
        sys.stderr.writelines(f"{command}\n" for command in commands)
