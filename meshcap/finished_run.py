"""What is done with a finished run: it is measured and judged, right after its load or again later."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from capacity.exit_codes import ExitCode
from capacity.record import RunDirectoryError, RunRecord, Verdict, read_run, update_run, write_json
from meshcap.console import say, talk
from meshcap.errors import UserError
from meshcap.interrupts import interrupts_held_back


@contextmanager
def step(what: str) -> Iterator[None]:
    """Show that something is under way which takes a while."""
    with talk.status(what):
        yield


def measure_run(run_dir: Path, record: RunRecord, patience_s: float) -> int:
    """Read CloudWatch into metrics.parquet; return the number of points. Raises UserError when it cannot be read."""
    import pyarrow as pa

    from capacity.measurement.cloudwatch import CloudWatchError
    from capacity.measurement.measure import measure

    try:
        with step("Measuring: reading CloudWatch"):
            reading = measure(run_dir, record, patience_s=patience_s)
    except CloudWatchError as fault:
        raise UserError(str(fault), ExitCode.TARGET_UNREACHABLE) from None
    except pa.ArrowException as fault:
        raise RunDirectoryError(f"{run_dir / 'requests.parquet'} cannot be read: {fault}") from fault
    for note in reading.notes:
        say(f"CloudWatch: {note}")
    return reading.points


def judge_run(run_dir: Path) -> Verdict:
    """Compare plan, sent and measured of a run, write comparison.json, and set the verdict in run.json.

    A run that was stopped before it sent anything has nothing to compare, but a verdict.
    """
    import pyarrow as pa

    from capacity.forecasting.forecast import read_forecast
    from capacity.judgement.comparison import compare
    from capacity.judgement.figures import load_figures
    from capacity.judgement.verdict import judge

    try:
        comparison = compare(run_dir) if (run_dir / "requests.parquet").exists() else None
        verdict = judge(load_figures(run_dir, read_run(run_dir), comparison, read_forecast(run_dir)))
    except (ValueError, KeyError, OSError, MemoryError, pa.ArrowException) as fault:
        raise RunDirectoryError(f"{run_dir} holds a file that is broken or of another version: {fault}") from fault
    with interrupts_held_back():  # of one that strikes while it writes a model, pydantic makes an error of its own
        if comparison is not None:
            write_json(run_dir / "comparison.json", comparison)
        update_run(run_dir, verdict=verdict)
    return verdict
