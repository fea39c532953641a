"""Every notebook runs from its first cell to its last, and says of a run what was put into it."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pyarrow.parquet as pq
import pytest

NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"
SECONDS = 70  # of the generated run; in each, each of its two groups owes 16 deliveries of each kind of message


@pytest.fixture(autouse=True)
def _no_window() -> None:
    plt.switch_backend("Agg")


def run(name: str, directory: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Execute a notebook on a run directory; return its variables."""
    monkeypatch.setenv("MESHCAP_RUN", str(directory))
    try:
        return runpy.run_path(str(NOTEBOOKS / name))
    finally:
        plt.close("all")


def test_the_page_lists_every_notebook() -> None:
    page = (NOTEBOOKS / "README.md").read_text(encoding="utf-8")
    assert all(f"({path.name})" in page for path in NOTEBOOKS.glob("*.py"))


def test_errors_and_throttles_are_those_of_the_run(websocket_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run("forecast_and_measured.py", websocket_run, monkeypatch)
    table = found["units"].loc[("table", "read")]
    assert table["traffic_error"] == pytest.approx((12.8 - 12.9) / 12.9)  # planned 12.9 a second, 12.8 were sent
    assert table["model_error"] == 0
    assert ("GroupIdIndex", "read") not in found["units"].index  # nothing was planned, sent or measured there
    throttled = found["throttles"]["measured"].dropna()
    assert list(throttled[throttled > 0].index) == [("GroupIdIndex", "write")]


def test_latency_counts_the_measuring_window_alone(websocket_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run("latency.py", websocket_run, monkeypatch)
    whole = pq.read_table(websocket_run / "requests.parquet").num_rows
    assert found["due"].loc["all", "requests"] == pytest.approx(whole * 60 / SECONDS, rel=0.05)
    assert found["due"].loc["reportDataByNode", "p50"] == pytest.approx(6.0, rel=0.1)  # the median that was put in
    assert found["due"].loc["renewHeartbeat", "p95"] != found["due"].loc["renewHeartbeat", "p95"]  # too few to know it
    assert (found["due"]["max"] >= found["sent"]["max"]).all()


def test_outcomes_of_deliveries_add_up_to_what_was_owed(websocket_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run("deliveries.py", websocket_run, monkeypatch)
    outcomes = found["outcomes"]
    assert outcomes.loc[("websocket", "event"), "expected"] == outcomes.loc[("websocket", "event"), "delivered"]
    assert outcomes.loc[("websocket", "report"), "expected"] == 2 * SECONDS * 16
    assert outcomes.loc[("websocket", "report"), "late"] == 2  # one in each group
    assert found["waits_ms"].loc[("websocket", "report"), "max"] == pytest.approx(5100, rel=0.001)


def test_losses_by_the_cursor_rule_are_named(polling_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = run("deliveries.py", polling_run, monkeypatch)["outcomes"]
    assert outcomes.loc[("polling", "event"), "lost_by_cursor"] == 2 * 2 * SECONDS / 5
    assert "lost" not in outcomes.columns  # nothing was


def test_costs_add_up_to_the_month(websocket_run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = run("cost.py", websocket_run, monkeypatch)
    assert found["by_service"].sum() == pytest.approx(found["cost"].monthly_usd, rel=0.01)
    assert found["by_operation"].to_numpy().sum() == pytest.approx(found["by_service"].sum())
