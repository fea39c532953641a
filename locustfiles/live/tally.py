"""Counts of requests by operation, taken from the rows that a process writes anyway: nothing is added to a request.

A row of counts is SENT, REFUSED, FAILED, THROTTLED, the sums of both latencies in milliseconds, then a histogram of the
latency from the intended start and one of the raw latency. Rows add up: over time, operations and processes.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from capacity.workloads.sent_rows import is_throttle

EDGES_MS = np.geomspace(0.1, 100_000.0, 241)
"""Upper edges of the histograms' bins, 40 per decade: a percentile is right to 6 %. One more holds the rest."""
SENT, REFUSED, FAILED, THROTTLED, INTENDED_MS, RAW_MS = range(6)
_BINS = len(EDGES_MS) + 1
INTENDED, RAW = slice(6, 6 + _BINS), slice(6 + _BINS, 6 + 2 * _BINS)
WIDTH = 6 + 2 * _BINS

Counts = NDArray[np.float64]


class Tally:
    """Counts of one process, or of several added up; `rows` has one row per operation, growing from the start."""

    def __init__(self) -> None:
        self.rows: dict[str, Counts] = {}

    def add_batch(self, batch: pa.RecordBatch) -> None:
        """Count the requests of a batch of requests.parquet's schema."""
        names = batch["operation"].dictionary.to_pylist()
        operation = batch["operation"].indices.to_numpy(zero_copy_only=False)
        for name in names:
            self.rows.setdefault(name, np.zeros(WIDTH))
        width = len(names)
        sent = np.bincount(operation, minlength=width)
        answered = pc.not_equal(batch["outcome"].cast(pa.string()), "error").to_numpy(zero_copy_only=False)
        sums = []
        for column in ("intended_latency_ms", "latency_ms"):
            latency = batch[column].to_numpy()[answered]
            place = np.searchsorted(EDGES_MS, latency)
            bins = np.bincount(operation[answered] * _BINS + place, minlength=width * _BINS).reshape(width, _BINS)
            sums.append((np.bincount(operation[answered], latency, minlength=width), bins))
        for number, name in enumerate(names):
            row = self.rows[name]
            row[SENT] += sent[number]
            for (total, bins), at, where in zip(sums, (INTENDED_MS, RAW_MS), (INTENDED, RAW), strict=True):
                row[at] += total[number]
                row[where] += bins[number]
        self._add_faults(batch)

    def _add_faults(self, batch: pa.RecordBatch) -> None:
        faulty = batch.filter(pc.not_equal(batch["outcome"].cast(pa.string()), "ok"))
        columns = (faulty[name].to_pylist() for name in ("operation", "outcome", "error_type", "error_message"))
        for name, outcome, error, message in zip(*columns, strict=True):
            row = self.rows[name]
            row[REFUSED if outcome == "refused" else FAILED] += 1
            row[THROTTLED] += is_throttle(error, message)

    def add(self, rows: dict[str, Iterable[float]]) -> None:
        """Add rows of another tally or process. Raises ValueError for rows of another width."""
        for name, row in rows.items():
            values = np.asarray(row, dtype=np.float64)
            if values.shape != (WIDTH,):
                raise ValueError(f"{name}: a row of {values.size} counts, expected {WIDTH}")
            self.rows[name] = self.rows.get(name, np.zeros(WIDTH)) + values

    def message(self) -> dict[str, list[float]]:
        """The rows as Locust's messages carry them."""
        return {name: row.tolist() for name, row in self.rows.items()}

    def of(self, operation: str | None) -> Counts:
        """The counts of one operation, or of all; zeros for one that was not sent."""
        if operation is not None:
            return self.rows.get(operation, np.zeros(WIDTH))
        return np.sum(list(self.rows.values()), axis=0) if self.rows else np.zeros(WIDTH)

    def copy(self) -> Tally:
        """The counts as they are now."""
        other = Tally()
        other.rows = {name: row.copy() for name, row in self.rows.items()}
        return other

    def since(self, earlier: Tally) -> Tally:
        """What was counted since `earlier`."""
        other = Tally()
        other.rows = {name: row - earlier.of(name) for name, row in self.rows.items()}
        return other


def quantile_ms(histogram: Counts, share: float) -> tuple[float, float] | None:
    """The edges of the bin that holds a quantile, in ms; None for an empty histogram."""
    total = histogram.sum()
    if not total:
        return None
    place = int(np.searchsorted(np.cumsum(histogram), share * total))
    lower = float(EDGES_MS[place - 1]) if place else 0.0
    return lower, float(EDGES_MS[place]) if place < len(EDGES_MS) else float("inf")
