"""A run directory is written whole or not at all, and a broken one is explained."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from capacity.record import RunDirectoryError, RunRecord, Target, read_run, replacing, run_id, update_run, write_run
from capacity.run_tables import dimension_text
from capacity.scenario import load_scenarios

SMOKE = load_scenarios(Path(__file__).parents[3] / "scenarios.yaml")["smoke"]


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    record = RunRecord(
        run_id="2026-11-30T13-30-00Z-smoke",
        scenario_name="smoke",
        scenario=SMOKE,
        scenario_digest=SMOKE.digest(),
        status="started",
        started_at=datetime(2026, 11, 30, 13, 30, tzinfo=UTC),
        target=Target(
            kind="sandbox", graphql_url="http://127.0.0.1:1/graphql", region="ap-northeast-1", table_name="T"
        ),
    )
    write_run(tmp_path, record)
    return tmp_path


def test_a_record_reads_as_it_was_written(run_dir: Path) -> None:
    changed = update_run(run_dir, status="finished")
    assert read_run(run_dir) == changed
    assert changed.scenario == SMOKE


def test_a_fault_while_writing_leaves_the_old_file_and_no_litter(run_dir: Path) -> None:
    before = (run_dir / "run.json").read_bytes()

    def fill_the_disk() -> None:
        with replacing(run_dir / "run.json") as temporary:
            temporary.write_text("half a rec")
            raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        fill_the_disk()
    assert (run_dir / "run.json").read_bytes() == before
    assert os.listdir(run_dir) == ["run.json"]


@pytest.mark.parametrize(
    ("sentence", "content", "words"),
    [
        ("A folder that is no run says what one looks like.", None, "it has no run.json; give a folder like runs/"),
        ("Half a file is named as one.", '{"schema_version": 1, "run_id"', "is not a run record of version"),
        ("Bytes that are no text are named.", b"\xff\xfe\x00", "is not a run record of version 1: no JSON"),
        ("A list is no record.", "[]", "is not a run record"),
    ],
)
def test_a_broken_run_directory_is_explained(
    tmp_path: Path, sentence: str, content: str | bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / "run.json").write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(RunDirectoryError, match=words):
        read_run(tmp_path)


def test_a_run_is_named_by_its_start_and_scenario() -> None:
    assert run_id(datetime(2026, 11, 30, 13, 30, 5, tzinfo=UTC), "smoke") == "2026-11-30T13-30-05Z-smoke"


def test_dimensions_are_written_in_one_order() -> None:
    text = dimension_text([("TableName", "t"), ("GlobalSecondaryIndexName", "i")])
    assert text == "GlobalSecondaryIndexName=i,TableName=t"
