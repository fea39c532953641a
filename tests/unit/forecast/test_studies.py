"""The pages about heartbeats, limits and costs: those in the documentation, and those that the commands write."""

from __future__ import annotations

import importlib.util
import re
from datetime import date
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from capacity.pricing import prices
from capacity.pricing.cost_study import cost_study
from capacity.scenario import Scenario, load_scenario
from capacity.studies.heartbeat import beat_costs, sweep
from capacity.studies.limits import AXES, LimitsStudy, study
from meshcap.cli import app
from reports.layout import html
from reports.studies import costs, heartbeats, limits, stale
from reports.wording import Wording

ROOT = Path(__file__).parents[3]
DOCS, SCENARIOS = ROOT / "docs", ROOT / "scenarios.yaml"
PAGES = ["heartbeats", "limits", "costs"]
TODAY = date(2026, 11, 30)


@pytest.fixture(scope="module")
def studies() -> ModuleType:
    spec = importlib.util.spec_from_file_location("studies", DOCS / "studies.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_what_the_model_says_today(studies: ModuleType, name: str) -> None:
    text, drawings = studies.page(name)
    assert text == (DOCS / f"{name}.md").read_text(encoding="utf-8"), "run python docs/studies.py"
    for image in drawings:
        assert f"]({image})" in text
        assert (DOCS / image).read_text(encoding="utf-8").startswith('<svg xmlns="http://www.w3.org/2000/svg"')


@pytest.fixture(scope="module")
def classroom() -> Scenario:
    return load_scenario(SCENARIOS, "classroom")


@pytest.mark.parametrize("axis", AXES)
def test_the_curve_goes_on_until_the_first_limit_is_met(classroom: Scenario, axis: str) -> None:
    found = study(classroom, axis=axis)
    assert found.first_size is not None
    assert found.curve.sizes[0] <= found.first_size <= found.curve.sizes[-1]
    below, above = (found.curve.shares[found.first][place] for place in (0, -1))
    assert below < 1 <= above


@pytest.fixture(scope="module")
def layouts() -> list[LimitsStudy]:
    school = load_scenario(SCENARIOS, "one-school")
    return [study(school, layout=name) for name in ("deployed", "phase1", "architecture")]


@pytest.fixture(scope="module", params=["en", "ja"])
def pages(request: pytest.FixtureRequest, classroom: Scenario, layouts: list[LimitsStudy]) -> dict[str, str]:
    say = Wording(request.param)
    swept, beats = sweep(classroom), beat_costs(classroom)
    made = {
        "costs": costs.page(cost_study(classroom, yen_per_usd=150), "classroom", classroom, say, TODAY),
        "heartbeats": heartbeats.page(classroom, "classroom", swept, beats, heartbeats.Asked(), say, TODAY),
        "limits": limits.page(layouts, "one-school", load_scenario(SCENARIOS, "one-school"), say, TODAY),
    }
    return {name: html(page, say) for name, page in made.items()}


def test_every_page_stands_alone(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        assert len(page.encode()) < 2_000_000, name
        assert not re.search(r'(?:src|href)="https?:', page), name
        assert "<script" not in page, name


def test_every_chart_has_words_for_those_who_do_not_see_it(pages: dict[str, str]) -> None:
    for name, page in pages.items():
        drawings = re.findall(r'<svg class="chart[^>]*>', page)
        assert drawings, name
        assert all(re.search(r'aria-label="[^"]{20,}"', drawing) for drawing in drawings), name


def test_break_even_is_marked_where_hour_and_request_cost_the_same(pages: dict[str, str], classroom: Scenario) -> None:
    modes = cost_study(classroom).modes
    assert modes is not None
    per_request = modes.curve["on demand"][1]  # dollars a month for an hour of lessons a day
    for mode in ("provisioned", "reserved, one year"):
        hours = modes.curve[mode][0] / per_request
        assert f"{hours:.3g}" in re.search(r'id="modes".*?aria-label="([^"]*)"', pages["costs"], re.DOTALL)[1]  # type: ignore[index]


def test_the_known_settings_are_marked_on_the_front(pages: dict[str, str]) -> None:
    say = Wording("ja" if 'lang="ja"' in pages["heartbeats"] else "en")
    drawn = re.findall(r'<svg class="chart.*?</svg>', pages["heartbeats"], re.DOTALL)
    for name in ("seeds, development", "seeds, production", "deployed"):
        assert all(f">{say.phrase(name)}</text>" in drawing for drawing in drawn), name


# -- what the model says in English has a Japanese form


def test_every_limit_change_and_cause_has_a_japanese_phrase() -> None:
    say = Wording("ja")
    said: set[str] = set()
    for name in ("classroom", "classroom-polling", "one-school", "burst"):
        scenario = load_scenario(SCENARIOS, name)
        found = cost_study(scenario)
        said |= {share.name for share in found.by_cause} | set(sweep(scenario).known)
        assert found.modes is not None
        said |= {text for mode in found.modes.modes for text in (mode.mode, mode.note)}
        for layout in ("deployed", "phase1", "architecture"):
            for axis in AXES if layout == "deployed" else AXES[:1]:
                limited = study(scenario, axis, layout)
                said |= {row.name for row in limited.rows} | {limited.first}
                said |= {text for each in limited.advice for text in (each.change, each.next_limit)}
    untold = {text for text in said if say.phrase(text) == text}
    assert untold == set()


def test_places_of_a_phrase_are_translated_too() -> None:
    assert Wording("ja").phrase("index GroupIdIndex: write") == "索引 GroupIdIndex: 書き込み"
    assert Wording("en").phrase("index GroupIdIndex: write") == "index GroupIdIndex: write"
    assert Wording("ja").phrase("something that nobody has said") == "something that nobody has said"


# -- old prices


def test_prices_older_than_ninety_days_are_told_on_a_page() -> None:
    tokyo, say = prices.load(), Wording("en")
    keys = ["appsync.operation", "dynamodb.on_demand.write_unit"]  # read on 2026-11-30 and 2026-09-23
    assert stale(tokyo, keys, date(2026, 12, 22), say) == []  # 90 days
    (warning,) = stale(tokyo, keys, date(2026, 12, 23), say)
    assert "2026-09-23, 91 days ago" in warning


# -- the commands


@pytest.mark.parametrize("verb", ["cost", "heartbeat", "limits"])
def test_a_command_leaves_its_page(verb: str, tmp_path: Path) -> None:
    page = tmp_path / "new" / "page.html"
    arguments = [verb, "classroom", "--file", str(SCENARIOS), "--page", str(page), "--lang", "ja"]
    answer = CliRunner().invoke(app, arguments)
    assert answer.exit_code == 0, answer.output
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert 'lang="ja"' in page.read_text(encoding="utf-8")


def test_json_comes_alone_unless_a_page_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(app, ["cost", "classroom", "--file", str(SCENARIOS), "--json"])
    assert answer.exit_code == 0
    assert list(tmp_path.iterdir()) == []
    CliRunner().invoke(app, ["cost", "classroom", "--file", str(SCENARIOS)])
    assert [path.name for path in tmp_path.rglob("*.html")] == ["classroom-cost.html"]
