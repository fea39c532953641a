"""Parquet files whose types, values or moments are none of a run's are refused, not believed and not waited for."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from capacity.measurement.measured import read_measured
from capacity.record import RunDirectoryError, read_run
from capacity.run_tables import METRICS, read_table

START = datetime(2026, 11, 30, 13, 30, tzinfo=UTC)
POINT = {
    "namespace": "AWS/DynamoDB",
    "metric": "ConsumedWriteCapacityUnits",
    "dimensions": "TableName=T",
    "statistic": "Sum",
    "period_s": 60,
    "timestamp": START,
    "value": 5.0,
}


def written(folder: Path, points: list[dict[str, Any]], **other: pa.Field) -> Path:
    """A metrics.parquet of points, with other fields than METRICS in places."""
    path = folder / "metrics.parquet"
    schema = pa.schema([other.get(field.name, field) for field in METRICS])
    pq.write_table(pa.Table.from_pylist(points, schema=schema), path)
    return path


@pytest.mark.parametrize(
    ("other", "why"),
    [
        pytest.param(pa.field("value", pa.string()), "not numbers", id="text for numbers"),
        pytest.param(
            pa.field("metric", pa.binary()), "UTF8", id="bytes that are no text, as one flipped bit makes of it"
        ),
        pytest.param(pa.field("timestamp", pa.bool_()), "bool", id="truth for a moment"),
    ],
)
def test_a_column_of_another_type_is_refused(tmp_path: Path, other: pa.Field, why: str) -> None:
    value = {"value": "not numbers", "metric": b"\xff", "timestamp": True}[other.name]
    path = written(tmp_path, [POINT | {other.name: value}], **{other.name: other})
    with pytest.raises(pa.ArrowException, match=why):
        read_table(path)


def test_a_column_that_was_written_shorter_is_widened(tmp_path: Path) -> None:
    path = written(tmp_path, [POINT], value=pa.field("value", pa.float32()), metric=pa.field("metric", pa.string()))
    assert read_table(path).schema.types == METRICS.types


def test_a_value_that_must_be_there_is_missed(tmp_path: Path) -> None:
    path = written(tmp_path, [POINT | {"period_s": None}], period_s=pa.field("period_s", pa.int32()))
    with pytest.raises(ValueError, match="period_s lacks 1 value"):
        read_table(path)


def test_a_column_that_is_asked_for_is_missed_by_name(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="lacks the columns outcome"):
        read_table(written(tmp_path, [POINT]), ["metric", "outcome"])


@pytest.mark.parametrize(
    ("points", "why"),
    [
        ([POINT, POINT | {"timestamp": START + timedelta(days=36_500)}], "36,500 days apart"),
        ([POINT | {"period_s": 0}], "a period"),
        ([POINT | {"period_s": -60}], "a period"),
    ],
    ids=["a century between", "no period", "a period backwards"],
)
def test_periods_that_would_fill_the_memory_are_refused(tmp_path: Path, points: list[dict[str, Any]], why: str) -> None:
    written(tmp_path, points)
    with pytest.raises(ValueError, match=why):
        read_measured(tmp_path, "T")


def test_all_the_minutes_that_cloudwatch_keeps_are_read(tmp_path: Path) -> None:
    written(tmp_path, [POINT, POINT | {"timestamp": START + timedelta(days=455)}])
    measured = read_measured(tmp_path, "T")
    assert measured is not None
    assert measured.units("table", "write") == 10.0


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    """Opening one would wait for its other end, deaf to Ctrl-C."""
    for name in ("run.json", "requests.parquet"):
        os.mkfifo(tmp_path / name)
    with pytest.raises(RunDirectoryError, match="no file"):
        read_run(tmp_path)
    with pytest.raises(OSError, match="no file"):
        read_table(tmp_path / "requests.parquet")
