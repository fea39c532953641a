"""The disk is full or not writable while a run is written: one sentence says which file, and nothing is half there."""

from __future__ import annotations

import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from capacity.exit_codes import ExitCode
from tests.faults.conftest import Start


def no_file_beyond(size_bytes: int) -> Callable[[], None]:
    """A limit that every process of the run inherits: writing past it fails with EFBIG, as ENOSPC would."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, size_bytes))


@pytest.mark.parametrize(
    ("scenario", "size_bytes", "file", "status"),
    [
        pytest.param("brief", 1_000, "run.json", None, id="at the first file"),
        pytest.param("brief", 20_000, "forecast.json", "failed", id="at the forecast"),
        pytest.param("starved", 45_000, "", "failed", id="while requests are recorded"),
        pytest.param("brief", 60_000, "report.html", "finished", id="at the report"),
    ],
)
def test_a_disk_that_is_full_ends_in_one_sentence_and_no_half_file(
    start: Start, scenario: str, size_bytes: int, file: str, status: str | None
) -> None:
    outcome = start(scenario, preexec=no_file_beyond(size_bytes)).over()
    outcome.assert_in_order(ExitCode.BAD_CONFIGURATION, whole=False)
    sentence = outcome.stderr.strip().splitlines()[-1]
    assert f"{file} cannot be written" in sentence
    assert "This is a defect" not in outcome.stderr
    assert status is None or outcome.record.status == status


def test_a_folder_that_cannot_be_made_is_told_before_anything_starts(start: Start, tmp_path: Path) -> None:
    (tmp_path / "runs0").write_text("a file where a folder should be")
    run = start("brief")
    stdout, stderr = run.process.communicate(timeout=60)
    assert run.process.returncode == ExitCode.BAD_CONFIGURATION
    assert (stdout, "Traceback" in stderr) == ("", False)
    assert "--runs" in stderr
