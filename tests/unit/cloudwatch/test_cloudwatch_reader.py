"""The reader against hand-made answers: odd ones, late ones, refused ones. botocore's Stubber checks each question."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import boto3
import botocore.exceptions
import pyarrow as pa
import pytest
from botocore.stub import ANY, Stubber

from capacity.measurement.cloudwatch import (
    CloudWatchDenied,
    CloudWatchError,
    CloudWatchReader,
    CloudWatchUnavailable,
    Expectation,
    Patience,
    served_periods,
)
from capacity.measurement.metric_catalogue import MetricQuery
from capacity.run_tables import METRICS

NOON = 1_796_040_000.0  # 2026-11-30T12:00:00Z
TABLE = (("TableName", "T"),)
WRITES = MetricQuery("AWS/DynamoDB", "ConsumedWriteCapacityUnits", TABLE, ("Sum",))
THROTTLES = MetricQuery("AWS/DynamoDB", "WriteThrottleEvents", TABLE, ("Sum",))
ONCE = Patience(total_s=0)
ENOUGH = [Expectation("AWS/DynamoDB", "ConsumedWriteCapacityUnits", TABLE, "Sum", 10.0)]


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now_s = NOON + 120
        self.naps_s: list[float] = []

    def clock(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        self.naps_s.append(seconds)
        self.now_s += seconds


class Scripted:
    """Stands for a client: each call takes the next answer, the last one for ever; a callable sees the question."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[dict[str, Any]] = []

    def get_metric_data(self, **request: Any) -> Any:
        self.asked.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, BaseException):
            raise answer
        return answer(request) if callable(answer) else answer

    @property
    def periods(self) -> list[int]:
        return [request["MetricDataQueries"][0]["MetricStat"]["Period"] for request in self.asked]


def at(offset_s: float) -> datetime:
    return datetime.fromtimestamp(NOON + offset_s, UTC)


def result(identifier: str, points: dict[float, float], status: str = "Complete") -> dict[str, Any]:
    return {
        "Id": identifier,
        "Label": "x",
        "Timestamps": [at(offset_s) for offset_s in points],
        "Values": list(points.values()),
        "StatusCode": status,
    }


def answer(*results: dict[str, Any], token: str | None = None) -> dict[str, Any]:
    return {"MetricDataResults": list(results), "Messages": [], **({"NextToken": token} if token else {})}


