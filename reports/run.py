"""A finished run as the report sees it: the files of one run directory, each of which may be missing or broken."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from capacity.forecasting.forecast import Forecast
from capacity.judgement.comparison import Comparison
from capacity.measurement.measured import sound
from capacity.record import RunRecord, read_run
from capacity.run_tables import DELIVERIES, DELIVERY_FAULTS, METRICS, REQUESTS, column_names, read_table

T = TypeVar("T")

LEAVING_S = 5.0
"""Seconds after the plan in which nodes leave; what comes later belongs to the end of the run, not to its charts."""

_REQUEST_COLUMNS = [
    "operation",
    "intended_start",
    "start",
    "latency_ms",
    "intended_latency_ms",
    "outcome",
    "error_type",
]


@dataclass(frozen=True)
class Absence:
    """A file that the report would have used: its name, and why it could not be (`None`: it is not there)."""

    name: str
    fault: str | None


@dataclass
class Run:
    """The files of a run directory. Whatever is absent is `None` and listed in `absences`."""

    directory: Path
    record: RunRecord
    absences: list[Absence] = field(default_factory=list)

    @classmethod
    def open(cls, directory: Path) -> Run:
        """Open a run directory. Raises RunDirectoryError when it has no run.json that can be read."""
        return cls(directory, read_run(directory))

    def file(self, name: str, read: Callable[[Path], T]) -> T | None:
        """Read something of one of its files; None when that is absent or broken, which the report then says."""
        path = self.directory / name
        if not path.exists():
            self._lacks(Absence(name, None))
            return None
        try:
            return read(path)
        except (OSError, ValueError, KeyError, pa.ArrowException) as fault:
            self._lacks(Absence(name, (str(fault).splitlines() or [type(fault).__name__])[0][:300]))
            return None

    def _lacks(self, absence: Absence) -> None:
        if absence not in self.absences:  # the same file may be read for several sections
            self.absences.append(absence)

    @cached_property
    def requests(self) -> Requests | None:
        """requests.parquet, reduced to what charts and tables need."""
        return self.file("requests.parquet", lambda path: Requests(path, self.start))

    @cached_property
    def failures(self) -> pd.DataFrame | None:
        """The requests that did not end well, with their messages."""
        requests = self.requests
        return None if requests is None else self.file("requests.parquet", requests.failures)

    @cached_property
    def deliveries(self) -> pd.DataFrame | None:
        """deliveries.parquet."""
        return self.file("deliveries.parquet", lambda path: _read(path, DELIVERIES).to_pandas())

    @cached_property
    def delivery_faults(self) -> pa.Table | None:
        """delivery_faults.parquet; it may be long, so it stays in Arrow's memory."""
        return self.file("delivery_faults.parquet", lambda path: _read(path, DELIVERY_FAULTS))

    @cached_property
    def metrics(self) -> pd.DataFrame | None:
        """metrics.parquet."""
        return self.file("metrics.parquet", lambda path: sound(_read(path, METRICS)).to_pandas())

    @cached_property
    def forecast(self) -> Forecast | None:
        """forecast.json."""
        return self.file("forecast.json", lambda path: Forecast.model_validate_json(path.read_text(encoding="utf-8")))

    @cached_property
    def comparison(self) -> Comparison | None:
        """comparison.json."""
        return self.file(
            "comparison.json", lambda path: Comparison.model_validate_json(path.read_text(encoding="utf-8"))
        )

    @property
    def start(self) -> datetime:
        """The zero of every time axis: the start of the plan, which the load generator's own start precedes."""
        record = self.record
        if record.measuring_from is None:
            return record.started_at
        return record.measuring_from - timedelta(seconds=record.scenario.schedule.measuring_from_s)

    @property
    def window_s(self) -> tuple[float, float] | None:
        """The measuring window, in seconds since the start; None when the run never came to it."""
        record = self.record
        if record.measuring_from is None or record.measuring_until is None:
            return None
        return seconds_since(record.measuring_from, self.start), seconds_since(record.measuring_until, self.start)

    @property
    def length_s(self) -> float:
        """How long time axes are: the plan and the time of leaving after it, or up to an earlier end."""
        planned_s = self.record.scenario.schedule.total_s + LEAVING_S
        if self.record.ended_at is None:
            return planned_s
        return min(planned_s, max(1.0, seconds_since(self.record.ended_at, self.start)))


class Requests:
    """The requests of a run as arrays of equal length, ordered as they were recorded."""

    def __init__(self, path: Path, start: datetime):
        """Read the needed columns of requests.parquet; raises pyarrow's and KeyErrors when it is not one."""
        table = _read(path, REQUESTS, _REQUEST_COLUMNS)
        operation = table["operation"].combine_chunks()
        if isinstance(operation, pa.ChunkedArray):
            operation = pa.concat_arrays(operation.chunks) if operation.num_chunks else pa.array([], pa.string())
        if not pa.types.is_dictionary(operation.type):
            operation = pc.dictionary_encode(operation)
        self.operations: list[str] = operation.dictionary.to_pylist()
        self.operation: np.ndarray = operation.indices.to_numpy(zero_copy_only=False)
        zero_us = round(start.timestamp() * 1e6)
        self.intended_s = (_microseconds(table["intended_start"]) - zero_us) / 1e6
        self.start_s = (_microseconds(table["start"]) - zero_us) / 1e6
        self.raw_ms: np.ndarray = table["latency_ms"].to_numpy()
        self.intended_ms: np.ndarray = table["intended_latency_ms"].to_numpy()
        outcome = pc.cast(table["outcome"], pa.string())
        self.ok: np.ndarray = pc.equal(outcome, "ok").to_numpy()
        self.answered: np.ndarray = pc.not_equal(outcome, "error").to_numpy()

    def __len__(self) -> int:
        return len(self.start_s)

    def failures(self, path: Path) -> pd.DataFrame:
        """Read the rows that did not end well, with their messages, of the file that these requests are of."""
        columns = ["operation", "start", "outcome", "error_type", "error_message", "request_id"]
        names = [name for name in columns if name in column_names(path)]
        table = read_table(path, columns=names)
        failed: pd.DataFrame = table.filter(pc.invert(pa.chunked_array([self.ok]))).to_pandas()
        return failed


def seconds_since(moment: datetime, start: datetime) -> float:
    """Return the seconds between two moments."""
    return (moment - start).total_seconds()


def _read(path: Path, schema: pa.Schema, columns: list[str] | None = None) -> pa.Table:
    """Read a table of a run. Raises ValueError, with the columns that are missing, when it is not one of `schema`."""
    present = column_names(path)
    missing = [name for name in schema.names if name not in present]
    if missing:
        raise ValueError(f"it lacks the columns {', '.join(missing)}")
    return read_table(path, columns=columns)


def _microseconds(column: pa.ChunkedArray) -> np.ndarray:
    microseconds: np.ndarray = pc.cast(pc.cast(column, pa.timestamp("us", tz="UTC")), pa.int64()).to_numpy()
    return microseconds
