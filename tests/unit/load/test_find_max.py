"""What `meshcap run --find-max` keeps and decides, with made-up runs against a target that holds so much."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from capacity.exit_codes import ExitCode
from capacity.record import Generator, RunRecord, Target, ThresholdResult, Verdict, write_run
from capacity.run_tables import DELIVERIES
from capacity.scenario import load_scenario
from capacity.studies.highest_rate import HighestRate, Limits
from meshcap.errors import UserError
from meshcap.find_max import RECORD, Search, find_max, sentence
from meshcap.loop import Request

BEGIN = datetime(2026, 11, 30, 13, 30, tzinfo=UTC)
SCENARIOS = """\
version: 1
scenarios:
  lesson:
    population: {groups_per_domain: 1, members_per_group: 3}
    traffic: {reports: 1/s, event_batches: 0.5/s}
    schedule: {ramp: 2s, hold: 60s, drain: 2s}
  quiet:
    population: {groups_per_domain: 1, members_per_group: 3}
    traffic: {reports: 0/s, event_batches: 0/s}
    schedule: {ramp: 2s, hold: 60s, drain: 2s}
"""
Run = Callable[[Request], object]


@pytest.fixture(autouse=True)
def _no_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.render", lambda run_dir, lang: run_dir)


def search(folder: Path, **changes: Any) -> Search:
    (folder / "scenarios.yaml").write_text(SCENARIOS)
    request = Request(
        scenario=changes.pop("scenario", "lesson"),
        scenario_file=folder / "scenarios.yaml",
        target_url="sandbox",
        table_name=None,
        api_id=None,
        runs_dir=folder / "runs",
        patience_s=0.0,
        lang="en",
        owned=False,
        max_usd=1.0,
        locust_arguments=[],
    )
    options: dict[str, Any] = {"limits": Limits(), "max_probes": 8, "probe_hold_s": 20.0} | changes
    return Search(request, **options)


def write_deliveries(run_dir: Path, delivered: list[int]) -> None:
    """The ledger of one group: what came of each second's publications, from BEGIN on."""
    rows = [
        {"second": BEGIN + timedelta(seconds=second), "group": "g", "message": "report", "mode": "websocket"}
        | {field.name: 0 for field in DELIVERIES if str(field.type) == "int64"}
        | {"expected": came, "delivered": came}
        for second, came in enumerate(delivered)
    ]
    pq.write_table(pa.Table.from_pylist(rows, schema=DELIVERIES), run_dir / "deliveries.parquet")


def target(
    holds_per_s: float, *, outcome: str = "failed", stop_after: int = 99, window_s: tuple[float, float] = (0, 20)
) -> Run:
    """Runs against a target that holds that many reports per node and second; interrupted after some.

    Each publishes 100 deliveries a second from BEGIN until the end of its window, which is given in seconds.
    """
    made = 0

    def run(request: Request) -> None:
        nonlocal made
        made += 1
        scenario = load_scenario(request.scenario_file, request.scenario)
        held = scenario.traffic.reports_per_s <= holds_per_s
        run_dir = request.runs_dir / f"run{made}-{request.scenario}"
        run_dir.mkdir()
        p99_ms = 10.0 if held else 250.0
        result = ThresholdResult(
            expression="latency.p(99) < 100ms",
            outcome="passed" if held else "failed",
            limit=100,
            actual=p99_ms,
            unit="ms",
            margin=None,
        )
        judged = "interrupted" if made > stop_after else "passed" if held else outcome
        record = RunRecord(
            run_id=run_dir.name,
            scenario_name=request.scenario,
            scenario=scenario,
            scenario_digest=scenario.digest(),
            status="finished",
            started_at=BEGIN,
            measuring_from=BEGIN + timedelta(seconds=window_s[0]),
            measuring_until=BEGIN + timedelta(seconds=window_s[1]),
            target=Target(kind="sandbox", graphql_url="http://127.0.0.1/graphql", region="x", table_name="t"),
            generator=Generator(
                planned_requests=1,
                sent_requests=1,
                achieved=1.0,
                lateness_p99_ms=1.0,
                lateness_max_ms=1.0,
                cpu_mean_percent=40.0,
                cpu_max_percent=50.0,
                workers=1,
                valid=judged != "not valid",
                reasons=["too late"] if judged == "not valid" else [],
            ),
            verdict=Verdict.model_validate({"outcome": judged, "exit_code": 0, "sentence": "", "thresholds": [result]}),
        )
        write_run(run_dir, record)
        whole_s, rest_s = divmod(window_s[1], 1)
        write_deliveries(run_dir, [100] * int(whole_s) + [round(100 * rest_s)])

    return run


