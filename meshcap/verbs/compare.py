"""`meshcap compare RUN`: hold plan, sent and measured of a run against each other, and judge it."""

from __future__ import annotations

import sys

from meshcap.console import data, say
from meshcap.options import AsJson, RunDirectory


def command(run_dir: RunDirectory, as_json: AsJson = False) -> None:
    """Write comparison.json and the verdict of a run, and exit as the verdict says."""
    from capacity.record import read_run
    from meshcap.loop import judge_run

    read_run(run_dir)  # a folder that is no run is said so before anything is written
    verdict = judge_run(run_dir)
    if as_json:
        data((run_dir / "comparison.json").read_text(encoding="utf-8").rstrip())
    else:
        data(str(run_dir / "comparison.json"))
    say(verdict.sentence)
    sys.exit(verdict.exit_code)
