"""The page in a real browser: nothing on its console, nothing on the network, nothing wider than the screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import chromium
import pytest

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(chromium.BINARY is None, reason="Chromium is not on this machine"),
]

WIDTHS = {"phone": 390, "laptop": 1280}


@pytest.fixture(scope="module")
def page() -> Iterator[chromium.Page]:
    with chromium.chromium() as tab:
        yield tab


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["whole_run", "polling_run"])
def test_a_page_opens_quietly_and_fits(
    page: chromium.Page, request: pytest.FixtureRequest, name: str, width: str, scheme: str
) -> None:
    path = request.getfixturevalue(name) / "report.html"
    page.requests.clear()
    page.errors.clear()
    page.open(path, width=WIDTHS[width], scheme=scheme)
    assert set(page.requests) == {path.resolve().as_uri()}
    assert page.errors == []
    assert page.evaluate("document.documentElement.scrollWidth") <= WIDTHS[width]


def test_the_first_screen_of_a_laptop_holds_verdict_thresholds_and_figures(
    page: chromium.Page, whole_run: Path
) -> None:
    page.open(whole_run / "report.html", width=1280, height=800)
    for part in (".verdict", ".thresholds", ".figures"):
        assert page.evaluate(f"document.querySelector('{part}').getBoundingClientRect().bottom") <= 800, part


def test_dark_and_light_differ_where_they_should(page: chromium.Page, whole_run: Path) -> None:
    seen = {}
    for scheme in ("light", "dark"):
        page.open(whole_run / "report.html", width=1280, scheme=scheme)
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        ink = page.evaluate("getComputedStyle(document.querySelector('svg.chart text')).fill")
        seen[scheme] = {paper, ink}
    assert not seen["light"] & seen["dark"]


def test_no_words_of_a_chart_leave_its_drawing(page: chromium.Page, polling_run: Path) -> None:
    page.open(polling_run / "report.html", width=1280)
    outside = page.evaluate(
        """[...document.querySelectorAll('svg.chart')].flatMap(chart => {
             const frame = chart.getBoundingClientRect();
             return [...chart.querySelectorAll('text')].filter(text => {
               const box = text.getBoundingClientRect();
               return box.left < frame.left - 2 || box.right > frame.right + 12;
             }).map(text => text.textContent);
           }).join(' | ')"""
    )
    assert outside == ""


def test_it_prints_on_a4_within_the_paper(page: chromium.Page, whole_run: Path, tmp_path: Path) -> None:
    page.open(whole_run / "report.html", width=695, media="print")  # A4 without its margins, in CSS pixels
    assert page.evaluate("document.documentElement.scrollWidth") <= 695
    page.pdf(tmp_path / "report.pdf")
    content = (tmp_path / "report.pdf").read_bytes()
    assert content.startswith(b"%PDF")
    assert 5 <= content.count(b"/Type /Page\n") <= 20
