"""The generated run directory of the golden reports, for notebooks to read."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))

from run_directory import build


@pytest.fixture(scope="session")
def websocket_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two groups over WebSocket whose GroupIdIndex throttles 41 s into the run."""
    return build(tmp_path_factory.mktemp("websocket") / "run")


@pytest.fixture(scope="session")
def polling_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same over polling, with two events lost by the cursor rule every fifth second in each group."""
    return build(tmp_path_factory.mktemp("polling") / "run", polling=True)