def refusal(code: str, status: int = 400) -> botocore.exceptions.ClientError:
    response = {"Error": {"Code": code, "Message": "said so"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return botocore.exceptions.ClientError(response, "GetMetricData")  # type: ignore[arg-type]


def read(client: Any, time: Time | None = None, queries: tuple[MetricQuery, ...] = (WRITES,), **options: Any):
    time = time or Time()
    options.setdefault("patience", ONCE)
    return CloudWatchReader(client, time.sleep, time.clock).read(queries, NOON, NOON + 60, **options)


def values(reading: Any, metric: str = WRITES.metric) -> list[float]:
    rows = reading.metrics[(reading.metrics["metric"] == metric) & reading.metrics["value"].notna()]
    return list(rows.sort_values("timestamp")["value"])


def test_the_question_is_what_the_service_model_allows() -> None:
    client = boto3.client("cloudwatch", region_name="x", aws_access_key_id="x", aws_secret_access_key="x")
    stat = {
        "Metric": {
            "Namespace": "AWS/DynamoDB",
            "MetricName": "ConsumedWriteCapacityUnits",
            "Dimensions": [{"Name": "TableName", "Value": "T"}],
        },
        "Period": 10,
        "Stat": "Sum",
    }
    expected = {
        "MetricDataQueries": [{"Id": "q0", "MetricStat": stat}],
        "StartTime": at(0),
        "EndTime": at(60),
        "ScanBy": "TimestampAscending",
    }
    with Stubber(client) as stub:
        stub.add_response("get_metric_data", answer(result("q0", {0: 1.0}), token="t1"), expected)
        stub.add_response("get_metric_data", answer(result("q0", {10: 2.0})), {**expected, "NextToken": "t1"})
        reading = read(client)
        stub.assert_no_pending_responses()
    assert values(reading) == [1.0, 2.0]


@pytest.mark.parametrize("code", ["Throttling", "ThrottlingException", "InternalServiceError"])
def test_a_throttled_call_is_repeated_with_growing_pauses(code: str) -> None:
    client = boto3.client("cloudwatch", region_name="x", aws_access_key_id="x", aws_secret_access_key="x")
    client.meta.events.register("needs-retry.cloudwatch.GetMetricData", lambda **_: None)
    time = Time()
    with Stubber(client) as stub:
        for _ in range(3):
            stub.add_client_error("get_metric_data", code, "Rate exceeded", 400)
        stub.add_response("get_metric_data", answer(result("q0", {0: 1.0})), dict.fromkeys(_ASKED, ANY))
        assert values(read(client, time)) == [1.0]
    assert time.naps_s == sorted(time.naps_s)
    assert len(time.naps_s) == 3


_ASKED = ("MetricDataQueries", "StartTime", "EndTime", "ScanBy")


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (refusal("AccessDenied", 403), CloudWatchDenied, "cloudwatch:GetMetricData"),
        (refusal("ExpiredToken"), CloudWatchDenied, "cloudwatch:GetMetricData"),
        (botocore.exceptions.NoCredentialsError(), CloudWatchDenied, "AWS_PROFILE"),
        (refusal("ValidationError"), CloudWatchError, "refused the question"),
        (refusal("Throttling"), CloudWatchUnavailable, "no answer in 8 attempts: it answers Throttling"),
        (refusal("Odd", 503), CloudWatchUnavailable, "it answers Odd"),
        (
            botocore.exceptions.EndpointConnectionError(endpoint_url="http://127.0.0.1:9"),
            CloudWatchUnavailable,
            "127.0.0.1:9",
        ),
        (
            botocore.exceptions.ReadTimeoutError(endpoint_url="http://127.0.0.1:9"),
            CloudWatchUnavailable,
            "imeout|timed",
        ),
    ],
)
def test_a_fault_becomes_one_sentence(fault: Exception, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        read(Scripted(fault))


def test_a_refusal_that_waiting_cannot_heal_is_not_repeated() -> None:
    client, time = Scripted(refusal("AccessDenied", 403)), Time()
    with pytest.raises(CloudWatchDenied):
        read(client, time)
    assert (len(client.asked), time.naps_s) == (1, [])


def test_an_id_on_several_pages_is_put_together_and_a_repeated_point_counts_once() -> None:
    client = Scripted(
        answer(result("q0", {0: 1.0, 10: 2.0}, "PartialData"), token="1"),
        answer(result("q0", {10: 2.0, 20: 3.0}, "PartialData"), token="2"),
        answer(result("q0", {30: 4.0})),
    )
    assert values(read(client)) == [1.0, 2.0, 3.0, 4.0]


def test_a_token_that_repeats_itself_ends_the_paging() -> None:
    client = Scripted(answer(result("q0", {0: 1.0}), token="same"))
    assert values(read(client)) == [1.0]
    assert len(client.asked) == 2


def test_answers_out_of_order_come_out_in_order() -> None:
    reading = read(Scripted(answer(result("q0", {40: 5.0, 0: 1.0, 20: 3.0}))))
    assert values(reading) == [1.0, 3.0, 5.0]


def test_an_unknown_id_is_ignored() -> None:
    assert values(read(Scripted(answer(result("zz", {0: 9.0}), result("q0", {0: 1.0}))))) == [1.0]


def test_more_than_500_series_take_several_calls() -> None:
    queries = tuple(MetricQuery("N", f"m{n}", (), ("Sum",)) for n in range(501))
    client = Scripted(lambda asked: answer(*[result(each["Id"], {0: 1.0}) for each in asked["MetricDataQueries"]]))
    reading = read(client, queries=queries)
    assert [len(asked["MetricDataQueries"]) for asked in client.asked] == [500, 1]
    assert reading.points == 501
    assert reading.asked_metrics == 501


def only_at(period_s: int, points: dict[float, float]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A service that publishes at one period and answers any other with nothing."""
    return lambda asked: answer(
        *[
            result(
                each["Id"],
                points
                if each["MetricStat"]["Period"] == period_s
                and each["MetricStat"]["Metric"]["MetricName"] == WRITES.metric
                else {},
            )
            for each in asked["MetricDataQueries"]
        ]
    )


def test_60_seconds_are_asked_for_where_10_give_nothing() -> None:
    client = Scripted(only_at(60, {0: 7.0}))
    reading = read(client)
    assert client.periods == [10, 60]
    assert values(reading) == [7.0]
    assert set(reading.metrics["period_s"]) == {60}


def test_a_minute_that_holds_others_traffic_gives_way_to_finer_points_that_come_late() -> None:
    """The minute's 109 calls were made by an earlier run too; they reach what was sent while nothing of it is there."""
    early = [only_at(60, {0: 109.0}), only_at(60, {0: 109.0})]
    late = [only_at(10, {10: 4.0, 20: 6.0})]
    client = Scripted(*early, *late)
    reading = read(client, expected=ENOUGH, patience=Patience(interval_s=5, settle_s=20))
    assert (reading.ended, values(reading)) == ("complete", [4.0, 6.0])
    assert set(reading.metrics["period_s"]) == {10}


def test_a_series_that_only_a_minute_knew_is_empty_once_its_namespace_publishes_finer() -> None:
    def throttles_in_the_minute_alone(asked: dict[str, Any]) -> Any:
        if asked["MetricDataQueries"][0]["MetricStat"]["Period"] == 60:
            return answer(result("q0", {0: 109.0}), result("q1", {0: 5.0}))
        return answer(result("q0", {}), result("q1", {}))

    later = answer(result("q0", {10: 10.0}), result("q1", {}))
    client = Scripted(throttles_in_the_minute_alone, throttles_in_the_minute_alone, later)
    reading = read(client, queries=(WRITES, THROTTLES), expected=ENOUGH, patience=Patience(interval_s=5, settle_s=20))
    assert (reading.ended, values(reading), values(reading, THROTTLES.metric)) == ("complete", [10.0], [])


def test_where_minutes_are_all_that_is_published_nothing_finer_is_asked_for() -> None:
    client = Scripted(only_at(60, {0: 10.0}))
    reading = read(client, expected=ENOUGH, patience=Patience(), finest_period_s=60)
    assert (client.periods, reading.ended, values(reading)) == ([60], "complete", [10.0])


def test_minutes_alone_are_kept_when_nothing_finer_came() -> None:
    client, time = Scripted(only_at(60, {0: 7.0})), Time()
    patience = Patience(total_s=60, settle_s=20, interval_s=10)
    reading = read(client, time, (WRITES, THROTTLES), patience=patience)
    assert client.periods == [10, 60] * 3
    assert reading.ended == "settled"
    empty = reading.metrics[reading.metrics["metric"] == THROTTLES.metric]
    assert len(empty) == 1
    assert empty["value"].isna().all()
    assert empty["timestamp"].isna().all()
    assert set(empty["period_s"]) == {60}


@pytest.mark.parametrize(
    ("age", "periods"),
    [
        ("2 hours", (10, 60)),
        ("4 hours", (60,)),
        ("16 days", (300,)),
        ("64 days", (3600,)),
        ("456 days", ()),
    ],
)
def test_an_old_run_is_asked_for_at_what_is_still_kept(age: str, periods: tuple[int, ...]) -> None:
    number, unit = age.split()
    assert served_periods(int(number) * {"hours": 3600, "days": 86400}[unit]) == periods


def test_a_run_of_which_nothing_is_kept_says_so() -> None:
    time = Time()
    time.now_s += 500 * 86400
    client = Scripted(answer())
    reading = read(client, time)
    assert client.asked == []
    assert reading.notes == ["the run is older than 455 days: CloudWatch keeps nothing of it"]


def test_the_range_is_widened_to_whole_periods() -> None:
    time = Time()
    client = Scripted(only_at(60, {0: 1.0}))
    CloudWatchReader(client, time.sleep, time.clock).read([WRITES], NOON + 13, NOON + 47, patience=ONCE)
    ranges = [(asked["StartTime"], asked["EndTime"]) for asked in client.asked]
    assert ranges == [(at(10), at(50)), (at(0), at(60))]


def test_it_waits_until_what_was_sent_has_arrived() -> None:
    client, time = Scripted(
        answer(result("q0", {0: 4.0})), answer(result("q0", {0: 8.0})), answer(result("q0", {0: 10.0}))
    ), Time()  # fmt: skip
    reading = read(client, time, expected=ENOUGH, patience=Patience(interval_s=5))
    assert (reading.ended, values(reading), time.naps_s, reading.notes) == ("complete", [10.0], [5, 5], [])


def test_what_is_there_at_once_is_not_waited_for() -> None:
    time = Time()
    reading = read(Scripted(answer(result("q0", {0: 10.0}))), time, expected=ENOUGH, patience=Patience())
    assert (reading.ended, time.naps_s) == ("complete", [])


def test_with_confirmation_nothing_may_change_for_a_while_after_all_has_arrived() -> None:
    client, time = Scripted(answer(result("q0", {0: 10.0})), answer(result("q0", {0: 12.0}))), Time()
    reading = read(client, time, expected=ENOUGH, patience=Patience(interval_s=10, confirm_s=20))
    assert (reading.ended, values(reading), time.naps_s) == ("complete", [12.0], [10, 10, 10])


def test_it_settles_when_nothing_changes_and_says_what_is_missing() -> None:
    time = Time()
    reading = read(Scripted(answer(result("q0", {0: 4.0}))), time, expected=ENOUGH, patience=Patience(settle_s=15))
    assert (reading.ended, time.naps_s) == ("settled", [5, 5, 5])
    assert reading.notes == ["CloudWatch has 4 of the 10 expected in ConsumedWriteCapacityUnits (Sum)"]


def test_points_that_have_not_come_at_all_are_waited_for_to_the_end() -> None:
    """On AWS nothing at all is visible for the first minutes: that is no reason to settle."""
    time = Time()
    reading = read(Scripted(answer(result("q0", {}))), time, expected=ENOUGH, patience=Patience(100, settle_s=15))
    assert reading.ended == "out of patience"
    assert 90 <= reading.waited_s <= 100
    assert reading.metrics["value"].isna().all()


def test_partial_data_are_asked_for_again_and_never_lose_a_point() -> None:
    client = Scripted(
        answer(result("q0", {0: 5.0, 10: 5.0}, "PartialData")),
        answer(result("q0", {10: 5.0}, "PartialData")),
        answer(result("q0", {0: 5.0, 10: 5.0, 20: 1.0})),
    )
    reading = read(client, expected=ENOUGH, patience=Patience())
    assert (reading.ended, values(reading)) == ("complete", [5.0, 5.0, 1.0])


def test_data_that_stay_partial_are_said_to_be() -> None:
    client = Scripted(answer(result("q0", {0: 50.0}, "PartialData")))
    reading = read(client, expected=ENOUGH, patience=Patience(30, settle_s=10))
    assert reading.ended == "settled"
    assert reading.notes == ["PartialData for ConsumedWriteCapacityUnits"]


def test_an_id_that_no_answer_mentions_is_not_taken_for_complete() -> None:
    reading = read(Scripted(answer()), patience=ONCE)
    assert reading.notes == ["PartialData for ConsumedWriteCapacityUnits"]


def test_the_rows_fit_the_schema_of_the_run_record() -> None:
    reading = read(Scripted(answer(result("q0", {0: 1.5, 10: 2.5}))), queries=(WRITES, THROTTLES))
    table = pa.Table.from_pandas(reading.metrics, schema=METRICS, preserve_index=False)
    assert table.num_rows == 3
    assert table["timestamp"].to_pylist() == [at(0), at(10), None]
    assert table["dimensions"].to_pylist() == ["TableName=T"] * 3


def test_an_empty_range_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="is not before"):
        CloudWatchReader(Scripted(answer())).read([WRITES], NOON, NOON)
