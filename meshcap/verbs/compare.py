"""`meshcap compare RUN [AFTER]`: plan, sent and measured of one run; or two runs of the same scenario."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from meshcap.console import data, say
from meshcap.errors import UserError
from meshcap.github_step import tell_of_comparison, tell_of_run
from meshcap.options import AsJson, Lang, RunDirectory


def command(
    run_dir: RunDirectory,
    after: Annotated[Path | None, typer.Argument(help="A later run of the same scenario, to compare with.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Compare two runs that differ in what they are of.")] = False,
    lang: Lang = "en",
    as_json: AsJson = False,
) -> None:
    """Judge one run by its own plan, or say what became worse or better in a later run, as Markdown.

    The exit status is the verdict: with two runs it is 99 when anything became worse.
    """
    from capacity.record import read_run

    read_run(run_dir)  # a folder that is no run is said so before anything is written
    if after is None:
        _one(run_dir, as_json)
    else:
        _two(run_dir, after, force, lang, as_json)


def _one(run_dir: Path, as_json: bool) -> None:
    from meshcap.finished_run import judge_run

    verdict = judge_run(run_dir)
    path = run_dir / "comparison.json"
    data(path.read_text(encoding="utf-8").rstrip() if as_json else str(path))
    say(verdict.sentence)
    tell_of_run(run_dir, None)
    sys.exit(verdict.exit_code)


def _two(before: Path, after: Path, force: bool, lang: str, as_json: bool) -> None:
    from reports.compare import RunsDiffer, compare

    try:
        comparison = compare(before, after, force=force)
    except RunsDiffer as fault:
        raise UserError(str(fault)) from None
    data(comparison.for_machines().model_dump_json(indent=2) if as_json else comparison.markdown(lang))
    tell_of_comparison(comparison)
    sys.exit(comparison.exit_code)
