"""`meshcap runs [FOLDER]`: the runs of a folder, with verdict, latency, losses, error of the model and cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from meshcap.console import data, out, say, visible
from meshcap.errors import UserError
from meshcap.options import RUNS, AsJson
from meshcap.tables import table

_UNKNOWN = "unknown"


def command(
    folder: Annotated[Path, typer.Argument(help="The folder that run directories are in.")] = RUNS,
    as_json: AsJson = False,
) -> None:
    """List the runs of a folder, oldest first. What cannot be read is named with the reason."""
    from meshcap.run_listing import listing

    try:
        found = listing(folder)
    except OSError as fault:
        raise UserError(f"{folder} cannot be listed ({fault.strerror}); give a folder of runs, like runs") from None
    if as_json:
        data(found.model_dump_json(indent=2))
        return
    rows = table(
        f"Runs in {folder}",
        *("run", "scenario", "started, UTC", "target", "verdict"),
        *("p99, ms", "lost", "model error, %", "cost, $"),
        prose=("scenario", "started, UTC", "target", "verdict"),
    )
    for each in found.runs:
        rows.add_row(
            visible(each.run),
            visible(each.scenario),
            each.started_at.rstrip("Z").replace("T", " "),
            each.target,
            each.verdict,
            _shown(each.latency_p99_ms, ",.1f"),
            _shown(each.deliveries_lost, ","),
            _shown(None if each.model_error is None else 100 * each.model_error, ".2f"),
            _shown(each.cost_usd, ",.3f"),
        )
    if found.runs:
        out.print(rows)
    else:
        say(f"There is no run in {folder}; make one with meshcap run smoke")
    for each in found.runs:
        for reason in each.faults:
            say(f"{each.run}: {reason}")
    for other in found.unreadable:
        say(f"{other.run} is not listed: {other.reason}")


def _shown(figure: float | None, form: str) -> str:
    return _UNKNOWN if figure is None else format(figure, form)
