"""Is the table sized right? Closed forms of burst and settings, from points of CloudWatch alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer import Typer
from typer.testing import CliRunner

from capacity.pricing.prices import load
from capacity.run_tables import METRICS
from capacity.studies.sizing import SizingError, sizing, tables_in
from capacity.studies.sizing_record import Sizing, ThroughputSizing
from meshcap.errors import UserError
from meshcap.verbs import import_metrics as import_verb
from meshcap.verbs import sizing as sizing_verb

START = 1_796_000_400  # a whole hour
PRICES = load("ap-northeast-1")


def series(
    metric: str, statistic: str, values: Sequence[float | None], period_s: int = 60, index: str = ""
) -> list[tuple[object, ...]]:
    dimensions = f"GlobalSecondaryIndexName={index},TableName=posts" if index else "TableName=posts"
    return [
        (
            "AWS/DynamoDB",
            metric,
            dimensions,
            statistic,
            period_s,
            pd.Timestamp(START + n * period_s, unit="s", tz="UTC"),
            value,
        )
        for n, value in enumerate(values)
        if value is not None
    ]


def frame(*parts: list[tuple[object, ...]]) -> pd.DataFrame:
    return pd.DataFrame([row for part in parts for row in part], columns=METRICS.names)


def writes(found: Sizing, resource: str = "table") -> ThroughputSizing:
    return next(each for each in found.throughputs if each.resource == resource and each.kind == "write")


CONSUMED, THROTTLED, SET = "ConsumedWriteCapacityUnits", "WriteThrottleEvents", "ProvisionedWriteCapacityUnits"


def test_a_bank_is_drained_by_the_excess_and_never_more() -> None:
    # 100 set, 150 consumed: the bank of 30,000 loses 50 a second; after 5 minutes half is left
    found = writes(sizing(frame(series(CONSUMED, "Sum", [9000] * 5), series(SET, "Maximum", [100], 300)), None, PRICES))
    # a second's demand arrives at its start, before that second's refill
    assert found.lowest_burst_share == pytest.approx((30_000 - 150 - 299 * 50) / 30_000)
    assert found.mean_units_per_s == 150
    assert found.peak_utilisation == 1.5
    assert found.answer == "right"
    assert "throttles were not asked for" in found.sentence


def test_ten_minutes_of_it_empty_the_bank_at_the_very_end() -> None:
    rows = frame(series(CONSUMED, "Sum", [9000] * 11), series(SET, "Maximum", [100] * 3, 300))
    found = writes(sizing(rows, None, PRICES))
    assert found.answer == "too small"
    assert found.bank_empty_s == pytest.approx(60, abs=5)
    assert found.series is not None
    assert found.series.burst_left_units is not None
    assert found.series.burst_left_units[0] == pytest.approx(30_000 - 50 * 60, abs=150)


def test_the_smallest_setting_is_the_closed_form_of_a_steady_demand() -> None:
    # n seconds at d units need d * n / (299 + n) with the bank, d without: 150 over 600 s are 100.1, hence 101
    found = writes(sizing(frame(series(CONSUMED, "Sum", [9000] * 10)), None, PRICES))
    assert found.smallest_setting_units == 101
    assert found.without_burst_units == 150
    assert found.planned_units == 215  # 150 / 0.7
    assert found.answer == "on demand"  # nothing says that anything is provisioned


def test_throttles_are_demand_that_was_not_served() -> None:
    # 60 requests of 2 units each were admitted, 30 refused: 60 units more were wanted
    rows = frame(
        series(CONSUMED, "Sum", [120]), series(CONSUMED, "SampleCount", [60]), series(THROTTLED, "Sum", [30]),
        series(SET, "Maximum", [2]),
    )  # fmt: skip
    found = writes(sizing(rows, None, PRICES))
    assert (found.answer, found.throttle_events, found.throttled_units) == ("too small", 30, 60)
    assert found.without_burst_units == 3


def test_no_points_of_throttles_are_none_when_asked_for_and_unknown_when_not() -> None:
    consumed = series(CONSUMED, "Sum", [60, 60])
    asked = [("AWS/DynamoDB", THROTTLED, "TableName=posts", "Sum", 60, pd.NaT, None)]
    assert writes(sizing(frame(consumed, asked), None, PRICES)).throttle_events == 0
    assert writes(sizing(frame(consumed), None, PRICES)).throttle_events is None


def test_a_generous_setting_is_too_large_and_its_price_is_told() -> None:
    rows = frame(series(CONSUMED, "Sum", [420] * 3), series(THROTTLED, "Sum", [0] * 3), series(SET, "Maximum", [100]))
    found = writes(sizing(rows, None, PRICES))
    assert found.answer == "too large"
    assert found.planned_units == 10  # 7 a second at 70 %
    assert found.provisioned_usd_per_month == pytest.approx(100 * 730 * 0.000742, rel=0.01)  # Tokyo's price list
    assert found.planned_usd_per_month == pytest.approx(found.provisioned_usd_per_month / 10)


def test_a_setting_that_was_raised_refills_from_then_on() -> None:
    rows = frame(series(CONSUMED, "Sum", [9000] * 10), series(SET, "Maximum", [100, 400], 300))
    found = writes(sizing(rows, None, PRICES))
    assert found.series is not None
    left = found.series.burst_left_units
    assert left is not None
    assert left[4] == pytest.approx(15_000, abs=200)
    assert left[9] > left[4]
    assert found.provisioned_units_per_s == 400


def test_idle_minutes_without_points_count() -> None:
    found = writes(sizing(frame(series(CONSUMED, "Sum", [600, None, None, 600])), None, PRICES))
    assert found.mean_units_per_s == 5
    assert found.peak_units_per_s == 10


def test_each_index_is_judged_by_itself() -> None:
    rows = frame(
        series(CONSUMED, "Sum", [60] * 5),
        series(SET, "Maximum", [10], 300),
        series(CONSUMED, "Sum", [600] * 5, index="newest"),
        series(SET, "Maximum", [5], 300, index="newest"),
    )
    found = sizing(rows, "posts", PRICES)
    assert writes(found, "newest").lowest_burst_share == pytest.approx(0, abs=0.01)  # 1,500 saved, 5 a second too much
    assert writes(found).lowest_burst_share == pytest.approx(1, abs=0.01)
    assert next(each for each in found.throughputs if each.kind == "read").answer == "unknown"


def test_an_average_is_explained_and_not_taken_for_a_rate() -> None:
    found = sizing(frame(series(CONSUMED, "Average", [1.5] * 3)), None, PRICES)
    assert writes(found).answer == "unknown"
    assert writes(found).consumed_units is None
    assert "Ask for Sum" in found.explanations[0]


def test_which_table_must_be_clear() -> None:
    rows = frame(series(CONSUMED, "Sum", [1]))
    other = rows.assign(dimensions="TableName=users")
    assert tables_in(pd.concat([rows, other])) == ["posts", "users"]
    with pytest.raises(SizingError, match="which table"):
        sizing(pd.concat([rows, other]), None, PRICES)
    with pytest.raises(SizingError, match="they hold posts"):
        sizing(rows, "orders", PRICES)


app = Typer()
app.command("import-metrics")(import_verb.command)
app.command("sizing")(sizing_verb.command)


def test_from_a_saved_answer_to_the_verdict(tmp_path: Path) -> None:
    def answer(label: str, statistic: str, values: list[float]) -> str:
        path = tmp_path / f"{label}.json"
        times = [f"2026-11-30T09:{n:02}:00Z" for n in range(len(values))]
        points = [{"Timestamp": time, statistic: value} for time, value in zip(times, values, strict=True)]
        path.write_text(json.dumps({"Label": label, "Datapoints": points}), encoding="utf-8")
        return str(path)

    files = [
        answer(CONSUMED, "Sum", [9000.0] * 11),
        answer(SET, "Average", [100.0] * 11),
        answer(THROTTLED, "Sum", [0.0] * 11),
    ]
    folder = tmp_path / "posts"
    done = CliRunner().invoke(app, ["import-metrics", *files, "--table", "posts", "-o", str(folder)])
    assert done.exit_code == 0, done.output
    assert pq.read_table(folder / "metrics.parquet").schema.equals(METRICS, check_metadata=False)
    shown = CliRunner().invoke(app, ["sizing", str(folder)])
    assert "posts writes: too small. The burst bank was empty" in shown.output
    report = json.loads(CliRunner().invoke(app, ["sizing", str(folder), "--json"]).stdout)
    assert Sizing.model_validate(report).table == "posts"


def test_a_folder_without_metrics_is_told_how_to_make_them(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["sizing", str(tmp_path)])
    assert isinstance(result.exception, UserError)
    assert "meshcap import-metrics" in str(result.exception)
    (tmp_path / "metrics.parquet").write_bytes(b"no")
    assert isinstance(CliRunner().invoke(app, ["sizing", str(tmp_path)]).exception, UserError)


def test_a_run_directory_reads_as_well(tmp_path: Path) -> None:
    table = pa.Table.from_pandas(frame(series(CONSUMED, "Sum", [60])), schema=METRICS, preserve_index=False)
    pq.write_table(table, tmp_path / "metrics.parquet")
    assert CliRunner().invoke(app, ["sizing", str(tmp_path)]).exit_code == 0
