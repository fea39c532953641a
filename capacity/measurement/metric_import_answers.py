"""Saved answers of `aws cloudwatch get-metric-data` and `get-metric-statistics`, and the queries of the former.

Source: botocore's model of both answers (read 2026-11-30).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from capacity.document import Fault
from capacity.measurement.metric_catalogue import Dimensions
from capacity.measurement.metric_import_series import STATISTICS, ImportedSeries, epoch_s, metric_in


@dataclass(frozen=True)
class Query:
    """What one id of get-metric-data asks for."""

    namespace: str
    metric: str
    dimensions: Dimensions
    statistic: str
    period_s: int | None


def queries_in(content: Any, notes: list[str]) -> dict[str, Query] | None:
    """Queries by id when the file holds queries (the list, or the CLI's input with it); None when it doesn't."""
    listed = content.get("MetricDataQueries") if isinstance(content, Mapping) else content
    if not isinstance(listed, list) or not all(isinstance(each, Mapping) and "Id" in each for each in listed):
        return None
    found = {}
    for each in listed:
        stat = each.get("MetricStat")
        metric = stat.get("Metric") if isinstance(stat, Mapping) else None
        if not isinstance(stat, Mapping) or not isinstance(metric, Mapping):
            notes.append(f"query {each['Id']} is an expression; its result is left out")
            continue
        period = stat.get("Period", each.get("Period"))
        found[str(each["Id"])] = Query(
            str(metric.get("Namespace", "AWS/DynamoDB")),
            str(metric.get("MetricName")),
            tuple((str(pair.get("Name")), str(pair.get("Value"))) for pair in _mappings(metric.get("Dimensions"))),
            str(stat.get("Stat")),
            int(period) if isinstance(period, int | float) and period > 0 else None,
        )
    return found


def series_of_data(
    content: Mapping[str, Any], file: str, queries: Mapping[str, Query], faults: list[Fault], notes: list[str]
) -> Iterator[ImportedSeries]:
    """The series of an answer of get-metric-data; results of one id on several pages are put together."""
    by_id: dict[str, ImportedSeries] = {}
    for result in _mappings(content.get("MetricDataResults")):
        identifier, label = str(result.get("Id", "")), str(result.get("Label", ""))
        if queries and identifier not in queries:
            notes.append(f"{file}: {label or identifier} has no query of this id and is left out")
            continue
        times, values = result.get("Timestamps"), result.get("Values")
        if not isinstance(times, list) or not isinstance(values, list) or len(times) != len(values):
            faults.append(Fault(file, 1, label or identifier, "needs as many Timestamps as Values"))
            continue
        status = result.get("StatusCode", "Complete")
        if status != "Complete":
            notes.append(f"{file}: {label or identifier} is {status}: CloudWatch had not given all points")
        query = queries.get(identifier)
        if identifier not in by_id:
            by_id[identifier] = (
                ImportedSeries(file, label, metric_in(label), {})
                if query is None
                else ImportedSeries(
                    file, label, query.metric, {}, query.namespace, query.dimensions, query.statistic, query.period_s
                )
            )
        _add(by_id[identifier].points, zip(times, values, strict=True), file, label, faults)
    yield from by_id.values()


def series_of_statistics(content: Mapping[str, Any], file: str, faults: list[Fault]) -> Iterator[ImportedSeries]:
    """The series of an answer of get-metric-statistics: one for each statistic that was asked for."""
    label = str(content.get("Label", ""))
    points = list(_mappings(content.get("Datapoints")))
    names = [name for name in STATISTICS if any(name in point for point in points)]
    extended = dict.fromkeys(name for point in points for name in _extended(point))
    for name in (*names, *extended):
        series = ImportedSeries(file, label, metric_in(label), {}, statistic=name)
        values = [(point.get("Timestamp"), point.get(name, _extended(point).get(name))) for point in points]
        pairs = [(time, value) for time, value in values if value is not None]
        _add(series.points, iter(pairs), file, label, faults)
        yield series
    if not points:
        yield ImportedSeries(file, label, metric_in(label), {})


def _add(
    points: dict[float, float], pairs: Iterator[tuple[Any, Any]], file: str, label: str, faults: list[Fault]
) -> None:
    for time, value in pairs:
        at_s = epoch_s(time)
        number = float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan
        if at_s is None or not math.isfinite(number):
            faults.append(Fault(file, 1, label, f"{time!r}: {value!r} is no point; expected a time and a number"))
            return  # one fault of a series is enough
        points[at_s] = number


def _extended(point: Mapping[str, Any]) -> Mapping[str, Any]:
    """Percentiles of a point by name."""
    given = point.get("ExtendedStatistics")
    return given if isinstance(given, Mapping) else {}


def _mappings(content: Any) -> Iterator[Mapping[str, Any]]:
    return (each for each in content if isinstance(each, Mapping)) if isinstance(content, list) else iter(())
