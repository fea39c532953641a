"""A run directory that is not whole: the report shows what there is, says what is missing, and makes nothing up."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from run_directory import record

from capacity.record import RunDirectoryError, write_run
from reports import render

FILES = (
    "requests.parquet",
    "deliveries.parquet",
    "delivery_faults.parquet",
    "metrics.parquet",
    "forecast.json",
    "comparison.json",
)


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_named_and_the_rest_is_shown(run_copy: Callable[[], Path], name: str) -> None:
    run = run_copy()
    (run / name).unlink()
    text = render(run).read_text()
    assert f"{name} is not in the run directory" in text
    assert "Assumptions" in text


@pytest.mark.parametrize("name", FILES)
def test_a_broken_file_is_named_with_its_fault(run_copy: Callable[[], Path], name: str) -> None:
    run = run_copy()
    (run / name).write_bytes(b"not what it should be")
    assert f"{name} cannot be read" in render(run).read_text()


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".parquet")])
def test_a_table_of_something_else_is_named_with_what_it_lacks(run_copy: Callable[[], Path], name: str) -> None:
    run = run_copy()
    pq.write_table(pa.table({"colour": ["red"]}), run / name)
    assert re.search(rf"{name} cannot be read.*: it lacks the columns \w+", render(run).read_text())


def test_a_run_that_has_only_begun_has_a_report_without_a_verdict(tmp_path: Path) -> None:
    begun = {"status": "started", "measuring_from": None, "measuring_until": None, "ended_at": None}
    write_run(tmp_path, record(**begun, generator=None, verdict=None))
    render(tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert "**Not judged: This run has no verdict.**" in text
    assert "it left no record of itself" in text
    assert "Passed" not in text


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunDirectoryError, match=r"it has no run\.json"):
        render(tmp_path)


def test_without_metrics_nothing_measured_is_claimed(run_copy: Callable[[], Path]) -> None:
    run = run_copy()
    (run / "metrics.parquet").unlink()
    (run / "comparison.json").unlink()
    render(run)
    text = (run / "report.md").read_text()
    assert "CloudWatch counted" not in text
    assert "Throttles" not in text


def test_a_metric_without_points_is_unknown_and_not_zero(run_copy: Callable[[], Path]) -> None:
    run = run_copy()
    path = run / "comparison.json"
    from capacity.judgement.comparison import Comparison

    whole = Comparison.model_validate_json(path.read_text())
    blank = {
        "measured": None,
        "model_error": None,
        "prediction_error": None,
        "unexplained_units": None,
        "model_units": None,
    }
    units = [part.model_copy(update=blank) for part in whole.units]
    path.write_text(whole.model_copy(update={"units": units}).model_dump_json())
    render(run)
    text = (run / "report.md").read_text()
    assert "CloudWatch has no points for some table or index" in text
    row = next(line for line in text.splitlines() if line.startswith("| table, writes | 571 |"))
    assert row.count("unknown") == 5


def test_no_requests_at_all_is_said(run_copy: Callable[[], Path]) -> None:
    from capacity.run_tables import REQUESTS

    run = run_copy()
    pq.write_table(REQUESTS.empty_table(), run / "requests.parquet")
    render(run)
    text = (run / "report.md").read_text()
    assert "No answered request lies in the measuring window." in text
    assert "No request was recorded." in text


def test_tables_without_rows_make_a_report_that_claims_nothing(run_copy: Callable[[], Path]) -> None:
    from capacity.run_tables import DELIVERIES, DELIVERY_FAULTS, METRICS, REQUESTS

    run = run_copy()
    for name, schema in (
        ("requests", REQUESTS),
        ("deliveries", DELIVERIES),
        ("delivery_faults", DELIVERY_FAULTS),
        ("metrics", METRICS),
    ):
        pq.write_table(schema.empty_table(), run / f"{name}.parquet")
    (run / "comparison.json").unlink()
    render(run)
    text = (run / "report.md").read_text()
    assert "No delivery was owed in this run." in text
    assert "Unknown: no throttle metric was read." in text
    assert "No request was recorded." in text


@pytest.mark.parametrize("status", ["interrupted", "failed"])
def test_a_run_that_ended_early_is_shown_up_to_its_end(run_copy: Callable[[], Path], status: str) -> None:
    from datetime import timedelta

    run = run_copy()
    whole = record()
    assert whole.verdict is not None
    early = {"ended_at": whole.started_at + timedelta(seconds=30), "status": status}
    verdict = whole.verdict.model_copy(update={"outcome": "interrupted", "exit_code": 105})
    write_run(run, whole.model_copy(update=early | {"verdict": verdict}))
    page = render(run).read_text()
    assert "The run was interrupted; what it measured until then says nothing about its thresholds." in page
    assert ">1:00<" not in page


def test_a_punctual_generator_that_sent_less_is_not_called_as_planned(run_copy: Callable[[], Path]) -> None:
    run = run_copy()
    whole = record()
    assert whole.generator is not None
    write_run(run, whole.model_copy(update={"generator": whole.generator.model_copy(update={"achieved": 0.56})}))
    page = render(run).read_text()
    assert "was punctual, yet only 996 of 997 requests were sent (56 %)" in page
    assert "sent as planned" not in page
