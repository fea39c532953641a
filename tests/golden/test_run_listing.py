"""`meshcap runs`: a folder of runs, whole, broken and none."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import numpy as np
import pyarrow.parquet as pq
import pytest
from run_directory import build
from typer.testing import CliRunner

from capacity.record import read_run
from meshcap.cli import app

RUNS = CliRunner()


def listing(folder: Path) -> dict[str, dict[str, object]]:
    done = RUNS.invoke(app, ["runs", str(folder), "--json"])
    assert done.exit_code == 0, done.stderr
    document = json.loads(done.stdout)
    schema = json.loads((Path(__file__).parents[2] / "schemas" / "runs.schema.json").read_text())
    jsonschema.validate(document, schema)
    return {each["run"]: each for each in [*document["runs"], *document["unreadable"]]}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole run, one whose files are broken one by one, one of another version, a search, and what is no run."""
    folder = tmp_path_factory.mktemp("runs")
    build(folder / "2026-11-30T13-30-00Z-whole")
    broken = build(folder / "2026-11-30T13-31-00Z-broken")
    for name in ("requests.parquet", "deliveries.parquet", "comparison.json", "forecast.json"):
        (broken / name).write_bytes((broken / name).read_bytes()[:100])
    other = build(folder / "2026-11-30T13-32-00Z-other")
    document = json.loads((other / "run.json").read_text()) | {"schema_version": 99}
    (other / "run.json").write_text(json.dumps(document))
    bare = build(folder / "2026-11-30T13-33-00Z-bare")
    for path in bare.iterdir():
        if path.name != "run.json":
            path.unlink()
    build(folder / "2026-11-30T13-34-00Z-search" / "2026-11-30T13-34-01Z-x1")
    (folder / "notes").mkdir()
    (folder / "studies").mkdir()
    (folder / "studies" / "classroom-cost.html").write_text("<!doctype html>")
    (folder / "a file").write_text("no folder")
    return folder


def test_a_whole_run_shows_its_figures(folder: Path) -> None:
    run = folder / "2026-11-30T13-30-00Z-whole"
    found, record = listing(folder)[run.name], read_run(run)
    assert record.verdict is not None
    assert (found["scenario"], found["verdict"]) == (record.scenario_name, record.verdict.outcome)
    requests = pq.read_table(run / "requests.parquet").to_pandas()
    window = requests[requests["intended_start"].between(record.measuring_from, record.measuring_until, "left")]
    answered = np.sort(window[window["outcome"] != "error"]["intended_latency_ms"].to_numpy())
    position = int(np.ceil(0.99 * (len(answered) - 1)))
    assert found["latency_p99_ms"] == answered[position]
    deliveries = pq.read_table(run / "deliveries.parquet").to_pandas()
    assert found["deliveries_lost"] == deliveries["lost"].sum() + deliveries["lost_after_ack"].sum()
    assert found["cost_usd"] == json.loads((run / "forecast.json").read_text())["cost"]["run_usd"]
    assert found["faults"] == []


def test_broken_files_cost_their_figures_and_are_named(folder: Path) -> None:
    found = listing(folder)["2026-11-30T13-31-00Z-broken"]
    assert [found[name] for name in ("latency_p99_ms", "deliveries_lost", "model_error", "cost_usd")] == [None] * 4
    faults = found["faults"]
    assert isinstance(faults, list)
    assert {fault.split(":")[0] for fault in faults} == {
        "requests.parquet",
        "deliveries.parquet",
        "comparison.json",
        "forecast.json",
    }


def test_files_that_are_not_there_are_unknown_and_no_fault(folder: Path) -> None:
    found = listing(folder)["2026-11-30T13-33-00Z-bare"]
    assert found["latency_p99_ms"] is None
    assert found["faults"] == []


def test_what_is_no_run_is_named_with_the_reason(folder: Path) -> None:
    found = listing(folder)
    assert "version" in str(found["2026-11-30T13-32-00Z-other"]["reason"])
    assert "has no run.json" in str(found["notes"]["reason"])
    assert "a file" not in found


def test_the_pages_of_studies_are_no_run_that_is_missing(folder: Path) -> None:
    assert "studies" not in listing(folder)


def test_the_runs_of_a_search_are_listed_under_it(folder: Path) -> None:
    assert "2026-11-30T13-34-00Z-search/2026-11-30T13-34-01Z-x1" in listing(folder)


def test_people_read_a_table_and_the_reasons_beside_it(folder: Path) -> None:
    done = RUNS.invoke(app, ["runs", str(folder)], env={"COLUMNS": "200"})
    assert done.exit_code == 0
    assert "2026-11-30T13-30-00Z-whole" in done.stdout
    assert "Traceback" not in done.output


def test_a_folder_that_is_not_there_is_said_in_a_sentence(tmp_path: Path) -> None:
    from meshcap.cli import main

    with pytest.raises(SystemExit) as leaving:
        main(["runs", str(tmp_path / "nowhere")])
    assert leaving.value.code == 104


def test_an_empty_folder_has_no_runs(tmp_path: Path) -> None:
    assert listing(tmp_path) == {}
