"""A Ctrl-C while a run is judged ends the command when comparison and verdict are both written."""

from __future__ import annotations

import shutil
import signal
from pathlib import Path

import pytest

from capacity.record import read_run, write_json
from meshcap import finished_run

RUN = Path(__file__).parents[2] / "data" / "old_runs" / "version-1"


def test_an_interrupt_waits_until_the_verdict_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_dir = Path(shutil.copytree(RUN, tmp_path / "run"))
    (run_dir / "comparison.json").unlink()
    before = (run_dir / "run.json").read_bytes()

    def strike(*arguments: object) -> None:
        signal.raise_signal(signal.SIGINT)
        write_json(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(finished_run, "write_json", strike)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in the background ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            finished_run.judge_run(run_dir)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert (run_dir / "comparison.json").exists()
    assert (run_dir / "run.json").read_bytes() != before
    assert read_run(run_dir).verdict is not None
