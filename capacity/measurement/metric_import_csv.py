"""The CSV that the CloudWatch console downloads for a graph: rows that describe each column, then times and values.

The console's header has changed over the years and has no published format, so any row before the first time is taken
as `name, value, value, ...`, and what it can mean is looked for by its name (confidence low).
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping

from capacity.document import Fault
from capacity.measurement.metric_catalogue import Dimensions
from capacity.measurement.metric_import_series import STATISTICS, ImportedSeries, epoch_s, metric_in

_PAIR = re.compile(r"(TableName|GlobalSecondaryIndexName|Operation|OperationType|Source)\s*[:=]\s*([^,;|\s]+)")
_MAX_COLUMNS = 500


def series_of_csv(text: str, file: str, faults: list[Fault]) -> Iterator[ImportedSeries]:
    """One series per column. Times without a zone are UTC, as the console writes them by default."""
    header: dict[str, list[str]] = {}
    rows: list[tuple[int, float, list[str]]] = []
    reader = csv.reader(io.StringIO(text))
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            at_s = epoch_s(cells[0])
            if at_s is not None and not cells[0].strip().replace(".", "").isdigit():
                rows.append((reader.line_num, at_s, cells[1:]))
            elif rows:
                faults.append(Fault(file, reader.line_num, "", f"{cells[0]!r} is no time like 2026/11/30 13:00:00"))
                return
            else:
                header.setdefault(cells[0].strip().lower().rstrip(":"), cells[1:])
    except csv.Error as fault:
        faults.append(Fault(file, reader.line_num, "", f"is no CSV: {fault}"))
        return
    if not rows:
        faults.append(Fault(file, 1, "", "is neither JSON nor a CSV with times in its first column"))
        return
    columns = max(len(cells) for _, _, cells in rows)
    if columns > _MAX_COLUMNS:
        faults.append(Fault(file, 1, "", f"has {columns:,} columns; the most that are read are {_MAX_COLUMNS}"))
        return
    for column in range(columns):
        points: dict[float, float] = {}
        for line, at_s, cells in rows:
            cell = cells[column].strip().replace(",", "") if column < len(cells) else ""
            if not cell or cell in ("-", "--"):
                continue
            try:
                value = float(cell)
            except ValueError:
                value = math.nan
            if not math.isfinite(value):
                faults.append(Fault(file, line, f"column {column + 2}", f"{cell!r} is no number"))
                return
            points[at_s] = value
        yield _described(file, column, header, points)


def _described(file: str, column: int, header: Mapping[str, list[str]], points: dict[float, float]) -> ImportedSeries:
    told = {name: cells[column].strip() for name, cells in header.items() if column < len(cells)}
    everything = " | ".join(told.values())
    label = told.get("label") or told.get("full label") or everything or f"column {column + 2}"
    period = re.search(r"\d+", told.get("period", ""))
    statistic = told.get("statistic", told.get("stat", ""))
    words = re.findall(r"\w+", everything)
    return ImportedSeries(
        file,
        label,
        metric_in(everything),
        points,
        dimensions=_dimensions(everything),
        statistic=statistic or next((word for word in words if word in STATISTICS), None),
        period_s=int(period.group()) if period is not None else None,
    )


def _dimensions(text: str) -> Dimensions:
    return tuple(dict(_PAIR.findall(text)).items())
