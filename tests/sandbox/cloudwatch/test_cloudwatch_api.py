"""CloudWatch's API through the installed boto3, in each protocol that it and older clients speak."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from botocore.exceptions import ClientError

NOON = 1_796_040_000.0  # 2026-11-30T12:00:00Z
AT_NOON = datetime.fromtimestamp(NOON, UTC)
TABLE = (("TableName", "T"),)


def query(query_id: str, stat: str = "Sum", period_s: int = 10, metric: str = "ConsumedWriteCapacityUnits", **more):
    return {
        "Id": query_id,
        "MetricStat": {
            "Metric": {
                "Namespace": "AWS/DynamoDB",
                "MetricName": metric,
                "Dimensions": [{"Name": "TableName", "Value": "T"}],
            },
            "Period": period_s,
            "Stat": stat,
        },
        **more,
    }


def ask(client, *queries, start_s: float = 0, end_s: float = 3600, **more):
    return client.get_metric_data(
        MetricDataQueries=list(queries),
        StartTime=AT_NOON + timedelta(seconds=start_s),
        EndTime=AT_NOON + timedelta(seconds=end_s),
        **more,
    )


def offsets(result) -> list[float]:
    return [(at - AT_NOON).total_seconds() for at in result["Timestamps"]]


def fill(cloudwatch, values_at: dict[float, list[float]], metric="ConsumedWriteCapacityUnits") -> None:
    series = cloudwatch.store.series("AWS/DynamoDB", metric, TABLE)
    for offset_s, values in values_at.items():
        cloudwatch.at(offset_s)
        for value in values:
            series.add(value)


def test_every_statistic_of_a_known_list(cloudwatch, client) -> None:
    fill(cloudwatch, {0: [1.0, 2.0, 3.0, 4.0, 90.0]}, "SuccessfulRequestLatency")
    stats = ("Sum", "SampleCount", "Average", "Minimum", "Maximum", "p50", "p80", "p99.9", "p100")
    answer = ask(client, *[query(f"q{n}", stat, metric="SuccessfulRequestLatency") for n, stat in enumerate(stats)])
    values = [result["Values"] for result in answer["MetricDataResults"]]
    assert values == [[100.0], [5.0], [20.0], [1.0], [90.0], [3.0], [4.0], [90.0], [90.0]]
    assert {result["StatusCode"] for result in answer["MetricDataResults"]} == {"Complete"}
    assert answer["ResponseMetadata"]["RequestId"]


def test_points_come_newest_first_unless_asked_otherwise_and_absent_periods_stay_absent(cloudwatch, client) -> None:
    fill(cloudwatch, {0: [1.0], 10: [2.0], 40: [5.0]})
    [descending] = ask(client, query("a"))["MetricDataResults"]
    [ascending] = ask(client, query("a"), ScanBy="TimestampAscending")["MetricDataResults"]
    assert (offsets(descending), descending["Values"]) == ([40, 10, 0], [5.0, 2.0, 1.0])
    assert (offsets(ascending), ascending["Values"]) == ([0, 10, 40], [1.0, 2.0, 5.0])


def test_a_metric_that_was_never_published_is_an_empty_complete_result(cloudwatch, client) -> None:
    fill(cloudwatch, {0: [1.0]})
    [result] = ask(client, query("a", metric="Nothing"))["MetricDataResults"]
    assert (result["Values"], result["Timestamps"], result["StatusCode"]) == ([], [], "Complete")


def test_dimensions_must_match_whole(cloudwatch, client) -> None:
    """ThrottledRequests without its Operation is empty on AWS too."""
    cloudwatch.store.series("AWS/DynamoDB", "ThrottledRequests", (*TABLE, ("Operation", "PutItem"))).add(1.0)
    [result] = ask(client, query("a", metric="ThrottledRequests"))["MetricDataResults"]
    assert result["Values"] == []


@pytest.mark.parametrize("scan_by", ["TimestampAscending", "TimestampDescending"])
@pytest.mark.parametrize("page_points", [1, 3, 7])
def test_pages_together_hold_every_point_once(cloudwatch, client, scan_by, page_points) -> None:
    fill(cloudwatch, {10 * step: [float(step + 1)] for step in range(5)})
    fill(cloudwatch, {10 * step: [float(step + 100)] for step in range(4)}, "Other")
    queries = [query("a"), query("none", metric="Nothing"), query("b", metric="Other"), query("c", "SampleCount")]
    token: dict[str, str] = {}
    collected: dict[str, list[float]] = {}
    last_status: dict[str, str] = {}
    pages = 0
    while True:
        answer = ask(client, *queries, ScanBy=scan_by, MaxDatapoints=page_points, **token)
        pages += 1
        assert sum(len(result["Values"]) for result in answer["MetricDataResults"]) <= page_points
        for result in answer["MetricDataResults"]:
            collected.setdefault(result["Id"], []).extend(result["Values"])
            last_status[result["Id"]] = result["StatusCode"]
        if "NextToken" not in answer:
            break
        token = {"NextToken": answer["NextToken"]}
    expected = {"a": [1.0, 2.0, 3.0, 4.0, 5.0], "none": [], "b": [100.0, 101.0, 102.0, 103.0], "c": [1.0] * 5}
    if scan_by == "TimestampDescending":
        expected = {name: values[::-1] for name, values in expected.items()}
    assert collected == expected
    assert set(last_status.values()) == {"Complete"}
    assert pages >= 14 // page_points


def test_a_token_of_another_request_is_refused(cloudwatch, client) -> None:
    fill(cloudwatch, {0: [1.0], 10: [2.0]})
    token = ask(client, query("a"), MaxDatapoints=1)["NextToken"]
    for other in (token, "nonsense", "W10="):
        with pytest.raises(ClientError) as refused:
            ask(client, query("b"), NextToken=other)
        assert refused.value.response["Error"]["Code"] == "InvalidNextToken"


def test_five_hundred_queries_in_one_call(cloudwatch, client) -> None:
    fill(cloudwatch, {0: [1.0]})
    answer = ask(client, *[query(f"q{n}") for n in range(500)])
    assert [result["Id"] for result in answer["MetricDataResults"]] == [f"q{n}" for n in range(500)]
    with pytest.raises(ClientError):
        ask(client, *[query(f"q{n}") for n in range(501)])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"Id": "Upper"}, "lower-case letter"),
        ({"Expression": "a+b", "MetricStat": None}, "metric math is not offered by this sandbox"),
        ({"MetricStat.Period": 7}, "multiple of 60"),
        ({"MetricStat.Period": 0}, "multiple of 60"),
        ({"MetricStat.Stat": "tm90"}, "not offered by this sandbox"),
        ({"MetricStat.Stat": "mean"}, "is not a statistic"),
        ({"MetricStat.Stat": "p101"}, "statistic"),
    ],
)
def test_a_wrong_query_is_refused_with_a_reason_and_an_example(cloudwatch, client, change, words) -> None:
    wrong = query("a")
    for path, value in change.items():
        *steps, last = path.split(".")
        node = wrong
        for step in steps:
            node = node[step]
        if value is None:
            del node[last]
        else:
            node[last] = value
    with pytest.raises(ClientError, match=words) as refused:
        ask(client, wrong)
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


@pytest.mark.parametrize(
    ("queries", "more", "code"),
    [
        ([query("a"), query("a")], {}, "ValidationError"),
        ([query("a")], {"end_s": 0}, "ValidationError"),
        ([query("a")], {"MaxDatapoints": 100_801}, "ValidationError"),
        ([query("a")], {"ScanBy": "Sideways"}, "ValidationError"),
    ],
    ids=["an id twice", "an empty time range", "too many data points", "an unknown order"],
)
def test_a_wrong_call_is_refused(cloudwatch, client, queries, more, code) -> None:
    with pytest.raises(ClientError) as refused:
        ask(client, *queries, **more)
    assert refused.value.response["Error"]["Code"] == code


def test_the_unit_filters(cloudwatch, client) -> None:
    fill(cloudwatch, {0: [1.0]})
    asked = query("a")
    asked["MetricStat"]["Unit"] = "Bytes"
    assert ask(client, asked)["MetricDataResults"][0]["Values"] == []
    asked["MetricStat"]["Unit"] = "Count"
    assert ask(client, asked)["MetricDataResults"][0]["Values"] == [1.0]


def test_return_data_false_is_left_out(cloudwatch, client) -> None:
    fill(cloudwatch, {0: [1.0]})
    answer = ask(client, query("a", ReturnData=False), query("b", Label="named"))
    assert [(result["Id"], result["Label"]) for result in answer["MetricDataResults"]] == [("b", "named")]


def statistics(client, **more):
    asked = {
        "Namespace": "AWS/DynamoDB",
        "MetricName": "ConsumedWriteCapacityUnits",
        "Dimensions": [{"Name": "TableName", "Value": "T"}],
        "StartTime": AT_NOON,
        "EndTime": AT_NOON + timedelta(hours=1),
        "Period": 60,
        **more,
    }
    return client.get_metric_statistics(**asked)


def test_metric_statistics(cloudwatch, client) -> None:
    fill(cloudwatch, {0: [1.0, 3.0], 60: [10.0]})
    answer = statistics(client, Statistics=["Sum", "Average", "SampleCount"])
    points = sorted(answer["Datapoints"], key=lambda point: point["Timestamp"])
    assert answer["Label"] == "ConsumedWriteCapacityUnits"
    assert [(point["Sum"], point["Average"], point["SampleCount"], point["Unit"]) for point in points] == [
        (4.0, 2.0, 2.0, "Count"),
        (10.0, 10.0, 1.0, "Count"),
    ]
    assert [(point["Timestamp"] - AT_NOON).total_seconds() for point in points] == [0, 60]


def test_extended_metric_statistics(cloudwatch, client) -> None:
    fill(cloudwatch, {0: [1.0, 3.0, 8.0]})
    [point] = statistics(client, ExtendedStatistics=["p50", "p99"])["Datapoints"]
    assert point["ExtendedStatistics"] == {"p50": 3.0, "p99": 8.0}


def test_metric_statistics_refuses_more_than_1440_points_in_the_words_of_aws(cloudwatch, client) -> None:
    with pytest.raises(
        ClientError, match="You have requested up to 2,880 datapoints, which exceeds the limit of 1,440"
    ):
        statistics(client, EndTime=AT_NOON + timedelta(days=2), Statistics=["Sum"])
    with pytest.raises(ClientError) as refused:
        statistics(client, Statistics=["Sum"], ExtendedStatistics=["p50"])
    assert refused.value.response["Error"]["Code"] == "InvalidParameterCombination"


def test_modelled_errors_are_raised_as_their_exception(cloudwatch, client) -> None:
    with pytest.raises(client.exceptions.InvalidParameterCombinationException):
        statistics(client)
    with pytest.raises(client.exceptions.InvalidParameterValueException):
        client.put_metric_data(Namespace="AWS/Mine", MetricData=[{"MetricName": "a", "Value": 1}])


def test_list_metrics_filters_and_pages(cloudwatch, client) -> None:
    for number in range(501):
        cloudwatch.store.series("Custom", "Busy", (("Node", f"n{number:03}"), ("Kind", "host"))).add(1.0)
    fill(cloudwatch, {0: [1.0]})
    pages = list(client.get_paginator("list_metrics").paginate(Namespace="Custom"))
    assert [len(page["Metrics"]) for page in pages] == [500, 1]
    one = client.list_metrics(Dimensions=[{"Name": "Node", "Value": "n007"}])["Metrics"]
    assert one == [
        {
            "Namespace": "Custom",
            "MetricName": "Busy",
            "Dimensions": [{"Name": "Kind", "Value": "host"}, {"Name": "Node", "Value": "n007"}],
        }
    ]
    assert len(client.list_metrics(MetricName="ConsumedWriteCapacityUnits")["Metrics"]) == 1
    assert client.list_metrics(Dimensions=[{"Name": "Room"}])["Metrics"] == []


def test_recently_active_means_the_last_three_hours(cloudwatch, client) -> None:
    fill(cloudwatch, {0: [1.0]})
    cloudwatch.at(4 * 3600)
    assert len(client.list_metrics()["Metrics"]) == 1
    assert client.list_metrics(RecentlyActive="PT3H")["Metrics"] == []


def test_what_is_put_can_be_read(cloudwatch, client) -> None:
    at = AT_NOON - timedelta(minutes=5)
    dimensions = [{"Name": "Room", "Value": "2-B & <c> 教室"}]
    client.put_metric_data(
        Namespace="Custom",
        MetricData=[
            {"MetricName": "m", "Timestamp": at, "Value": 4.0, "Unit": "Milliseconds", "Dimensions": dimensions},
            {
                "MetricName": "m",
                "Timestamp": at,
                "Values": [1.0, 2.0],
                "Counts": [3.0, 1.0],
                "Unit": "Milliseconds",
                "Dimensions": dimensions,
            },
        ],
    )
    client.put_metric_data(
        Namespace="Custom",
        MetricData=[
            {
                "MetricName": "set",
                "Timestamp": at,
                "StatisticValues": {"SampleCount": 4, "Sum": 10, "Minimum": 1, "Maximum": 5},
            }
        ],
    )

    def read(name, stats, dimensions):
        metric = {"Namespace": "Custom", "MetricName": name, "Dimensions": dimensions}
        answer = ask(
            client,
            *[
                {"Id": f"q{n}", "MetricStat": {"Metric": metric, "Period": 60, "Stat": stat}}
                for n, stat in enumerate(stats)
            ],
            start_s=-600,
        )
        return [result["Values"] for result in answer["MetricDataResults"]]

    assert read("m", ("Sum", "SampleCount", "p50", "Maximum"), dimensions) == [[9.0], [5.0], [1.0], [4.0]]
    assert read("set", ("Sum", "SampleCount", "Maximum", "p50"), []) == [[10.0], [4.0], [5.0], []]
    listed = client.list_metrics(MetricName="m")["Metrics"]
    assert listed[0]["Dimensions"] == dimensions


def test_a_large_put_is_sent_compressed_and_understood(cloudwatch, client) -> None:
    """botocore compresses PutMetricData above 10 KiB."""
    client.put_metric_data(
        Namespace="Custom", MetricData=[{"MetricName": f"metric_{n:04}", "Value": float(n)} for n in range(900)]
    )
    assert len(list(client.get_paginator("list_metrics").paginate().search("Metrics"))) == 900


@pytest.mark.parametrize(
    "datum",
    [
        {"MetricName": "m", "Value": float("nan")},
        {"MetricName": "m", "Value": float("inf")},
        {"MetricName": "m", "Value": 1e200},
        {"MetricName": "m"},
        {"MetricName": "m", "Value": 1.0, "Values": [1.0]},
        {"MetricName": "m", "Values": [1.0], "Counts": [1.0, 2.0]},
        {"MetricName": "m", "Values": [1.0], "Counts": [0.0]},
        {"MetricName": "m", "StatisticValues": {"SampleCount": 0, "Sum": 1, "Minimum": 1, "Maximum": 1}},
        {"MetricName": "m", "StatisticValues": {"SampleCount": 1, "Sum": 1, "Minimum": 2, "Maximum": 1}},
        {"MetricName": "m", "Value": 1.0, "Unit": "Parsecs"},
        {"MetricName": "m", "Value": 1.0, "StorageResolution": 5},
        {"MetricName": "m", "Value": 1.0, "Timestamp": AT_NOON - timedelta(days=15)},
        {"MetricName": "m", "Value": 1.0, "Timestamp": AT_NOON + timedelta(hours=3)},
        {"MetricName": "m", "Value": 1.0, "Dimensions": [{"Name": "a", "Value": "1"}, {"Name": "a", "Value": "2"}]},
    ],
)
def test_a_wrong_datum_is_refused_and_nothing_of_its_call_is_stored(cloudwatch, client, datum) -> None:
    with pytest.raises(ClientError):
        client.put_metric_data(Namespace="Custom", MetricData=[{"MetricName": "good", "Value": 1.0}, datum])
    assert client.list_metrics()["Metrics"] == []


def test_an_operation_that_is_not_offered_says_what_is(cloudwatch, client) -> None:
    with pytest.raises(ClientError, match="GetMetricData, GetMetricStatistics, ListMetrics and PutMetricData"):
        client.describe_alarms()
