"""Saved CloudWatch data: answers whose shapes botocore's model confirms, queries, the console's CSV; what is wrong."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import botocore.session
import pandas as pd
import pytest
from botocore.validate import ParamValidator

from capacity.measurement.metric_explanations import explanations, with_sums
from capacity.measurement.metric_import import Imported, MetricImportError, import_metrics, merged
from capacity.measurement.metric_import_series import Whose
from capacity.run_tables import METRICS
from capacity.templates import add_metrics
from capacity.templates.load import parse_description

NINE = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
TIMES = ["2026-11-30T09:00:00+00:00", "2026-11-30T09:01:00+00:00"]

DATA: dict[str, Any] = {
    "MetricDataResults": [
        {"Id": "w", "Label": "ConsumedWriteCapacityUnits", "Timestamps": TIMES, "Values": [600.0, 1200.0],
         "StatusCode": "Complete"},
        {"Id": "t", "Label": "WriteThrottleEvents", "Timestamps": [], "Values": [], "StatusCode": "Complete"},
    ],
    "Messages": [],
}  # fmt: skip
QUERIES: list[dict[str, Any]] = [
    {
        "Id": identifier,
        "MetricStat": {
            "Metric": {
                "Namespace": "AWS/DynamoDB",
                "MetricName": metric,
                "Dimensions": [
                    {"Name": "TableName", "Value": "posts"},
                    {"Name": "GlobalSecondaryIndexName", "Value": "newest"},
                ],
            },
            "Period": 60,
            "Stat": "Sum",
        },
    }
    for identifier, metric in (("w", "ConsumedWriteCapacityUnits"), ("t", "WriteThrottleEvents"))
]
STATISTICS: dict[str, Any] = {
    "Label": "ConsumedReadCapacityUnits",
    "Datapoints": [
        {"Timestamp": TIMES[1], "Sum": 30.0, "SampleCount": 60.0, "Unit": "Count"},
        {"Timestamp": TIMES[0], "Sum": 15.0, "SampleCount": 30.0, "Unit": "Count"},
    ],
}


def model_faults(operation: str, side: str, content: dict[str, Any]) -> str:
    model = botocore.session.get_session().get_service_model("cloudwatch").operation_model(operation)
    report: str = ParamValidator().validate(content, getattr(model, side)).generate_report()
    return report


def imported(tmp_path: Path, *contents: Any, whose: Whose = Whose("posts")) -> Imported:  # noqa: B008
    paths = []
    for number, content in enumerate(contents):
        path = tmp_path / f"file{number}.json"
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        paths.append(path)
    return import_metrics(paths, whose)


def rows(found: Imported) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in found.metrics[["metric", "dimensions", "statistic", "period_s", "value"]].to_numpy()]


def test_the_samples_have_the_shapes_of_the_api() -> None:
    assert model_faults("GetMetricData", "output_shape", DATA) == ""
    times = {"StartTime": NINE, "EndTime": NINE}
    assert model_faults("GetMetricData", "input_shape", {"MetricDataQueries": QUERIES, **times}) == ""
    assert model_faults("GetMetricStatistics", "output_shape", STATISTICS) == ""


def test_an_answer_of_get_metric_data_with_its_queries(tmp_path: Path) -> None:
    found = imported(tmp_path, DATA, QUERIES)
    dimensions = "GlobalSecondaryIndexName=newest,TableName=posts"
    assert rows(found)[:2] == [
        ("ConsumedWriteCapacityUnits", dimensions, "Sum", 60, 600),
        ("ConsumedWriteCapacityUnits", dimensions, "Sum", 60, 1200),
    ]
    assert list(found.metrics.columns) == METRICS.names
    assert found.metrics["timestamp"][0] == pd.Timestamp(NINE)
    assert pd.isna(found.metrics["value"][2])  # asked for, and no points
    assert found.notes == ()


def test_without_queries_the_statistic_has_to_be_said(tmp_path: Path) -> None:
    with pytest.raises(MetricImportError, match="does not say which statistic it is"):
        imported(tmp_path, DATA)
    found = imported(tmp_path, DATA, whose=Whose("posts", statistic="Sum"))
    assert rows(found)[0] == ("ConsumedWriteCapacityUnits", "TableName=posts", "Sum", 60, 600)
    assert any("the period is taken as 60 s" in note for note in found.notes)


def test_an_answer_of_get_metric_statistics(tmp_path: Path) -> None:
    found = imported(tmp_path, STATISTICS, whose=Whose("posts", index="newest"))
    dimensions = "GlobalSecondaryIndexName=newest,TableName=posts"
    assert rows(found) == [
        ("ConsumedReadCapacityUnits", dimensions, "Sum", 60, 15),
        ("ConsumedReadCapacityUnits", dimensions, "Sum", 60, 30),
        ("ConsumedReadCapacityUnits", dimensions, "SampleCount", 60, 30),
        ("ConsumedReadCapacityUnits", dimensions, "SampleCount", 60, 60),
    ]


CSV = """\
Full label,posts ConsumedWriteCapacityUnits,posts WriteThrottleEvents
Metric name,ConsumedWriteCapacityUnits,WriteThrottleEvents
Dimensions,TableName: posts,"TableName: posts, GlobalSecondaryIndexName: newest"
Statistic,Sum,Sum
Period,60 seconds,60 seconds
2026/11/30 09:00:00,"1,600.5",
2026/11/30 09:01:00,1200,7
"""


def test_the_console_csv(tmp_path: Path) -> None:
    found = imported(tmp_path, CSV)
    assert rows(found) == [
        ("ConsumedWriteCapacityUnits", "TableName=posts", "Sum", 60, 1600.5),
        ("ConsumedWriteCapacityUnits", "TableName=posts", "Sum", 60, 1200),
        ("WriteThrottleEvents", "GlobalSecondaryIndexName=newest,TableName=posts", "Sum", 60, 7),
    ]
    assert found.metrics["timestamp"][0] == pd.Timestamp(NINE)


def test_a_csv_with_labels_alone_takes_the_rest_from_the_caller(tmp_path: Path) -> None:
    text = "Label,ConsumedReadCapacityUnits\n2026-11-30 09:00,4\n2026-11-30 09:05,8\n"
    found = imported(tmp_path, text, whose=Whose("posts", statistic="Sum"))
    assert rows(found)[0] == ("ConsumedReadCapacityUnits", "TableName=posts", "Sum", 300, 4)


def test_every_fault_of_every_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(MetricImportError) as caught:
        imported(
            tmp_path,
            '{"broken": ',
            {"Table": {}},
            "Label,ConsumedReadCapacityUnits\n2026-11-30 09:00,many\n",
            {"Label": "CPUUtilization", "Datapoints": [{"Timestamp": TIMES[0], "Sum": 1.0}]},
            {"MetricDataResults": [{"Id": "a", "Label": "WriteThrottleEvents", "Timestamps": TIMES, "Values": [1.0]}]},
            "no data at all",
        )
    text = str(caught.value)
    assert len(caught.value.faults) == 6
    for part in (
        "is not JSON",
        "is no CloudWatch data; expected an answer of get-metric-data",
        "'many' is no number",
        "names no metric of DynamoDB",
        "needs as many Timestamps as Values",
        "is neither JSON nor a CSV",
    ):
        assert part in text


def test_a_second_import_keeps_the_first(tmp_path: Path) -> None:
    table = imported(tmp_path, STATISTICS).metrics
    index = imported(tmp_path, STATISTICS, whose=Whose("posts", index="newest")).metrics
    assert len(merged(table, index)) == 8
    assert len(merged(table, table)) == 4


def of(metric: str, dimensions: str, **values: float) -> pd.DataFrame:
    return pd.DataFrame(
        [("AWS/DynamoDB", metric, dimensions, name, 60, pd.Timestamp(NINE), value) for name, value in values.items()],
        columns=METRICS.names,
    )


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (of("ConsumedWriteCapacityUnits", "TableName=t", Average=1.2), "speaks of single requests"),
        (of("ConsumedWriteCapacityUnits", "TableName=t", Maximum=5), "Ask for Sum"),
        (of("ConsumedReadCapacityUnits", "Operation=Query,TableName=t", Sum=5), "kept by table and index alone"),
        (of("ThrottledRequests", "TableName=t", Sum=0), "without Operation is an empty series, not a quiet table"),
        (of("SuccessfulRequestLatency", "TableName=t", Average=3), "ask for each operation"),
        (of("ProvisionedWriteCapacityUnits", "TableName=t", Sum=50), "adds up one setting several times"),
        (of("WriteThrottleEvents", "TableName=t", Average=1), "throttles are counted by Sum"),
        (of("ConsumedWriteCapacityUnits", "TableName=t", Sum=1).assign(period_s=300), "peaks inside them don't show"),
    ],
)
def test_wrong_statistics_and_dimensions_are_explained(frame: pd.DataFrame, words: str) -> None:
    (sentence,) = explanations(frame)
    assert words in sentence


def test_the_right_ones_are_not(tmp_path: Path) -> None:
    right = [
        of("ConsumedWriteCapacityUnits", "TableName=t", Sum=1, SampleCount=1, Maximum=1),
        of("ThrottledRequests", "Operation=PutItem,TableName=t", Sum=1),
        of("ProvisionedWriteCapacityUnits", "TableName=t", Maximum=5),
        of("WriteThrottleEvents", "GlobalSecondaryIndexName=i,TableName=t", Sum=1),
    ]
    assert explanations(pd.concat(right)) == []


def test_average_and_count_give_the_sum_back() -> None:
    # 120 requests of 1.5 units on average consumed 180
    found = with_sums(of("ConsumedWriteCapacityUnits", "TableName=t", Average=1.5, SampleCount=120))
    assert found.loc[found["statistic"] == "Sum", "value"].tolist() == [180.0]
    there = with_sums(of("ConsumedWriteCapacityUnits", "TableName=t", Sum=7, Average=1.5, SampleCount=120))
    assert there.loc[there["statistic"] == "Sum", "value"].tolist() == [7.0]


def test_an_index_that_was_never_read_is_known_by_its_zeros_alone(tmp_path: Path) -> None:
    index = "GlobalSecondaryIndexName=newest,TableName=posts"
    description = parse_description(
        json.dumps({"Table": {
            "TableName": "posts",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("id", "author")],
            "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
            "GlobalSecondaryIndexes": [{"IndexName": "newest", "Projection": {"ProjectionType": "ALL"},
                                        "KeySchema": [{"AttributeName": "author", "KeyType": "HASH"}]}],
        }}),
        "posts.json",
    )  # fmt: skip
    later = [
        of("ConsumedReadCapacityUnits", index, Sum=0).assign(timestamp=pd.Timestamp(NINE) + pd.Timedelta(days=n))
        for n in (0, 5)
    ]
    measured = pd.concat([*later, of("ConsumedWriteCapacityUnits", index, Sum=60)])
    (posts,) = add_metrics(description, measured).tables
    use = posts.index_uses["newest"]
    assert (use.read_units, use.write_units) == (0, 60)
    assert use.days == pytest.approx(5, abs=0.001)
    (unknown,) = add_metrics(description, of("ConsumedWriteCapacityUnits", index, Sum=60)).tables
    assert unknown.index_uses == {}
