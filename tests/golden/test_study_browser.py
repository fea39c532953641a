"""The pages of the studies in a real browser: quiet, within the screen, and with every word inside its drawing."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import chromium
import pytest

from capacity.pricing.cost_study import cost_study
from capacity.scenario import load_scenario
from capacity.studies.heartbeat import beat_costs, sweep
from capacity.studies.limits import study
from reports.document import Report
from reports.studies import costs, heartbeats, highest_rate, limits, write
from reports.wording import Wording
from tests.golden.made_up_search import SEARCH

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.BINARY is None, reason="Chromium is not on this machine"),
]

SCENARIOS = Path(__file__).parents[2] / "scenarios.yaml"
TODAY = date(2026, 11, 30)
WIDTHS = {"phone": 390, "laptop": 1280}


@pytest.fixture(scope="module")
def page() -> Iterator[chromium.Page]:
    with chromium.chromium() as tab:
        yield tab


@pytest.fixture(scope="module", params=["en", "ja"])
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    say = Wording(request.param)
    classroom, school = load_scenario(SCENARIOS, "classroom"), load_scenario(SCENARIOS, "one-school")
    layouts = [study(school, layout=name) for name in ("deployed", "phase1", "architecture")]
    swept, beats = sweep(classroom), beat_costs(classroom)
    made: dict[str, Report] = {
        "cost": costs.page(cost_study(classroom, yen_per_usd=150), "classroom", classroom, say, TODAY),
        "heartbeat": heartbeats.page(classroom, "classroom", swept, beats, heartbeats.Asked(), say, TODAY),
        "find-max": highest_rate.page(SEARCH, say),
        "limits": limits.page(layouts, "one-school", school, say, TODAY),
    }
    folder = tmp_path_factory.mktemp("studies")
    return [write(report, folder / f"{name}.html") for name, report in made.items()]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_study_opens_quietly_and_fits(page: chromium.Page, pages: list[Path], width: str, scheme: str) -> None:
    for path in pages:
        page.requests.clear()
        page.errors.clear()
        page.open(path, width=WIDTHS[width], scheme=scheme)
        assert set(page.requests) == {path.resolve().as_uri()}
        assert page.errors == []
        assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[width], path.name


def test_a_study_prints_on_a4_within_the_paper(page: chromium.Page, pages: list[Path]) -> None:
    for path in pages:
        page.open(path, width=695, media="print")
        assert page.evaluate("document.documentElement.scrollWidth") <= 695, path.name


def test_no_words_of_a_study_s_chart_leave_its_drawing(page: chromium.Page, pages: list[Path]) -> None:
    for path in pages:
        page.open(path, width=1280)
        outside = page.evaluate(
            """[...document.querySelectorAll('svg.chart')].flatMap(chart => {
                 const frame = chart.getBoundingClientRect();
                 return [...chart.querySelectorAll('text')].filter(text => {
                   const box = text.getBoundingClientRect();
                   return box.left < frame.left - 2 || box.right > frame.right + 12;
                 }).map(text => text.textContent);
               }).join(' | ')"""
        )
        assert outside == "", path.name
