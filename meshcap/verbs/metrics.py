"""`meshcap metrics RUN`: read CloudWatch for a finished run, again if need be."""

from __future__ import annotations

from typing import Annotated

import typer

from meshcap.console import data, say
from meshcap.options import RunDirectory


def command(
    run_dir: RunDirectory,
    patience: Annotated[float, typer.Option(help="Seconds to wait for late points.", min=0)] = 300.0,
) -> None:
    """Read the consumed units, throttles and request counts of a run from CloudWatch into metrics.parquet."""
    from capacity.record import read_run
    from meshcap.loop import measure_run

    say(f"{measure_run(run_dir, read_run(run_dir), patience):,} points")
    data(str(run_dir / "metrics.parquet"))
