"""A finished run inside GitHub Actions."""

from __future__ import annotations

from pathlib import Path

import pytest
from run_directory import record

from reports.github import MAX_SUMMARY_BYTES, main, workflow_annotations, write_step_summary

SCENARIOS = """\
scenarios:
  other:
    expect: [throttles.total == 0]
  two-groups:
    description: Two groups
    expect:
      - latency.p(95) < 30ms
      - throttles.total == 0
      - latency.p(99, renewHeartbeat) < 100ms
"""


def test_a_threshold_that_did_not_hold_is_an_error_on_its_own_line(tmp_path: Path) -> None:
    path = tmp_path / "scenarios.yaml"
    path.write_text(SCENARIOS)
    failed, unknown = workflow_annotations(record(), path)
    file = f"file={path}"
    assert failed == f"::error {file},line=8,title=two-groups%3A throttles.total == 0::throttles.total = 58, limit 0"
    title = "title=two-groups%3A latency.p(99%2C renewHeartbeat) < 100ms"
    assert unknown.startswith(f"::warning {file},line=9,{title}::")


def test_a_scenario_file_that_changed_since_costs_the_line_and_nothing_else(tmp_path: Path) -> None:
    [failed, _] = workflow_annotations(record(), tmp_path / "gone.yaml")
    assert "line=" not in failed
    assert failed.endswith("::throttles.total = 58, limit 0")


def test_text_from_a_run_cannot_end_the_command(tmp_path: Path) -> None:
    verdict = record().verdict
    assert verdict is not None
    evil = verdict.model_copy(update={"outcome": "not valid", "sentence": "100 %\n::set-env name=X::y"})
    [command] = workflow_annotations(record(verdict=evil), tmp_path / "gone.yaml")
    assert "\n" not in command
    assert command == "::error title=Not valid::100 %25%0A::set-env name=X::y"


def test_a_run_without_a_verdict_is_an_error(tmp_path: Path) -> None:
    assert workflow_annotations(record(verdict=None), tmp_path / "gone.yaml") == [
        "::error title=No verdict::the run has no verdict"
    ]


def test_the_summary_is_appended(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    assert write_step_summary("# Report\n", {"GITHUB_STEP_SUMMARY": str(summary)})
    assert summary.read_text() == "before\n# Report\n"


def test_outside_github_nothing_is_written() -> None:
    assert not write_step_summary("# Report\n", {})


def test_a_summary_that_github_would_not_show_is_cut_at_a_line_and_says_so(tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    write_step_summary("あ" * 20 + "\n" + "あいうえお\n" * 100_000, {"GITHUB_STEP_SUMMARY": str(summary)})
    text = summary.read_bytes().decode()
    assert len(text.encode()) <= MAX_SUMMARY_BYTES
    assert text.endswith("あいうえお\n\n(The report is longer than GitHub shows; the rest is in report.md.)\n")


def test_as_a_command_it_writes_the_summary_and_prints_the_annotations(
    whole_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    main([str(whole_run), str(tmp_path / "gone.yaml")])
    assert (tmp_path / "summary.md").read_text().startswith("# Capacity report: two-groups")
    assert [line.split(" ")[0] for line in capsys.readouterr().out.splitlines()] == ["::error", "::warning"]


@pytest.mark.parametrize(
    ("arguments", "complaint"), [([], "usage: python -m reports.github RUN"), (["nowhere"], "it has no run.json")]
)
def test_a_wrong_command_is_told_in_a_sentence(arguments: list[str], complaint: str) -> None:
    with pytest.raises(SystemExit, match=complaint):
        main(arguments)
