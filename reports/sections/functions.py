"""Lambda functions behind the target: invocations, errors, throttles and durations, as CloudWatch counted them."""

from __future__ import annotations

import pandas as pd

from capacity.measurement.metric_catalogue import total
from capacity.run_tables import dimension_text
from reports.document import Cell, Section, Table
from reports.numbers import UNKNOWN, count, number
from reports.run import Run
from reports.wording import Wording

_NAMESPACE = "AWS/Lambda"
_COUNTS = ("Invocations", "Errors", "Throttles")
_DURATIONS = ("Average", "p99", "Maximum")


def section(run: Run, say: Wording) -> Section | None:
    """One row per function; None when the run names none, or has no metrics."""
    metrics, names = run.metrics, run.record.target.function_names
    if metrics is None or not names:
        return None
    rows: list[list[Cell | str]] = []
    refused = 0.0
    for name in names:
        sums = [total(metrics, _NAMESPACE, metric, {"FunctionName": name}) for metric in _COUNTS]
        refused += (sums[1] or 0.0) + (sums[2] or 0.0)
        cells = [_cell(figure, bad=place > 0 and bool(figure)) for place, figure in enumerate(sums)]
        times = [_duration_ms(metrics, name, statistic) for statistic in _DURATIONS]
        rows.append([name, *cells, *(UNKNOWN if each is None else number(each) for each in times)])
    keys = ("name", "invocations", "errors", "throttles", "mean", "p99", "max")
    lead = say("functions.lead") if not refused else say("functions.lead_refused", count=count(round(refused)))
    table = Table([say(f"functions.{key}") for key in keys], rows, numeric=(1, 2, 3, 4, 5, 6))
    return Section("functions", say("functions.title"), lead, [table])


def _cell(figure: float | None, bad: bool) -> Cell:
    if figure is None:
        return Cell(UNKNOWN, "unknown")
    return Cell(count(round(figure)), "bad" if bad else "")


def _duration_ms(metrics: pd.DataFrame, name: str, statistic: str) -> float | None:
    """The mean of the periods' means, or the largest of their p99 and maxima: periods are not weighted by calls."""
    mine = metrics[
        (metrics["namespace"].astype(str) == _NAMESPACE)
        & (metrics["metric"].astype(str) == "Duration")
        & (metrics["statistic"].astype(str) == statistic)
        & (metrics["dimensions"].astype(str) == dimension_text([("FunctionName", name)]))
    ]["value"].dropna()
    if mine.empty:
        return None
    return float(mine.mean() if statistic == "Average" else mine.max())
