"""The verbs inside GitHub Actions: summary and annotations come by themselves, and stdout stays data."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from run_directory import build
from typer.testing import CliRunner

from meshcap.cli import app
from meshcap.github_step import tell_of_run

ROOT = Path(__file__).resolve().parents[2]
RUNNER = CliRunner()


@pytest.fixture
def step(tmp_path: Path) -> dict[str, str]:
    """The environment of a running step."""
    return {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"), "COLUMNS": "200"}


def test_a_run_is_told_on_the_lines_of_its_own_scenario_file(
    tmp_path: Path, step: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_dir = build(tmp_path / "run")
    (run_dir / "report.md").write_text("# The report\n")
    (tmp_path / "scenarios.yaml").write_text(
        "scenarios:\n  two-groups:\n    expect:\n      - latency.p(95) < 30ms\n      - throttles.total == 0\n"
    )
    for name, value in step.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    tell_of_run(run_dir, Path("scenarios.yaml"))
    said = capsys.readouterr()
    assert said.out == ""
    assert "::error file=scenarios.yaml,line=5,title=two-groups%3A throttles.total == 0::" in said.err
    assert Path(step["GITHUB_STEP_SUMMARY"]).read_text() == "# The report\n"


def test_outside_of_it_nothing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    tell_of_run(build(tmp_path / "run"), None)
    assert capsys.readouterr() == ("", "")


def test_a_comparison_is_appended_and_what_became_worse_annotated(tmp_path: Path, step: dict[str, str]) -> None:
    before, after = build(tmp_path / "before"), build(tmp_path / "after")
    document = json.loads((after / "comparison.json").read_text())
    for each in document["operations"]:
        for units in each["units_sent"].values():
            units["write"] *= 2
    (after / "comparison.json").write_text(json.dumps(document))
    done = RUNNER.invoke(app, ["compare", str(before), str(after)], env=step)
    assert done.exit_code == 99
    assert "::" not in done.stdout, "stdout is the Markdown of a comment"
    annotations = [line for line in done.stderr.splitlines() if line.startswith("::error ")]
    assert annotations
    assert all(line.startswith("::error title=two-groups became worse::") for line in annotations)
    assert any("reportDataByNode" in line and "GroupIdIndex" in line for line in annotations), annotations
    assert Path(step["GITHUB_STEP_SUMMARY"]).read_text().strip() == done.stdout.strip()


def test_a_summary_that_cannot_be_written_costs_a_sentence(tmp_path: Path, step: dict[str, str]) -> None:
    before, after = build(tmp_path / "before"), build(tmp_path / "after")
    step["GITHUB_STEP_SUMMARY"] = str(tmp_path / "nowhere" / "summary.md")
    done = RUNNER.invoke(app, ["compare", str(before), str(after)], env=step)
    assert done.exit_code in (0, 108)
    assert "cannot be written: No such file or directory" in done.stderr


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda path: path.name)
def test_actions_of_the_sample_are_pinned_by_commit(path: Path) -> None:
    jobs = yaml.safe_load(path.read_text())["jobs"]
    used = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40}", each)] == []
