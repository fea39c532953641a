"""Files as the AWS CLI itself writes them, from a sandbox: a table, its items and its metrics, read back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from capacity.lint import lint
from capacity.measurement.metric_explanations import explanations
from capacity.measurement.metric_import import import_metrics
from capacity.measurement.metric_import_series import Whose
from capacity.pricing.prices import load
from capacity.studies.sizing import sizing
from capacity.templates import add_items, read_description
from tests.aws_cli import aws_cli

ROOT = Path(__file__).resolve().parents[3]
Cli = Callable[..., str]


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """Runs the AWS CLI against a sandbox of its own; gives what it prints. Without it skipped, in CI it fails."""
    command = aws_cli()
    process = subprocess.Popen(
        [sys.executable, "-m", "meshcap", "sandbox", "--port", "0", "--json", "--until-stdin-closes"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        env=dict(os.environ, MESHCAP_API_KEY="da2-test"),
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path_factory.mktemp("home")),  # no settings of the person who runs this
        "LC_ALL": "C.UTF-8",
        "AWS_ENDPOINT_URL": json.loads(process.stdout.readline())["url"],
        "AWS_DEFAULT_REGION": "ap-northeast-1",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
    }

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [str(command), *arguments], capture_output=True, text=True, env=environment, timeout=60, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    yield run
    process.stdin.close()
    process.wait(10)
    process.stdout.close()


CREATE = [
    "dynamodb", "create-table", "--table-name", "posts", "--key-schema", "AttributeName=id,KeyType=HASH",
    "--attribute-definitions", "AttributeName=id,AttributeType=S", "AttributeName=all,AttributeType=S",
    "--provisioned-throughput", "ReadCapacityUnits=5,WriteCapacityUnits=40", "--global-secondary-indexes",
]  # fmt: skip
INDEX = (
    "IndexName=newest,KeySchema=[{AttributeName=all,KeyType=HASH}],Projection={ProjectionType=ALL},"
    "ProvisionedThroughput={ReadCapacityUnits=5,WriteCapacityUnits=10}"
)


@pytest.fixture(scope="module")
def started_s(aws: Cli) -> float:
    started = time.time()
    aws(*CREATE, INDEX)
    for number in range(6):
        item = {"id": {"S": f"post-{number}"}, "all": {"S": "x"}, "body": {"S": "b" * 1500}}
        aws("dynamodb", "put-item", "--table-name", "posts", "--item", json.dumps(item))
    return started


def test_describe_table_and_scan_are_linted(aws: Cli, started_s: float, tmp_path: Path) -> None:
    described, items = tmp_path / "posts.json", tmp_path / "items.json"
    described.write_text(aws("dynamodb", "describe-table", "--table-name", "posts"), encoding="utf-8")
    items.write_text(aws("dynamodb", "scan", "--table-name", "posts"), encoding="utf-8")
    findings = {each.rule: each for each in lint(add_items(read_description(described), items), load())}
    assert "all 6 samples have" in findings["hot-key"].message
    assert findings["hot-key"].figures["writes_per_s"] == 500  # 1.5 KB, 2 units each
    assert findings["index-throughput"].figures["write_units_needed"] == 40
    assert findings["projection-all"].figures == {"write_units_all": 2, "write_units_keys_only": 1}


def test_saved_answers_of_cloudwatch_are_sized(aws: Cli, started_s: float, tmp_path: Path) -> None:
    start, end = (time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at)) for at in (started_s - 60, time.time() + 60))
    span = ("--start-time", start, "--end-time", end)
    dimensions = [{"Name": "TableName", "Value": "posts"}]
    queries = tmp_path / "queries.json"
    queries.write_text(
        json.dumps(
            [
                {"Id": name, "MetricStat": {"Metric": {"Namespace": "AWS/DynamoDB", "MetricName": metric,
                                                       "Dimensions": dimensions}, "Period": 60, "Stat": stat}}
                for name, metric, stat in (
                    ("units", "ConsumedWriteCapacityUnits", "Sum"),
                    ("setting", "ProvisionedWriteCapacityUnits", "Maximum"),
                )
            ]
        ),
        encoding="utf-8",
    )  # fmt: skip
    data, statistics = tmp_path / "data.json", tmp_path / "statistics.json"
    data.write_text(
        aws("cloudwatch", "get-metric-data", "--metric-data-queries", f"file://{queries}", *span), encoding="utf-8"
    )
    statistics.write_text(
        aws("cloudwatch", "get-metric-statistics", "--namespace", "AWS/DynamoDB", "--metric-name",
            "ConsumedWriteCapacityUnits", "--dimensions", "Name=TableName,Value=posts", "--period", "60",
            "--statistics", "Average", "SampleCount", *span),
        encoding="utf-8",
    )  # fmt: skip
    whole = import_metrics([data, queries], Whose("posts")).metrics
    writes = next(each for each in sizing(whole, None, load()).throughputs if each.kind == "write")
    assert writes.consumed_units == 12  # 6 posts of 2 units
    rest = import_metrics([statistics], Whose("posts", period_s=60)).metrics
    assert "Average and SampleCount together give it back" in explanations(rest)[0]
    given_back = next(each for each in sizing(rest, None, load()).throughputs if each.kind == "write")
    assert given_back.consumed_units == pytest.approx(12)
