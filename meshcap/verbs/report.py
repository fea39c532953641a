"""`meshcap report RUN`: render a run again, without its target."""

from __future__ import annotations

from meshcap.console import data
from meshcap.options import Lang, RunDirectory


def command(run_dir: RunDirectory, lang: Lang = "en") -> None:
    """Render report.html, report.md and junit.xml from the files of a run directory."""
    from capacity.record import read_run
    from reports import render

    read_run(run_dir)  # a folder that is no run is said so before anything is written
    data(str(render(run_dir, lang)))
