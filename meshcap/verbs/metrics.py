"""`meshcap metrics RUN`: read CloudWatch for a finished run, again if need be."""

from __future__ import annotations

from capacity.exit_codes import ExitCode
from meshcap.console import data, say
from meshcap.errors import UserError
from meshcap.options import PATIENCE_S, Patience, RunDirectory


def command(
    run_dir: RunDirectory,
    patience: Patience = PATIENCE_S,
) -> None:
    """Read the consumed units, throttles and request counts of a run from CloudWatch into metrics.parquet."""
    from capacity.record import read_run
    from meshcap.finished_run import measure_run

    record = read_run(run_dir)
    if record.target.kind == "sandbox":
        raise UserError(
            f"{run_dir} loaded a sandbox of its own, which ended with the run, and its metrics with it; what was read "
            "then is in metrics.parquet. Runs with --target can be measured again",
            ExitCode.TARGET_UNREACHABLE,
        )
    say(f"{measure_run(run_dir, record, patience):,} points")
    data(str(run_dir / "metrics.parquet"))
