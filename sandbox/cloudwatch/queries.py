"""GetMetricData: up to 500 queries in one call, answered in pages."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass, field
from typing import Any

import orjson

from sandbox.cloudwatch import fields
from sandbox.cloudwatch.encoding import Instant
from sandbox.cloudwatch.errors import CloudWatchError, missing, validation
from sandbox.cloudwatch.fields import Fields
from sandbox.cloudwatch.statistic import Statistic, check_period, statistic
from sandbox.cloudwatch.store import Dimensions, MetricStore

MAX_QUERIES = 500
MAX_DATAPOINTS = 100_800
_ID = re.compile(r"[a-z][a-zA-Z0-9_]{0,254}")


@dataclass(frozen=True)
class Query:
    """One metric and statistic that is asked for."""

    id: str
    label: str
    namespace: str
    metric: str
    dimensions: Dimensions
    period_s: int
    statistic_name: str
    statistic: Statistic = field(repr=False)
    unit: str | None
    returned: bool

    @staticmethod
    def of(entry: Fields, place: int) -> Query:
        """Check one MetricDataQuery."""
        where = f"MetricDataQueries.member.{place}."
        query_id = fields.text(entry, "Id", where)
        if not _ID.fullmatch(query_id):
            raise validation(
                f"The value {query_id[:60]!r} for parameter {where}Id is invalid: it must begin with a lower-case "
                f"letter and hold letters, digits and underscores. Example: writes_1."
            )
        if entry.get("Expression") is not None:
            raise validation(
                f"{where}Expression: metric math is not offered by this sandbox. Ask for the metrics themselves with "
                f"MetricStat and calculate on their values."
            )
        stat = fields.structure(entry, "MetricStat", where)
        if stat is None:
            raise validation(f"{where}MetricStat is required.")
        where += "MetricStat."
        metric = fields.structure(stat, "Metric", where)
        if metric is None:
            raise missing(f"{where}Metric")
        name = fields.text(metric, "MetricName", f"{where}Metric.")
        return Query(
            id=query_id,
            label=fields.optional_text(entry, "Label") or name,
            namespace=fields.text(metric, "Namespace", f"{where}Metric."),
            metric=name,
            dimensions=fields.dimensions(metric, f"{where}Metric."),
            period_s=check_period(fields.whole(stat, "Period", where), f"{where}Period"),
            statistic_name=fields.text(stat, "Stat", where),
            statistic=statistic(fields.text(stat, "Stat", where)),
            unit=fields.optional_text(stat, "Unit", where),
            returned=fields.flag(entry, "ReturnData", True),
        )


def time_range(request: Fields) -> tuple[float, float]:
    """StartTime and EndTime. Raises when the range is empty."""
    start_s = fields.instant_s(request, "StartTime")
    end_s = fields.instant_s(request, "EndTime")
    if start_s >= end_s:
        raise validation("The parameter StartTime must be less than the parameter EndTime.")
    return start_s, end_s


def get_metric_data(store: MetricStore, request: Fields, late_s: float = 0.0, page_points: int = 0) -> dict[str, Any]:
    """Answer GetMetricData. late_s and page_points are faults: see CloudWatchFaults."""
    queries = _queries(request)
    start_s, end_s = time_range(request)
    scan_by = fields.optional_text(request, "ScanBy") or "TimestampDescending"
    if scan_by not in ("TimestampDescending", "TimestampAscending"):
        raise validation(
            f"The value {scan_by[:60]} for parameter ScanBy is neither TimestampDescending nor -Ascending."
        )
    room = MAX_DATAPOINTS
    if request.get("MaxDatapoints") is not None:
        room = fields.whole(request, "MaxDatapoints")
        if not 1 <= room <= MAX_DATAPOINTS:
            raise validation(f"The parameter MaxDatapoints must be from 1 to {MAX_DATAPOINTS}; it is {room}.")
    if page_points:
        room = min(room, page_points)

    digest = _digest(queries, start_s, end_s, scan_by)
    first, after_s = _position(fields.optional_text(request, "NextToken"), digest)
    results: list[dict[str, Any]] = []
    for place in range(first, len(queries)):
        query = queries[place]
        if not query.returned:
            continue
        points = _points(store, query, start_s, end_s, late_s, scan_by == "TimestampDescending")
        if place == first and after_s is not None:
            points = [point for point in points if (point[0] < after_s) == (scan_by == "TimestampDescending")
                      and point[0] != after_s]  # fmt: skip
        if room == 0 and points:
            return {"MetricDataResults": results, "NextToken": _token(digest, place, None), "Messages": []}
        shown = points[:room]
        room -= len(shown)
        whole = len(shown) == len(points)
        results.append(
            {
                "Id": query.id,
                "Label": query.label,
                "Timestamps": [Instant(time_s) for time_s, _ in shown],
                "Values": [value for _, value in shown],
                "StatusCode": "Complete" if whole else "PartialData",
            }
        )
        if not whole:
            token = _token(digest, place, shown[-1][0])
            return {"MetricDataResults": results, "NextToken": token, "Messages": []}
    return {"MetricDataResults": results, "Messages": []}


def _queries(request: Fields) -> list[Query]:
    entries = fields.entries(request, "MetricDataQueries", MAX_QUERIES)
    if not entries:
        raise missing("MetricDataQueries")
    queries = [Query.of(entry, place) for place, entry in enumerate(entries, 1)]
    ids = [query.id for query in queries]
    if len(set(ids)) != len(ids):
        twice = next(each for each in ids if ids.count(each) > 1)
        raise validation(
            f"The values for parameter id in MetricDataQueries are not unique: {twice[:60]!r} occurs twice."
        )
    return queries


def _points(
    store: MetricStore, query: Query, start_s: float, end_s: float, late_s: float, newest_first: bool
) -> list[tuple[int, float]]:
    points = []
    for time_s, point in store.read_all(
        query.namespace, query.metric, query.dimensions, query.unit, start_s, end_s, query.period_s, late_s
    ):
        value = query.statistic(point)
        if value is not None:
            points.append((time_s, float(value)))
    points.sort(reverse=newest_first)
    return points


def _digest(*asked: object) -> str:
    # A token belongs to its request; only MaxDatapoints may change between pages.
    return hashlib.sha256(repr(asked).encode("utf-8", "replace")).hexdigest()[:16]


def _token(digest: str, place: int, after_s: int | None) -> str:
    return base64.urlsafe_b64encode(orjson.dumps([digest, place, after_s])).decode()


def _position(token: str | None, digest: str) -> tuple[int, int | None]:
    if token is None:
        return 0, None
    try:
        content = orjson.loads(base64.urlsafe_b64decode(token))
        made_for, place, after_s = content
        if (
            made_for == digest
            and isinstance(place, int)
            and 0 <= place < MAX_QUERIES
            and isinstance(after_s, int | None)
        ):
            return place, after_s
    except (binascii.Error, ValueError, TypeError):
        pass
    raise CloudWatchError("InvalidNextToken", "The NextToken is invalid for this request.")