def kept(folder: Path) -> HighestRate:
    return HighestRate.model_validate_json((folder / RECORD).read_text())


def test_the_highest_rate_is_found_and_kept(tmp_path: Path) -> None:
    found, folder, code = find_max(search(tmp_path), target(holds_per_s=1.6))
    assert (code, found.status) == (ExitCode.OK, "found")
    assert found.highest is not None
    assert 1.6 / 1.05 <= found.highest.factor <= 1.6
    assert kept(folder) == found
    assert all((folder / probe.run / "run.json").exists() for probe in found.probes)
    assert all(probe.gave_way == ["latency.p(99) < 100ms: 250 ms"] for probe in found.probes if not probe.held)


@pytest.mark.parametrize(
    ("window_s", "delivered_per_s", "why"),
    [
        ((10, 30), 100, "a window of whole seconds holds them all"),
        ((10.04, 14.04), 100, "of the second that the window begins in, and of the one it ends in, nothing is counted"),
        ((10.9, 14.9), 100, "nor where it begins late in a second and ends late in one"),
        ((10.2, 10.8), None, "a window within one second knows no rate"),
    ],
)
def test_deliveries_are_counted_over_whole_seconds(
    tmp_path: Path, window_s: tuple[float, float], delivered_per_s: float | None, why: str
) -> None:
    found, _, _ = find_max(search(tmp_path, max_probes=1), target(holds_per_s=99, window_s=window_s))
    assert found.probes[0].deliveries_per_s == delivered_per_s, why


def test_the_probes_are_bounded(tmp_path: Path) -> None:
    found, _, code = find_max(search(tmp_path, max_probes=3), target(holds_per_s=1.6))
    assert (len(found.probes), found.status, code) == (3, "out of probes", ExitCode.OK)
    assert "--max-probes" in sentence(found)


def test_an_interrupt_keeps_what_was_measured_and_resume_goes_on(tmp_path: Path) -> None:
    found, folder, code = find_max(search(tmp_path), target(holds_per_s=1.6, stop_after=2))
    assert (code, found.status, len(found.probes)) == (ExitCode.INTERRUPTED, "interrupted", 2)
    assert kept(folder) == found
    again, same_folder, code = find_max(search(tmp_path, resume=folder), target(holds_per_s=1.6))
    assert (code, again.status, same_folder) == (ExitCode.OK, "found", folder)
    assert again.probes[:2] == found.probes
    whole, _, _ = find_max(search(tmp_path), target(holds_per_s=1.6))
    assert [probe.factor for probe in again.probes] == [probe.factor for probe in whole.probes]


def test_a_search_is_not_resumed_with_other_limits(tmp_path: Path) -> None:
    _, folder, _ = find_max(search(tmp_path, max_probes=1), target(holds_per_s=1.6))
    with pytest.raises(UserError, match="begun with --max-p99 100ms --min-achieved 99%; give the same"):
        find_max(search(tmp_path, resume=folder, limits=Limits(max_p99_ms=5)), target(holds_per_s=1.6))


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        pytest.param("failed", ExitCode.THRESHOLD_FAILED, id="the target holds nothing"),
        pytest.param("not valid", ExitCode.NOT_VALID, id="the generator holds nothing"),
    ],
)
def test_when_nothing_holds(tmp_path: Path, outcome: str, code: ExitCode) -> None:
    found, _, exit_code = find_max(search(tmp_path), target(holds_per_s=0, outcome=outcome))
    assert (found.highest, exit_code) == (None, code)
    assert sentence(found).startswith("No rate that was tried held.")


def test_a_generator_that_gives_way_first_is_named(tmp_path: Path) -> None:
    found, _, code = find_max(search(tmp_path), target(holds_per_s=1.6, outcome="not valid"))
    assert code == ExitCode.OK
    assert "too late" in sentence(found)


def test_an_unknown_verdict_ends_the_search_with_advice(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="hold it longer") as raised:
        find_max(search(tmp_path), target(holds_per_s=0, outcome="unknown"))
    assert raised.value.exit_code == ExitCode.UNKNOWN


def test_a_scenario_without_traffic_has_no_rate_to_raise(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="quiet: the scenario's traffic has neither"):
        find_max(search(tmp_path, scenario="quiet"), target(holds_per_s=1))


def test_a_folder_without_a_search_cannot_be_resumed(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no search"):
        find_max(search(tmp_path, resume=tmp_path), target(holds_per_s=1))
