"""The reader that is used on AWS, with the installed boto3, against a running sandbox and against its faults."""

from __future__ import annotations

import socket

import pytest

from capacity.measurement.cloudwatch import (
    CloudWatchDenied,
    CloudWatchReader,
    CloudWatchUnavailable,
    Expectation,
    Patience,
    cloudwatch_client,
)
from capacity.measurement.metric_catalogue import queries_for, total
from sandbox.cloudwatch.faults import CloudWatchFaults

NOON = 1_796_040_000.0  # 2026-11-30T12:00:00Z
TABLE = (("TableName", "T"),)
INDEX = (("TableName", "T"), ("GlobalSecondaryIndexName", "I"))
API = (("GraphQLAPIId", "a1"),)
QUERIES = queries_for("T", ["I"], "a1")
ALL_ARRIVED = [
    Expectation("AWS/AppSync", "Requests", API, "Sum", 60.0),
    Expectation("AWS/DynamoDB", "ConsumedWriteCapacityUnits", INDEX, "Sum", 90.0),
]


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "sandbox")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "sandbox")


@pytest.fixture
def run(cloudwatch):
    """A minute of traffic, one request per second; the clock stands at its end."""
    store = cloudwatch.store
    requests = store.series("AWS/AppSync", "Requests", API)
    latency = store.series(
        "AWS/DynamoDB", "SuccessfulRequestLatency", (*TABLE, ("Operation", "PutItem")), "Milliseconds"
    )
    table = store.series("AWS/DynamoDB", "ConsumedWriteCapacityUnits", TABLE)
    index = store.series("AWS/DynamoDB", "ConsumedWriteCapacityUnits", INDEX)
    for second in range(60):
        cloudwatch.at(second)
        requests.add(1.0)
        latency.add(2.0 + second % 10)
        table.add(1.0)
        index.add(1.0 + second % 2)
    cloudwatch.at(61)
    return cloudwatch


def read(running, *, faults: CloudWatchFaults | None = None, patience: Patience | None = None, expected=ALL_ARRIVED):
    if faults is not None:
        running.api.faults = faults

    def sleep(seconds: float) -> None:
        running.clock.now_s += seconds

    client = cloudwatch_client("ap-northeast-1", running.url)
    reader = CloudWatchReader(client, sleep, running.clock)
    return reader.read(QUERIES, NOON, NOON + 60, expected=expected, patience=patience)


def sums(reading) -> tuple[float | None, ...]:
    return tuple(
        total(reading.metrics, namespace, metric, dict(dimensions), statistic)
        for namespace, metric, dimensions, statistic in (
            ("AWS/AppSync", "Requests", API, "Sum"),
            ("AWS/DynamoDB", "ConsumedWriteCapacityUnits", TABLE, "Sum"),
            ("AWS/DynamoDB", "ConsumedWriteCapacityUnits", INDEX, "Sum"),
            ("AWS/DynamoDB", "WriteThrottleEvents", INDEX, "Sum"),
            ("AWS/DynamoDB", "ConsumedReadCapacityUnits", TABLE, "Sum"),
            ("AWS/DynamoDB", "SuccessfulRequestLatency", (*TABLE, ("Operation", "PutItem")), "SampleCount"),
        )
    )


WHOLE = (60.0, 60.0, 90.0, 0.0, None, 60.0)


def test_everything_is_read_at_once_at_ten_seconds(run) -> None:
    reading = read(run)
    assert sums(reading) == WHOLE
    assert (reading.ended, reading.waited_s, reading.notes) == ("complete", 0.0, [])
    present = reading.metrics[reading.metrics["value"].notna()]
    assert set(present["period_s"]) == {10}
    writes = present[(present["metric"] == "ConsumedWriteCapacityUnits") & (present["statistic"] == "Sum")]
    assert sorted(writes["value"]) == [10.0] * 6 + [15.0] * 6


def test_a_service_that_publishes_by_the_minute_is_read_by_the_minute(run) -> None:
    for series in run.store.all():
        series.resolution_s = 60
    reading = read(run)
    assert sums(reading) == WHOLE
    assert set(reading.metrics["period_s"]) == {60}


@pytest.mark.parametrize(
    "faults",
    [
        pytest.param(CloudWatchFaults(throttled_calls=3), id="the first calls are throttled"),
        pytest.param(CloudWatchFaults(throttle_every=2), id="every second call is throttled"),
        pytest.param(CloudWatchFaults(partial_data_answers=3), id="partial data at first"),
        pytest.param(CloudWatchFaults(late_points_s=120), id="points come two minutes late"),
        pytest.param(CloudWatchFaults(empty_answers=3), id="no points at first"),
        pytest.param(CloudWatchFaults(shuffled=True), id="points in no order"),
        pytest.param(CloudWatchFaults(split_pages=7), id="many small pages that repeat their ids"),
        pytest.param(
            CloudWatchFaults(throttle_every=3, partial_data_answers=2, late_points_s=90, split_pages=50),
            id="all at once",
        ),
    ],
)
def test_nothing_is_lost_to_faults_that_pass(run, faults: CloudWatchFaults) -> None:
    reading = read(run, faults=faults)
    assert reading.ended == "complete"
    assert sums(reading) == WHOLE


def test_late_points_are_waited_for_and_impatience_is_told(run) -> None:
    reading = read(run, faults=CloudWatchFaults(late_points_s=600), patience=Patience(total_s=60))
    assert reading.ended == "out of patience"
    assert sums(reading)[0] is None
    assert "CloudWatch has 0 of the 60 expected in Requests (Sum)" in reading.notes


def test_no_permission_is_one_sentence(run) -> None:
    with pytest.raises(CloudWatchDenied, match="they need the permission cloudwatch:GetMetricData"):
        read(run, faults=CloudWatchFaults(denied=True))


def test_nobody_there_is_one_sentence(run) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        client = cloudwatch_client("ap-northeast-1", f"http://127.0.0.1:{unused.getsockname()[1]}")
        with pytest.raises(CloudWatchUnavailable, match="no answer in 8 attempts"):
            CloudWatchReader(client, lambda seconds: None, run.clock).read(QUERIES, NOON, NOON + 60)


def test_the_endpoint_may_come_from_the_environment(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_ENDPOINT_URL_CLOUDWATCH", run.url)
    reader = CloudWatchReader(cloudwatch_client("ap-northeast-1"), lambda seconds: None, run.clock)
    assert sums(reader.read(QUERIES, NOON, NOON + 60, expected=ALL_ARRIVED)) == WHOLE
