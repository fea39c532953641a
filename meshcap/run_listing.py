"""What a folder of runs holds: each run in a line, and what cannot be read with the reason, never a traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, ConfigDict, Field

from capacity.forecasting.forecast import read_forecast
from capacity.judgement.comparison import Comparison
from capacity.judgement.figures import required_samples
from capacity.record import RunDirectoryError, RunRecord, read_run
from capacity.run_tables import read_table

T = TypeVar("T")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class ListedRun(_Part):
    """One run. A figure that the run does not know is None."""

    run: str
    """Its folder, as seen from where the listing began."""
    scenario: str
    started_at: str
    target: str
    """sandbox, endpoint or aws."""
    verdict: str
    """The verdict's outcome, or the status of a run without one."""
    latency_p99_ms: float | None
    """From the intended start, in the measuring window."""
    deliveries_lost: int | None
    model_error: float | None
    """The largest error of read and write units, measured against the model of what was sent; a share of one."""
    cost_usd: float | None
    """Forecast cost of the run."""
    faults: list[str] = Field(default_factory=list)
    """Files of the run that cannot be read, and why."""


class Unreadable(_Part):
    """A folder that is no run, or one whose run.json cannot be read."""

    run: str
    reason: str


class RunListing(_Part):
    """What `meshcap runs --json` prints."""

    schema_version: Literal[1] = 1
    runs: list[ListedRun]
    unreadable: list[Unreadable]


def listing(folder: Path) -> RunListing:
    """Every run in `folder` by name, so oldest first, those of a search too. Raises OSError for the folder alone."""
    found = list(_listed(folder, folder, ()))
    return RunListing(
        runs=[each for each in found if isinstance(each, ListedRun)],
        unreadable=[each for each in found if isinstance(each, Unreadable)],
    )


def _listed(folder: Path, root: Path, within: tuple[Path, ...]) -> Iterator[ListedRun | Unreadable]:
    within = (*within, folder.resolve())
    for path in sorted(each for each in folder.iterdir() if each.is_dir() and not each.name.startswith(".")):
        name = path.relative_to(root).as_posix()
        if _holds_only_pages(path):
            continue
        try:
            if not (path / "run.json").exists() and any(path.glob("*/run.json")):
                if path.resolve() not in within:  # a link that leads back would never end
                    yield from _listed(path, root, within)
                continue
            record = read_run(path)
        except (RunDirectoryError, OSError, MemoryError, RecursionError) as fault:
            yield Unreadable(run=name, reason=_first_line(fault))
            continue
        yield _figures(path, name, record)


def _holds_only_pages(path: Path) -> bool:
    """Whether it is the folder in which `cost`, `heartbeat` and `limits` leave their pages beside the runs."""
    try:
        return path.name == "studies" and all(each.suffix == ".html" for each in path.iterdir())
    except OSError:
        return False


def _figures(path: Path, name: str, record: RunRecord) -> ListedRun:
    faults: list[str] = []

    def read(file: str, figure: Callable[[Path], T]) -> T | None:
        if not (path / file).exists():
            return None
        try:
            return figure(path / file)
        except (OSError, ValueError, KeyError, MemoryError, pa.ArrowException) as fault:
            faults.append(f"{file}: {_first_line(fault)}")
            return None

    forecast = read("forecast.json", lambda file: read_forecast(file.parent))
    return ListedRun(
        run=name,
        scenario=record.scenario_name,
        started_at=f"{record.started_at:%Y-%m-%dT%H:%M:%SZ}",
        target=record.target.kind,
        verdict=record.verdict.outcome if record.verdict else record.status,
        latency_p99_ms=read("requests.parquet", lambda file: _p99_ms(file, record)),
        deliveries_lost=read("deliveries.parquet", _lost),
        model_error=read("comparison.json", _model_error),
        cost_usd=None if forecast is None else forecast.cost.run_usd,
        faults=faults,
    )


def _first_line(fault: BaseException) -> str:
    return (str(fault).splitlines() or [type(fault).__name__])[0][:300]


def _p99_ms(file: Path, record: RunRecord) -> float | None:
    table = read_table(file, ["intended_start", "intended_latency_ms", "outcome"])
    table = table.filter(pc.not_equal(table["outcome"].cast(pa.string()), "error"))
    if record.measuring_from is not None and record.measuring_until is not None:
        intended = table["intended_start"]
        since, until = (pa.scalar(each, intended.type) for each in (record.measuring_from, record.measuring_until))
        table = table.filter(pc.and_(pc.greater_equal(intended, since), pc.less(intended, until)))
    if table.num_rows < required_samples(99):
        return None
    return float(np.percentile(table["intended_latency_ms"].to_numpy(), 99, method="higher"))


def _lost(file: Path) -> int:
    table = read_table(file, ["lost", "lost_after_ack"])
    return sum(int(pc.sum(table[name]).as_py() or 0) for name in table.column_names)


def _model_error(file: Path) -> float | None:
    comparison = Comparison.model_validate_json(file.read_text(encoding="utf-8"))
    errors = [comparison.largest_error("model_error", kind) for kind in ("read", "write")]
    known = [error for error in errors if error is not None]
    return max(known) if len(known) == len(errors) else None
