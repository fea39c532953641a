"""Two runs of one scenario: what became worse is named with its operation, what only looks so is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from run_directory import record, scenario

from capacity.exit_codes import ExitCode
from capacity.record import write_run
from reports.compare import RunsDiffer, compare
from reports.run import Run


def _edit(run: Path, name: str, change: Callable[[dict[str, Any]], None]) -> None:
    path = run / name
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def _slow(run: Path, factor: float, late_ms: float = 0.0) -> None:
    """Make every answer slower, and every request be sent later."""
    path = run / "requests.parquet"
    table = pq.read_table(path)
    latency_ms = table["latency_ms"].to_numpy() * factor
    late_us = np.random.default_rng(4).exponential(late_ms * 1000, table.num_rows).astype(np.int64)
    start = pa.array(table["start"].cast(pa.int64()).to_numpy() + late_us).cast(table.schema.field("start").type)
    before_ms = (table["intended_latency_ms"].to_numpy() - table["latency_ms"].to_numpy()) + late_us / 1000
    columns = {
        "latency_ms": pa.array(latency_ms),
        "intended_latency_ms": pa.array(latency_ms + before_ms),
        "start": start,
    }
    for name, values in columns.items():
        table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), values)
    pq.write_table(table, path)


def test_a_run_and_itself_differ_in_nothing(whole_run: Path) -> None:
    found = compare(whole_run, whole_run)
    assert found.exit_code is ExitCode.OK
    assert {change.outcome for change in found.changes} == {"same"}
    assert "**Nothing changed beyond its tolerance.**" in found.markdown()


def test_an_operation_that_the_model_charges_one_unit_more_is_named(
    whole_run: Path, run_copy: Callable[[], Path]
) -> None:
    after = run_copy()

    def one_more(content: dict[str, Any]) -> None:
        report = next(o for o in content["operations"] if o["name"] == "reportDataByNode")
        report["units_sent"]["GroupNameIndex"] = {"read": 0, "write": report["sent"]}

    _edit(after, "comparison.json", one_more)
    found = compare(whole_run, after)
    assert found.exit_code is ExitCode.THRESHOLD_FAILED
    assert "Worse: reportDataByNode: 0 → 1 units per request, writes, GroupNameIndex" in found.markdown()


def test_an_operation_that_costs_one_unit_more_than_the_model_is_found_by_its_shape(
    whole_run: Path, run_copy: Callable[[], Path]
) -> None:
    after = run_copy()
    run = Run.open(after)
    assert run.requests is not None

    def one_more(content: dict[str, Any]) -> None:
        series = next(s for s in content["series"] if (s["resource"], s["kind"]) == ("table", "read"))
        chosen = run.requests.operation == run.requests.operations.index("listGroupStatuses")  # type: ignore[union-attr]
        edges = np.append(series["start_s"], series["start_s"][-1] + 10) - run.start.timestamp()
        extra = np.histogram(run.requests.start_s[chosen], edges)[0]  # type: ignore[union-attr]
        series["measured"] = [sent + more for sent, more in zip(series["sent"], extra, strict=True)]

    _edit(after, "comparison.json", one_more)
    found = compare(whole_run, after)
    [worse] = [change for change in found.worse if change.area == "units"]
    assert (worse.subject, worse.detail, worse.before, worse.after) == ("listGroupStatuses", "table read", 0.5, 1.5)


def test_latency_that_grew_while_the_generator_kept_its_time_is_worse(
    whole_run: Path, run_copy: Callable[[], Path]
) -> None:
    after = run_copy()
    _slow(after, 4.0)
    found = compare(whole_run, after)
    assert any(change.area == "latency" and change.outcome == "worse" for change in found.changes)
    assert found.exit_code is ExitCode.THRESHOLD_FAILED


def test_latency_that_grew_with_the_generators_own_lateness_is_the_machines(
    whole_run: Path, run_copy: Callable[[], Path]
) -> None:
    after = run_copy()
    _slow(after, 4.0, late_ms=8.0)
    found = compare(whole_run, after)
    assert {change.outcome for change in found.changes if change.area == "latency"} <= {"same", "noise"}
    assert found.exit_code is ExitCode.OK
    assert "the machine was busier or idler" in found.markdown()


def test_faster_is_better_and_no_failure(whole_run: Path, run_copy: Callable[[], Path]) -> None:
    before = run_copy()
    _slow(before, 4.0)
    found = compare(before, whole_run)
    assert not found.worse
    assert found.markdown().split("\n")[2].startswith("**Better: ")


def test_a_machine_can_read_what_a_person_reads(whole_run: Path, run_copy: Callable[[], Path]) -> None:
    after = run_copy()
    (after / "comparison.json").unlink()
    found = compare(whole_run, after)
    content = json.loads(found.for_machines().model_dump_json())
    assert content["exit_code"] == ExitCode.UNKNOWN
    assert [change["before"] for change in content["changes"] if change["outcome"] == "unknown"]
    assert len(content["changes"]) == len(found.changes)


def test_a_lost_delivery_is_worse(whole_run: Path, run_copy: Callable[[], Path]) -> None:
    after = run_copy()
    path = after / "deliveries.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    rows[0]["lost"], rows[0]["delivered"] = 1, rows[0]["delivered"] - 1
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path)
    found = compare(whole_run, after)
    assert [change.subject for change in found.worse] == ["lost"]


def test_what_is_not_known_is_not_the_same(whole_run: Path, run_copy: Callable[[], Path]) -> None:
    after = run_copy()
    (after / "comparison.json").unlink()
    found = compare(whole_run, after)
    assert found.exit_code is ExitCode.UNKNOWN
    assert "not everything is known" in found.markdown()


def test_runs_of_different_things_are_refused_with_every_difference(
    whole_run: Path, run_copy: Callable[[], Path]
) -> None:
    after = run_copy()
    other = scenario().model_copy(update={"region": "us-east-1", "seed": 2})
    write_run(after, record(scenario=other, scenario_digest=other.digest()))
    _edit(after, "forecast.json", lambda content: content["cost"].update(prices_as_of="2026-10-01"))
    with pytest.raises(RunsDiffer, match="not comparable") as refused:
        compare(whole_run, after)
    assert {what for what, _, _ in refused.value.differences} == {"scenario", "region", "prices as of"}
    assert "--force" in str(refused.value)
    forced = compare(whole_run, after, force=True).markdown()
    assert "Compared although the runs differ in region: ap-northeast-1 before, us-east-1 after." in forced


def test_a_run_that_is_not_valid_is_refused(whole_run: Path, run_copy: Callable[[], Path]) -> None:
    after = run_copy()
    whole = record()
    assert whole.generator is not None
    write_run(after, whole.model_copy(update={"generator": whole.generator.model_copy(update={"valid": False})}))
    with pytest.raises(RunsDiffer, match="generator: valid before, not valid after"):
        compare(whole_run, after)


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_names_from_a_run_are_text_in_the_comment(whole_run: Path, run_copy: Callable[[], Path], lang: str) -> None:
    after = run_copy()
    write_run(after, record(run_id="<img src=x onerror=alert(1)>", scenario_name="a|b*c*"))
    text = compare(whole_run, after, force=True).markdown(lang)
    assert "<img" not in text
    assert "a\\|b\\*c\\*" in text
