"""How a run's verb ends: its sentence, where its report is, and its exit code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from meshcap.console import data, say
from meshcap.github_step import tell_of_run

if TYPE_CHECKING:
    from meshcap.loop import Outcome


def end_with(outcome: Outcome, scenario_file: Path | None) -> NoReturn:
    """Say what came of a run, print the path of its report, tell the step of GitHub Actions, and exit.

    `scenario_file` is where broken thresholds are annotated; None for the file that the run's own command names.
    """
    say(outcome.sentence)
    data(str(outcome.report))
    tell_of_run(outcome.report.parent, scenario_file)
    sys.exit(outcome.exit_code)
