"""What other rooms say in English reaches a Japanese report in Japanese."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from capacity.forecasting.forecast import forecast
from capacity.scenario import load_scenarios
from capacity.studies.limits import study
from capacity.workloads.direct.workload import DirectWorkload
from capacity.workloads.mesh.workload import MeshWorkload
from capacity.workloads.timeline.workload import TimelineWorkload
from reports.rules import rules
from reports.wording import PHRASES, Wording, phrases

ROOT = Path(__file__).parents[3]
SCENARIOS = ROOT / "scenarios.yaml"
SPEAKERS = (
    "capacity/judgement/comparison.py",
    "capacity/judgement/figures.py",
    "capacity/measurement/metric_reading.py",
    "locustfiles/running/generator_health.py",
    "locustfiles/running/record.py",
    "locustfiles/nodes/node.py",
    "locustfiles/nodes/hearing.py",
    "meshcap/process_watch.py",
)
LISTS = ("reasons", "notes", "said")
COUNTED = ": 7 times"


def said_in(path: Path) -> Iterator[str]:
    """What a module appends to its reasons or notes, counts there, or says of an unknown figure; values are sampled."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
            counted = node.target
            if isinstance(counted.value, ast.Attribute) and counted.value.attr in LISTS:
                yield _text(counted.slice) + COUNTED
            continue
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func
        speaks = isinstance(called, ast.Name) and called.id == "UnknownFigure"
        if isinstance(called, ast.Attribute) and called.attr == "append":
            owner = called.value
            speaks = (owner.id if isinstance(owner, ast.Name) else getattr(owner, "attr", "")) in LISTS
        text = _text(node.args[0]) if speaks else ""
        if text:
            yield text


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)
    return ""


@pytest.mark.parametrize("name", SPEAKERS)
def test_every_reason_and_note_of_a_room_is_translated(name: str) -> None:
    said = list(said_in(ROOT / name))
    assert said, "nothing was found in it: has its way of speaking changed?"
    say = Wording("ja")
    assert [text for text in said if text.removesuffix(COUNTED) in say.phrase(text)] == []


def test_every_source_of_a_rule_or_limit_is_translated() -> None:
    say = Wording("ja")
    said = {rule.source for rule in rules() if rule.source}
    for scenario in load_scenarios(SCENARIOS).values():
        said |= {limit.source for limit in forecast(scenario).limits if " " in limit.source}  # not a setting of ours
        if scenario.workload.name == "mesh":
            said |= {row.source for row in study(scenario).rows if " " in row.source}
    assert {text for text in said if say.phrase(text) == text} == set()


def test_every_shipped_scenario_is_described_in_japanese() -> None:
    say = Wording("ja")
    said = [scenario.description for scenario in load_scenarios(SCENARIOS).values()]
    assert [text for text in said if say.phrase(text) == text] == []


def test_every_assumption_of_a_forecast_is_translated() -> None:
    say = Wording("ja")
    said = [*MeshWorkload.assumptions, *TimelineWorkload.assumptions, *DirectWorkload.assumptions]
    assert [text for text in said if say.phrase(text) == text] == []


def test_every_throughput_rule_is_translated() -> None:
    say = Wording("ja")
    assert [rule.meaning for rule in rules() if say.phrase(rule.meaning) == rule.meaning] == []


def test_the_most_literal_pattern_wins() -> None:
    # "{what} ({where})" fits too, and would leave the sentence in English.
    said = Wording("ja").phrase("CloudWatch has 5 of the 9 expected in SuccessfulRequestLatency (SampleCount)")
    assert said.startswith("CloudWatch にあるのは")


@pytest.mark.parametrize("path", sorted(PHRASES.glob("*.yaml")), ids=lambda path: path.stem)
def test_a_translation_uses_every_value_of_its_phrase(path: Path) -> None:
    for pattern, translation in phrases(path.stem)[1]:
        for place in pattern.groupindex:
            assert f"{{{place}}}" in translation, pattern.pattern
