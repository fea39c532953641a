"""`meshcap lint`: the seed's timeline table, its findings on the terminal and as JSON, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer import Typer
from typer.testing import CliRunner

from meshcap.errors import UserError
from meshcap.verbs import lint as verb

app = Typer()
app.command()(verb.command)

TIMELINES = """\
Resources:
  Timelines:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: timelines
      BillingMode: PAY_PER_REQUEST
      KeySchema: [{AttributeName: timeline_id, KeyType: HASH}]
      AttributeDefinitions:
        - {AttributeName: timeline_id, AttributeType: S}
        - {AttributeName: sort_hash_key, AttributeType: N}
        - {AttributeName: process_at, AttributeType: N}
      GlobalSecondaryIndexes:
        - IndexName: sort_hash_key_process_at_index
          KeySchema:
            - {AttributeName: sort_hash_key, KeyType: HASH}
            - {AttributeName: process_at, KeyType: RANGE}
          Projection: {ProjectionType: ALL}
"""


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "timelines.yaml"
    path.write_text(TIMELINES, encoding="utf-8")
    return path


def test_the_timeline_app_is_told_about_its_constant_key(template: Path) -> None:
    result = CliRunner().invoke(app, [str(template)])
    assert result.exit_code == 0
    assert f"{template}:13: error: timelines/sort_hash_key_process_at_index: sort_hash_key is the same" in result.output
    assert "at most 1,000 writes/s" in result.output
    assert "[monotonic-sort-key]" in result.output


def test_the_findings_as_json(template: Path) -> None:
    result = CliRunner().invoke(app, [str(template), "--json"])
    report = json.loads(result.stdout)
    assert report["tables"] == ["timelines"]
    by_rule = {finding["rule"]: finding for finding in report["findings"]}
    assert by_rule["hot-key"]["figures"]["shards"] == 4
    assert by_rule["hot-key"]["line"] == 13


def test_strict_fails_on_errors(template: Path) -> None:
    assert CliRunner().invoke(app, [str(template), "--strict"]).exit_code == 99


def test_a_file_that_describes_no_table_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "empty.yaml"
    path.write_text("a: 1", encoding="utf-8")
    result = CliRunner().invoke(app, [str(path), "--parameter", "x"])
    assert isinstance(result.exception, UserError)
    assert "--parameter Stage=prod" in str(result.exception)
    result = CliRunner().invoke(app, [str(path)])
    assert isinstance(result.exception, UserError)
    assert "expected a CloudFormation template" in str(result.exception)
