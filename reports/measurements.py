"""CloudWatch's points of a run, by what they are about. No points at all is not the same as zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from reports.run import Run

# Endings of metrics without points for periods in which nothing happened: asked for without an answer, they are zero.
# Source: Amazon CloudWatch metrics for DynamoDB and recorded answers of 2026-09-18.
ABSENCE_MEANS_ZERO = ("ThrottleEvents", "ThrottledRequests")
THROTTLE_CAUSES = ("ProvisionedThroughput", "KeyRangeThroughput", "AccountLimit", "MaxOnDemandThroughput")


@dataclass(frozen=True)
class Points:
    """One metric's sums: seconds since the start of the run, the period, and what each period added up to."""

    time_s: np.ndarray
    values: np.ndarray
    period_s: float

    @property
    def total(self) -> float:
        """Sum of all points; 0 when there are none."""
        return float(self.values.sum())

    @property
    def first_s(self) -> float | None:
        """Start of the first period that is not zero."""
        at = np.flatnonzero(self.values > 0)
        return float(self.time_s[at[0]]) if len(at) else None


def points(run: Run, metric: str, dimensions: str, statistic: str = "Sum") -> Points | None:
    """Return a metric's points; None when it was not asked for, or has none and absence does not mean zero."""
    frame = run.metrics
    if frame is None:
        return None
    mine = frame[(frame["metric"] == metric) & (frame["dimensions"] == dimensions) & (frame["statistic"] == statistic)]
    if mine.empty:
        return None
    period_s = float(mine["period_s"].iloc[0])
    present = mine[mine["value"].notna()].sort_values("timestamp")
    time_s = (present["timestamp"] - pd.Timestamp(run.start)).dt.total_seconds().to_numpy(dtype=float)
    values = present["value"].to_numpy(dtype=float)
    if not metric.endswith(ABSENCE_MEANS_ZERO):
        return Points(time_s, values, period_s) if len(values) else None
    every = frame.loc[frame["period_s"] == period_s, "timestamp"].dropna()
    if every.empty:
        return Points(time_s, values, period_s)
    begin, end = ((moment - pd.Timestamp(run.start)).total_seconds() for moment in (every.min(), every.max()))
    whole_s = np.arange(begin, end + period_s / 2, period_s)
    filled = np.zeros(len(whole_s))
    filled[np.rint((time_s - begin) / period_s).astype(int)] = values
    return Points(whole_s, filled, period_s)


def resources(run: Run) -> list[str]:
    """Return the table (as an empty name) and its indexes, in the order of the layout."""
    frame = run.metrics
    names: list[str] = []
    if frame is not None:
        table = run.record.target.table_name
        for dimensions in frame["dimensions"].astype(str).unique():
            parts = dict(part.split("=", 1) for part in dimensions.split(",") if "=" in part)
            index = parts.get("GlobalSecondaryIndexName")
            if index and parts.get("TableName") == table and index not in names:
                names.append(index)
    return ["", *sorted(names)]


def dimensions_of(run: Run, index: str) -> str:
    """Return the dimensions of the table (empty name) or of an index, as metrics.parquet writes them."""
    table = f"TableName={run.record.target.table_name}"
    return f"GlobalSecondaryIndexName={index},{table}" if index else table
