"""Reading CloudWatch: from AWS and from the sandbox alike, by GetMetricData, into the rows of metrics.parquet.

A reading waits for late points. It asks at 10 s first, which the sandbox and high-resolution metrics answer, and at
60 s where 10 s gives nothing. A minute reaches further beyond the run than ten seconds do, so points of 10 s that come
late take the place of those of 60 s. It ends when what was measured reaches what is known to have been sent, or when
nothing has changed for a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import boto3
import botocore.exceptions as boto_faults
from botocore.config import Config
from botocore.parsers import ResponseParserError

from capacity.measurement.metric_catalogue import MetricQuery
from capacity.measurement.metric_reading import (
    Ending,
    Expectation,
    Patience,
    Reading,
    Series,
    frame_of,
    missing_from,
    notes_on,
    period_of_namespace,
)
from capacity.steady_clock import now_s

__all__ = [
    "CloudWatchDenied",
    "CloudWatchError",
    "CloudWatchReader",
    "CloudWatchUnavailable",
    "Expectation",
    "Patience",
    "Reading",
    "cloudwatch_client",
]

QUERIES_PER_CALL = 500
"""GetMetricData takes at most so many (API reference, 2026-11-30)."""
_HOUR_S = 3600.0
_DAY_S = 86_400.0
# Periods that CloudWatch still serves for points younger than so many seconds (metrics retention, 2026-11-30).
_SERVED: tuple[tuple[float, tuple[int, ...]], ...] = (
    (3 * _HOUR_S, (10, 60)),
    (15 * _DAY_S, (60,)),
    (63 * _DAY_S, (300,)),
    (455 * _DAY_S, (3600,)),
)
_RETRIED_CODES = frozenset(
    ["Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequestsException", "ServiceUnavailable",
     "InternalServiceError", "InternalServiceFault", "InternalFailure", "LimitExceededException"]
)  # fmt: skip
_DENIED_CODES = frozenset(
    ["AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "ExpiredToken", "ExpiredTokenException",
     "InvalidClientTokenId", "UnrecognizedClientException", "SignatureDoesNotMatch", "InvalidSignatureException"]
)  # fmt: skip
_ATTEMPTS = 8
_ATTEMPTS_OUT_OF_REACH = 3
"""At least so many while nobody answers; more as long as patience lasts."""
_LONGEST_WAIT_S = 20.0


class CloudWatchError(Exception):
    """CloudWatch cannot be read; the message is a sentence for the user."""


class CloudWatchDenied(CloudWatchError):
    """The credentials do not permit it."""


class CloudWatchUnavailable(CloudWatchError):
    """Nobody answers, or answers are refused for too long."""


def cloudwatch_client(region: str, endpoint_url: str | None = None) -> Any:
    """A client whose retries are left to the reader. AWS_PROFILE and AWS_ENDPOINT_URL_CLOUDWATCH work as ever."""
    try:
        return boto3.client(
            "cloudwatch",
            region_name=region,
            endpoint_url=endpoint_url,
            config=Config(retries={"total_max_attempts": 1}, connect_timeout=10, read_timeout=60),
        )
    except boto_faults.BotoCoreError as fault:
        raise CloudWatchError(f"CloudWatch cannot be used: {fault}") from fault


class CloudWatchReader:
    """Asks one client. sleep and clock (epoch seconds) are given by tests."""

    def __init__(
        self,
        client: Any,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = now_s,
    ) -> None:
        self._client = client
        self._sleep = sleep
        self._clock = clock
        self.asked_metrics = 0
        self._give_up_s = float("inf")

    def read(
        self,
        queries: Sequence[MetricQuery],
        start_s: float,
        end_s: float,
        *,
        expected: Sequence[Expectation] = (),
        patience: Patience | None = None,
        finest_period_s: int = 10,
    ) -> Reading:
        """Read the series between two epoch seconds; the range is widened to whole periods, none below the finest.

        Raises CloudWatchDenied, CloudWatchUnavailable or CloudWatchError, each with a sentence for the user, and
        ValueError for an empty range.
        """
        if not start_s < end_s:
            raise ValueError(f"start_s {start_s} is not before end_s {end_s}")
        patience = patience or Patience()
        series = [Series(query, statistic) for query in queries for statistic in query.statistics]
        began_s = changed_s = self._clock()
        self._give_up_s = began_s + patience.total_s
        periods = tuple(each for each in served_periods(began_s - start_s) if each >= finest_period_s)
        asked_before = self.asked_metrics
        before: object = None
        ended: Ending
        while True:
            self._ask_all(series, periods, start_s, end_s)
            now_s = self._clock()
            whole = all(each.status == "Complete" for each in series)
            now = [(each.period_s, each.points) for each in series]
            if now != before:
                before, changed_s = [(period_s, dict(points)) for period_s, points in now], now_s
            arrived = expected and whole and not missing_from(series, expected)
            # Coarser periods may hold others' traffic: what they reach says nothing before finer points had their time.
            finest = all(each.period_s in (None, periods[0]) for each in series) if periods else True
            if arrived and finest and now_s - changed_s >= patience.confirm_s:
                ended = "complete"
                break
            if any(each.points for each in series) and now_s - changed_s >= patience.settle_s:
                ended = "settled"
                break
            if now_s - began_s + patience.interval_s > patience.total_s:
                ended = "out of patience"
                break
            self._sleep(patience.interval_s)
        return Reading(
            metrics=frame_of(series, periods),
            ended=ended,
            waited_s=self._clock() - began_s,
            asked_metrics=self.asked_metrics - asked_before,
            notes=notes_on(series, periods, expected),
        )

    def _ask_all(self, series: list[Series], periods: tuple[int, ...], start_s: float, end_s: float) -> None:
        """Ask every series at each period in turn until one gives points, from the finest each time: a coarser one may
        have answered only because its finer points were late. A namespace publishes all its metrics at one period."""
        for period_s in periods:
            self._ask([each for each in series if _open_at(period_s, each, series)], period_s, start_s, end_s)
        for each in series:
            finest_s = period_of_namespace(series, each.query.namespace)
            if each.period_s and finest_s and each.period_s > finest_s:
                each.period_s, each.points = None, {}

    def _ask(self, series: list[Series], period_s: int, start_s: float, end_s: float) -> None:
        first_s = start_s // period_s * period_s
        last_s = -(-end_s // period_s) * period_s
        for place in range(0, len(series), QUERIES_PER_CALL):
            batch = {f"q{number}": each for number, each in enumerate(series[place : place + QUERIES_PER_CALL])}
            for identifier, (points, status) in self._call(batch, period_s, first_s, last_s).items():
                each = batch[identifier]
                each.status = status
                if points:
                    whole = status == "Complete" or each.period_s != period_s
                    each.points = points if whole else {**each.points, **points}
                    each.period_s = period_s

    def _call(
        self, batch: Mapping[str, Series], period_s: int, start_s: float, end_s: float
    ) -> dict[str, tuple[dict[float, float], str]]:
        """One GetMetricData with all its pages; an id that comes on several pages is put together."""
        request: dict[str, Any] = {
            "MetricDataQueries": [_query(identifier, each, period_s) for identifier, each in batch.items()],
            "StartTime": datetime.fromtimestamp(start_s, UTC),
            "EndTime": datetime.fromtimestamp(end_s, UTC),
            "ScanBy": "TimestampAscending",
        }
        points: dict[str, dict[float, float]] = {identifier: {} for identifier in batch}
        # An id that no page mentions was not answered: nothing is known of it, which is not the same as no points.
        status = dict.fromkeys(batch, "PartialData")
        while True:
            answer = self._patiently(request)
            self.asked_metrics += len(batch)
            for result in answer["MetricDataResults"]:
                identifier = result["Id"]
                if identifier not in points:
                    continue
                for at, value in zip(result.get("Timestamps", ()), result.get("Values", ()), strict=False):
                    points[identifier][at.timestamp()] = float(value)
                status[identifier] = result.get("StatusCode", "Complete")
            token = answer.get("NextToken")
            if not token or token == request.get("NextToken"):
                break
            request["NextToken"] = token
        return {identifier: (points[identifier], status[identifier]) for identifier in batch}

    def _patiently(self, request: dict[str, Any]) -> Any:
        """One call, repeated with growing pauses while CloudWatch is throttling or out of reach."""
        wait_s = 0.5
        for attempt in range(1, _ATTEMPTS + 1):
            nobody_there = False
            try:
                return self._client.get_metric_data(**request)
            except boto_faults.ClientError as fault:
                code = str(fault.response.get("Error", {}).get("Code", ""))
                if code in _DENIED_CODES:
                    raise CloudWatchDenied(
                        f"CloudWatch refuses these credentials ({code}): they need the permission "
                        f"cloudwatch:GetMetricData, for example by the policy CloudWatchReadOnlyAccess"
                    ) from fault
                status = fault.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
                if code not in _RETRIED_CODES and status < 500:
                    raise CloudWatchError(f"CloudWatch refused the question: {fault}") from fault
                why = f"it answers {code}"
            except (boto_faults.NoCredentialsError, boto_faults.PartialCredentialsError) as fault:
                raise CloudWatchDenied(
                    f"no AWS credentials for CloudWatch ({fault}); set AWS_PROFILE, or AWS_ACCESS_KEY_ID and "
                    f"AWS_SECRET_ACCESS_KEY"
                ) from fault
            except (boto_faults.HTTPClientError, boto_faults.ConnectionError, ResponseParserError) as fault:
                why, nobody_there = str(fault), attempt >= _ATTEMPTS_OUT_OF_REACH
            except boto_faults.BotoCoreError as fault:
                raise CloudWatchError(f"CloudWatch cannot be asked: {fault}") from fault
            if attempt == _ATTEMPTS or (nobody_there and self._clock() + wait_s > self._give_up_s):
                break
            self._sleep(wait_s)
            wait_s = min(2 * wait_s, _LONGEST_WAIT_S)
        raise CloudWatchUnavailable(f"CloudWatch gave no answer in {attempt} attempts: {why}")


def _open_at(period_s: int, each: Series, series: Sequence[Series]) -> bool:
    known_s = period_of_namespace(series, each.query.namespace)
    return known_s is None or period_s <= known_s


def served_periods(age_s: float) -> tuple[int, ...]:
    """The periods to ask for, finest first, when the oldest point wanted has this age; () when all have expired."""
    return next((periods for younger_than_s, periods in _SERVED if age_s < younger_than_s), ())


def _query(identifier: str, series: Series, period_s: int) -> dict[str, Any]:
    query = series.query
    return {
        "Id": identifier,
        "MetricStat": {
            "Metric": {
                "Namespace": query.namespace,
                "MetricName": query.metric,
                "Dimensions": [{"Name": name, "Value": value} for name, value in query.dimensions],
            },
            "Period": period_s,
            "Stat": series.statistic,
        },
    }
