"""A finished run inside GitHub Actions: its report as the step's summary, its thresholds as annotations.

Source of the formats: GitHub's documentation of workflow commands, read 2026-11.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import yaml

from capacity.record import RunDirectoryError, RunRecord, read_run
from reports.compare import Comparison
from reports.comparison_markdown import sentence
from reports.junit import message
from reports.wording import Wording

MAX_SUMMARY_BYTES = 1024 * 1024
"""GitHub shows nothing of a larger step summary."""


def write_step_summary(markdown: str, environment: Mapping[str, str]) -> bool:
    """Append Markdown to the summary of the running step; return False outside GitHub Actions.

    What would pass GitHub's limit is cut at a line's end, and the cut is said.
    """
    name = environment.get("GITHUB_STEP_SUMMARY")
    if not name:
        return False
    path = Path(name)
    room = MAX_SUMMARY_BYTES - (path.stat().st_size if path.exists() else 0)
    content = markdown.encode()
    if len(content) > room:
        note = b"\n\n(The report is longer than GitHub shows; the rest is in report.md.)\n"
        content = content[: max(0, room - len(note))].rpartition(b"\n")[0] + note
    with path.open("ab") as summary:
        summary.write(content)
    return True


def workflow_annotations(record: RunRecord, scenario_file: Path) -> list[str]:
    """Return a workflow command for each threshold that did not hold or is unknown, on its line of the file."""
    verdict = record.verdict
    if verdict is None:
        return [_command("error", "No verdict", "the run has no verdict", None, None)]
    if verdict.outcome in ("not valid", "interrupted"):
        return [_command("error", verdict.outcome.capitalize(), verdict.sentence, None, None)]
    lines = _lines_of_expect(scenario_file, record.scenario_name)
    return [
        _command(
            "error" if result.outcome == "failed" else "warning",
            f"{record.scenario_name}: {result.expression}",
            message(result),
            str(scenario_file),
            lines.get(result.expression),
        )
        for result in verdict.thresholds
        if result.outcome != "passed"
    ]


def _lines_of_expect(path: Path, scenario: str) -> dict[str, int]:
    """Return the line of each threshold of a scenario; nothing when the file is gone or no longer says so."""
    try:
        node = yaml.compose(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return {}
    for key in ("scenarios", scenario, "expect"):
        if not isinstance(node, yaml.MappingNode):
            return {}
        node = next((value for name, value in node.value if name.value == key), None)
    items = node.value if isinstance(node, yaml.SequenceNode) else []
    return {str(item.value).strip(): item.start_mark.line + 1 for item in items if isinstance(item, yaml.ScalarNode)}


def _command(kind: str, title: str, text: str, file: str | None, line: int | None) -> str:
    properties = {"file": file, "line": None if line is None else str(line), "title": title}
    known = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value is not None)
    return f"::{kind} {known}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def comparison_annotations(comparison: Comparison) -> list[str]:
    """Return a workflow command for each figure of two runs that became worse."""
    title = f"{comparison.after.record.scenario_name} became worse"
    say = Wording("en")
    return [_command("error", title, sentence(change, say), None, None) for change in comparison.worse]


def main(arguments: list[str]) -> None:
    """Append the report of a finished run to the step's summary and print its annotations.

    `python -m reports.github RUN [scenarios.yaml]`
    """
    if not 1 <= len(arguments) <= 2:
        sys.exit("usage: python -m reports.github RUN [scenarios.yaml]")
    run_dir, scenario_file = Path(arguments[0]), Path(arguments[1] if len(arguments) > 1 else "scenarios.yaml")
    try:
        record = read_run(run_dir)
        markdown = (run_dir / "report.md").read_text(encoding="utf-8")
    except RunDirectoryError as fault:
        sys.exit(str(fault))
    except FileNotFoundError:
        sys.exit(f"{run_dir} has no report.md; write it with meshcap report {run_dir}")
    if not write_step_summary(markdown, os.environ):
        print("GITHUB_STEP_SUMMARY is not set, so no summary was written", file=sys.stderr)
    for line in workflow_annotations(record, scenario_file):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
