"""Generated run directories, built once, and copies of them to take apart."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from run_directory import build

from reports import render


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete run directory, rendered in English; not to be changed."""
    directory = build(tmp_path_factory.mktemp("whole") / "run")
    render(directory)
    return directory


@pytest.fixture(scope="session")
def polling_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A complete run directory in polling mode, rendered in Japanese; not to be changed."""
    directory = build(tmp_path_factory.mktemp("polling") / "run", polling=True)
    render(directory, "ja")
    return directory


@pytest.fixture
def run_copy(whole_run: Path, tmp_path: Path) -> Callable[[], Path]:
    """Make a copy of the complete run directory without its reports."""

    def copy() -> Path:
        directory = Path(shutil.copytree(whole_run, tmp_path / "run"))
        for name in ("report.html", "report.md", "junit.xml"):
            (directory / name).unlink()
        return directory

    return copy
