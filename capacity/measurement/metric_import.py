"""CloudWatch data that somebody already has, as rows of metrics.parquet: answers of the AWS CLI and the console's CSV.

An answer of get-metric-data names its series by the caller's ids alone; the file of its --metric-data-queries says what
they are. An answer of get-metric-statistics names the metric and no dimensions; the caller says whose it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from capacity.document import DocumentError, Fault, read_text
from capacity.measurement.metric_import_answers import Query, queries_in, series_of_data, series_of_statistics
from capacity.measurement.metric_import_csv import series_of_csv
from capacity.measurement.metric_import_series import ImportedSeries, Whose, finished
from capacity.measurement.metric_reading import metrics_frame
from capacity.run_tables import METRICS, dimension_text, read_table

MAX_FILE_BYTES = 64 * 1024 * 1024
_EXPECTED = (
    "is no CloudWatch data; expected an answer of get-metric-data (MetricDataResults) or of get-metric-statistics "
    "(Datapoints), its queries (MetricStat), or the console's CSV"
)


class MetricImportError(DocumentError):
    """Files that are no CloudWatch data, or data that can't be placed. `faults` holds all of them."""


@dataclass(frozen=True)
class Imported:
    """`metrics`: rows as in metrics.parquet. `notes`: what was guessed or left out, in sentences."""

    metrics: pd.DataFrame
    notes: tuple[str, ...]


def import_metrics(paths: Sequence[Path], whose: Whose) -> Imported:
    """Read files of any of the forms; `whose` fills in what they leave open.

    Raises MetricImportError with every fault of every file.
    """
    faults: list[Fault] = []
    notes: list[str] = []
    answers: list[tuple[str, Any]] = []
    queries: dict[str, Query] = {}
    series: list[ImportedSeries] = []
    for path in paths:
        try:
            text = read_text(path, MAX_FILE_BYTES)
        except DocumentError as error:
            faults += error.faults
            continue
        if text.lstrip()[:1] not in ("{", "["):
            series += series_of_csv(text, str(path), faults)
            continue
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as fault:
            faults.append(Fault(str(path), getattr(fault, "lineno", 1), "", f"is not JSON: {fault}"))
            continue
        found = queries_in(content, notes)
        if found is None:
            answers.append((str(path), content))
        else:
            queries |= found
    for file, content in answers:
        if isinstance(content, Mapping) and "MetricDataResults" in content:
            series += series_of_data(content, file, queries, faults, notes)
        elif isinstance(content, Mapping) and "Datapoints" in content:
            series += series_of_statistics(content, file, faults)
        else:
            faults.append(Fault(file, 1, "", _EXPECTED))
    whole = [done for each in series if (done := finished(each, whose, faults, notes)) is not None]
    if faults:
        raise MetricImportError(faults)
    return Imported(_frame(whole), tuple(dict.fromkeys(notes)))


def read_metrics(folder: Path) -> pd.DataFrame:
    """The rows of a folder's metrics.parquet. Raises ValueError, with how to make it, when there is none."""
    path = folder / "metrics.parquet"
    if not path.exists():
        raise ValueError(
            f"{folder} has no metrics.parquet; make it, as in meshcap import-metrics a.json --table posts -o {folder}"
        )
    try:
        frame: pd.DataFrame = read_table(path).to_pandas()
    except pa.lib.ArrowException as fault:
        raise ValueError(f"{path} is no Parquet file: {fault}") from None
    return frame


def merged(old: pd.DataFrame, new: pd.DataFrame) -> pd.DataFrame:
    """Both readings together; where both have a point, the new one counts."""
    names = ["namespace", "metric", "dimensions", "statistic"]
    plain = [frame.astype(dict.fromkeys(names, "str")) for frame in (old, new)]
    both = pd.concat(plain, ignore_index=True).drop_duplicates([*names, "period_s", "timestamp"], keep="last")
    return both.astype(dict.fromkeys(names, "category")).reset_index(drop=True)


def _frame(series: Sequence[ImportedSeries]) -> pd.DataFrame:
    rows: list[tuple[str, str | None, str, str | None, int | None, float | None, float | None]] = [
        (each.namespace, each.metric, dimension_text(each.dimensions), each.statistic, each.period_s, at_s, value)
        for each in series
        for at_s, value in _points(each)
    ]
    return metrics_frame(rows).drop_duplicates(METRICS.names[:6], keep="last").reset_index(drop=True)


def _points(series: ImportedSeries) -> list[tuple[float | None, float | None]]:
    """In order of time; a series without points has one row without a value."""
    return [*sorted(series.points.items())] or [(None, None)]
