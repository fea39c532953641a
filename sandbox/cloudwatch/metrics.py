"""GetMetricStatistics, ListMetrics and PutMetricData."""

from __future__ import annotations

import base64
import binascii
import random
from typing import Any

from sandbox.cloudwatch import fields
from sandbox.cloudwatch.encoding import Instant
from sandbox.cloudwatch.errors import CloudWatchError, contradictory, invalid, missing
from sandbox.cloudwatch.fields import Fields
from sandbox.cloudwatch.statistic import check_period, statistic
from sandbox.cloudwatch.store import MetricStore, Point

_MAX_STATISTICS_POINTS = 1_440
_METRICS_PER_PAGE = 500
_LISTED_FOR_S = 14 * 86_400
_SIMPLE = ("SampleCount", "Average", "Sum", "Minimum", "Maximum")
# API reference, StandardUnit
_SIZES = [f"{scale}{what}" for what in ("bytes", "bits") for scale in ("", "kilo", "mega", "giga", "tera")]
UNITS = frozenset(
    ["Seconds", "Microseconds", "Milliseconds", "Percent", "Count", "Count/Second", "None"]
    + [size.capitalize() for size in _SIZES]
    + [f"{size.capitalize()}/Second" for size in _SIZES]
)


def get_metric_statistics(store: MetricStore, request: Fields, late_s: float = 0.0) -> dict[str, Any]:
    """Answer GetMetricStatistics; data points come in no order, as on AWS."""
    namespace = fields.text(request, "Namespace")
    metric = fields.text(request, "MetricName")
    dimensions = fields.dimensions(request)
    start_s = fields.instant_s(request, "StartTime")
    end_s = fields.instant_s(request, "EndTime")
    if start_s >= end_s:
        raise contradictory("The parameter StartTime must be less than the parameter EndTime.")
    period_s = check_period(fields.whole(request, "Period"))
    unit = fields.optional_text(request, "Unit")
    simple = fields.values(request, "Statistics", 5)
    extended = fields.values(request, "ExtendedStatistics", 10)
    if bool(simple) == bool(extended):
        raise contradictory("Specify either Statistics or ExtendedStatistics, and not both.")
    for name in simple:
        if name not in _SIMPLE:
            raise invalid(f"The value {str(name)[:60]} for parameter Statistics is not one of {', '.join(_SIMPLE)}.")
    asked = {str(name): statistic(str(name)) for name in (*simple, *extended)}
    possible = int((end_s - start_s) // period_s)
    if possible > _MAX_STATISTICS_POINTS:
        raise contradictory(
            f"You have requested up to {possible:,} datapoints, which exceeds the limit of {_MAX_STATISTICS_POINTS:,}. "
            f"You may reduce the datapoints requested by increasing Period, or decreasing the time range."
        )
    points: list[dict[str, Any]] = []
    for series in store.find(namespace, metric, dimensions, unit):
        for time_s, point in store.read(series, start_s, end_s, period_s, late_s):
            values = {name: function(point) for name, function in asked.items()}
            known = {name: float(value) for name, value in values.items() if value is not None}
            shown: dict[str, Any] = {"ExtendedStatistics": known} if extended else known
            points.append({"Timestamp": Instant(time_s), "Unit": series.unit, **shown})
    random.Random(len(points)).shuffle(points)
    return {"Label": metric, "Datapoints": points}


def list_metrics(store: MetricStore, request: Fields) -> dict[str, Any]:
    """Answer ListMetrics: metrics with a value in the last two weeks, 500 to a page."""
    namespace = fields.optional_text(request, "Namespace")
    metric = fields.optional_text(request, "MetricName")
    recent = fields.optional_text(request, "RecentlyActive")
    if recent not in (None, "PT3H"):
        raise invalid(f"The value {str(recent)[:60]} for parameter RecentlyActive is not PT3H.")
    wanted: list[tuple[str, str | None]] = []
    for place, entry in enumerate(fields.entries(request, "Dimensions", 10), 1):
        where = f"Dimensions.member.{place}."
        wanted.append((fields.text(entry, "Name", where), fields.optional_text(entry, "Value", where)))
    newest_s = store.clock() - (3 * 3600 if recent else _LISTED_FOR_S)
    found = sorted(
        {
            (series.namespace, series.metric, series.dimensions)
            for series in store.all()
            if (namespace is None or series.namespace == namespace)
            and (metric is None or series.metric == metric)
            and (series.touched_s >= newest_s or series.open_point() is not None)
            and all(_has(dict(series.dimensions), name, value) for name, value in wanted)
        }
    )
    token = fields.optional_text(request, "NextToken")
    start = _start(token)
    page = found[start : start + _METRICS_PER_PAGE]
    answer: dict[str, Any] = {
        "Metrics": [
            {
                "Namespace": each_namespace,
                "MetricName": name,
                "Dimensions": [{"Name": key, "Value": value} for key, value in dimensions],
            }
            for each_namespace, name, dimensions in page
        ]
    }
    if start + _METRICS_PER_PAGE < len(found):
        answer["NextToken"] = base64.urlsafe_b64encode(str(start + _METRICS_PER_PAGE).encode()).decode()
    return answer


def _has(dimensions: dict[str, str], name: str, value: str | None) -> bool:
    return name in dimensions and (value is None or dimensions[name] == value)


def _start(token: str | None) -> int:
    if token is None:
        return 0
    try:
        start = int(base64.urlsafe_b64decode(token))
        if 0 < start < 1_000_000_000:
            return start
    except (binascii.Error, ValueError):
        pass
    raise invalid("The value for parameter NextToken is not one that ListMetrics returned.")


def put_metric_data(store: MetricStore, request: Fields) -> dict[str, Any]:
    """Answer PutMetricData; nothing is stored when one datum is wrong."""
    namespace = fields.text(request, "Namespace")
    if namespace.startswith("AWS/"):
        raise invalid(f"The value {namespace[:100]} for parameter Namespace is invalid: AWS/ is reserved.")
    data = [
        (f"MetricData.member.{at}.", each) for at, each in enumerate(fields.entries(request, "MetricData", 1000), 1)
    ]
    for place, entity in enumerate(fields.entries(request, "EntityMetricData", 2), 1):
        where = f"EntityMetricData.member.{place}."
        inner = fields.entries(entity, "MetricData", 1000, where)
        data += [(f"{where}MetricData.member.{at}.", each) for at, each in enumerate(inner, 1)]
    if not data:
        raise missing("MetricData")
    ready = [_datum(store, datum, where) for where, datum in data]
    if not store.has_room([point for *_, point in ready]):
        raise CloudWatchError(
            "LimitExceeded", "This sandbox keeps no more metric data; restart it, or put fewer values."
        )
    for metric, dimensions, unit, resolution_s, time_s, point in ready:
        store.put(namespace, metric, dimensions, unit, resolution_s, time_s, point)
    return {}


def _datum(
    store: MetricStore, datum: Fields, where: str
) -> tuple[str, tuple[tuple[str, str], ...], str, int, float, Point]:
    now_s = store.clock()
    time_s = now_s if datum.get("Timestamp") is None else fields.instant_s(datum, "Timestamp", where)
    if not now_s - _LISTED_FOR_S <= time_s <= now_s + 2 * 3600:
        raise invalid(f"The parameter {where}Timestamp must be at most two weeks past and two hours ahead.")
    unit = fields.optional_text(datum, "Unit", where) or "None"
    if unit not in UNITS:
        raise invalid(f"The value {unit[:60]} for parameter {where}Unit is not a unit; examples: Count, Milliseconds.")
    resolution_s = 60 if datum.get("StorageResolution") is None else fields.whole(datum, "StorageResolution", where)
    if resolution_s not in (1, 60):
        raise invalid(f"The value {resolution_s} for parameter {where}StorageResolution is neither 1 nor 60.")
    return (
        fields.text(datum, "MetricName", where),
        fields.dimensions(datum, where),
        unit,
        resolution_s,
        time_s,
        _point(datum, where),
    )


def _point(datum: Fields, where: str) -> Point:
    forms = [name for name in ("Value", "Values", "StatisticValues") if datum.get(name) is not None]
    if not forms:
        raise missing(f"{where}Value")
    if len(forms) > 1:
        raise contradictory(f"The parameters {' and '.join(where + name for name in forms)} are mutually exclusive.")
    if forms == ["Value"]:
        return Point.of({fields.number(datum["Value"], f"{where}Value"): 1.0})
    if forms == ["Values"]:
        return _counted(datum, where)
    statistics = fields.structure(datum, "StatisticValues", where) or {}
    here = f"{where}StatisticValues."
    for name in ("SampleCount", "Sum", "Minimum", "Maximum"):
        if statistics.get(name) is None:
            raise missing(here + name)
    samples, total, minimum, maximum = (
        fields.number(statistics[name], here + name) for name in ("SampleCount", "Sum", "Minimum", "Maximum")
    )
    if samples <= 0:
        raise invalid(f"The value {samples} for parameter {here}SampleCount must be greater than 0.")
    if minimum > maximum:
        raise invalid(f"The parameter {here}Minimum is greater than the parameter {here}Maximum.")
    return Point(total, samples, minimum, maximum)


def _counted(datum: Fields, where: str) -> Point:
    values = [fields.number(each, f"{where}Values") for each in fields.values(datum, "Values", 150, where)]
    counts = [fields.number(each, f"{where}Counts") for each in fields.values(datum, "Counts", 150, where)]
    counts = counts or [1.0] * len(values)
    if not values:
        raise missing(f"{where}Values")
    if len(values) != len(counts):
        raise contradictory(f"{where}Values and {where}Counts differ in length: {len(values)} and {len(counts)}.")
    if min(counts) <= 0:
        raise invalid(f"The value {min(counts)} for parameter {where}Counts must be greater than 0.")
    table: dict[float, float] = {}
    for value, count in zip(values, counts, strict=True):
        table[value] = table.get(value, 0.0) + count
    return Point.of(table)


def unknown_operation(name: str) -> CloudWatchError:
    """The answer to an operation that this sandbox does not offer."""
    return CloudWatchError(
        "InvalidAction",
        f"The operation {name[:60]!r} is not offered by this sandbox, which has GetMetricData, GetMetricStatistics, "
        f"ListMetrics and PutMetricData.",
    )
