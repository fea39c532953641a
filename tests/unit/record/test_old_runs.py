"""Runs that older versions wrote are read, judged and reported today; what cannot be read says why.

Each folder of tests/data/old_runs is a run that the code of that version made; nobody ever writes one anew.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from capacity.exit_codes import ExitCode
from capacity.record import MAX_RUN_JSON_BYTES, RunDirectoryError, read_run
from capacity.record_upgrades import STEPS, upgraded
from meshcap.cli import main

OLD_RUNS = sorted((Path(__file__).parents[2] / "data" / "old_runs").iterdir())


@pytest.fixture(params=OLD_RUNS, ids=lambda path: path.name)
def old_run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return Path(shutil.copytree(request.param, tmp_path / "run"))


def command(*arguments: str) -> int:
    with pytest.raises(SystemExit) as leaving:
        main(list(arguments))
    return int(leaving.value.code or 0)


def test_an_old_run_is_read_judged_and_reported(old_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said_then = json.loads((old_run / "run.json").read_text())
    assert command("compare", str(old_run)) == said_then["verdict"]["exit_code"]
    assert command("report", str(old_run)) == ExitCode.OK
    record = read_run(old_run)
    assert record.run_id == said_then["run_id"]
    assert record.verdict is not None
    assert [(each.expression, each.outcome) for each in record.verdict.thresholds] == [
        (each["expression"], each["outcome"]) for each in said_then["verdict"]["thresholds"]
    ]
    page = (old_run / "report.html").read_text(encoding="utf-8")
    assert f"{pq.read_metadata(old_run / 'requests.parquet').num_rows:,}" in page
    assert "could not be read" not in page
    assert "Traceback" not in capsys.readouterr().err


def test_there_is_a_run_of_every_version_that_is_read() -> None:
    versions = {json.loads((run / "run.json").read_text())["schema_version"] for run in OLD_RUNS}
    assert {1, *STEPS} <= versions


_ANY: dict[str, Any] = {"schema_version": 1, "a": 1}


def test_steps_lead_from_version_to_version() -> None:
    steps = {1: lambda old: {"b": old["a"] + 1}, 2: lambda old: {"c": old["b"] * 10}}
    assert upgraded(_ANY, 3, steps) == {"schema_version": 3, "c": 20}
    assert upgraded(_ANY, 1, steps) is _ANY


@pytest.mark.parametrize(
    ("sentence", "content", "words"),
    [
        ("A newer version asks for a newer meshcap.", {"schema_version": 99}, "newer meshcap; .* update it"),
        ("A version before the first names what made it.", {"schema_version": 0}, "with the meshcap that made it"),
        (
            "A version that is no number is shown.",
            {"schema_version": "x" * 999},
            "schema_version is 'xxx.*not a number",
        ),
        ("True is not version 1.", {"schema_version": True}, "schema_version is True"),
        ("A huge number is cut short.", {"schema_version": 10**200}, r"schema version 1000+\.\.\., made by a newer"),
        ("A list is no record.", [], "no JSON object"),
        ("No version is none.", {}, "schema_version is None"),
    ],
)
def test_what_is_not_read_says_why(tmp_path: Path, sentence: str, content: Any, words: str) -> None:
    (tmp_path / "run.json").write_text(json.dumps(content))
    with pytest.raises(RunDirectoryError, match=words) as refusal:
        read_run(tmp_path)
    assert str(refusal.value).startswith(str(tmp_path / "run.json"))
    assert len(str(refusal.value)) < 600


def test_a_run_json_without_end_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "run.json").open("wb") as file:
        file.truncate(MAX_RUN_JSON_BYTES * 1_000)  # sparse: 8 GB that take no room
    with pytest.raises(RunDirectoryError, match=r"more than 8,388,608 bytes"):
        read_run(tmp_path)
