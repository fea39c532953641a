"""The page by its structure: one file that needs nothing else, that a screen reader follows, that runs no code."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from run_directory import build, record

from capacity.record import write_run
from reports import render

MAX_BYTES = 2_000_000
EVIL = '<script>alert("x")</script>'


class Outline(HTMLParser):
    """Tags, attributes and text of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, name: str) -> list[dict[str, str | None]]:
        """Attributes of every tag of a name."""
        return [attributes for tag, attributes in self.tags if tag == name]


@pytest.fixture(scope="module", params=["en", "ja"])
def outline(request: pytest.FixtureRequest, whole_run: Path, polling_run: Path) -> Outline:
    run = whole_run if request.param == "en" else polling_run
    return Outline((run / "report.html").read_text(encoding="utf-8"))


def test_the_page_asks_for_nothing_and_runs_nothing(outline: Outline) -> None:
    assert not outline.all("script")
    for tag, attributes in outline.tags:
        assert not any(name.startswith("on") for name in attributes), tag
        for name in ("src", "href", "action", "data"):
            value = attributes.get(name)
            assert value is None or value.startswith(("#", "data:")), (tag, value)


def test_ids_are_unique_and_every_link_leads_somewhere(outline: Outline) -> None:
    ids = [attributes["id"] for _, attributes in outline.tags if attributes.get("id")]
    assert len(ids) == len(set(ids))
    for _, attributes in outline.tags:
        target = attributes.get("href") or ""
        assert not target.startswith("#") or target[1:] in ids


def test_every_chart_says_in_words_what_it_shows(outline: Outline) -> None:
    charts = [attributes for attributes in outline.all("svg") if "chart" in (attributes.get("class") or "")]
    assert len(charts) > 12
    for attributes in charts:
        assert attributes["role"] == "img"
        assert len(attributes["aria-label"] or "") > 20
    assert len(outline.all("figcaption")) == len(outline.all("figure")) == len(charts)


def test_tables_have_headings_for_columns(outline: Outline) -> None:
    assert len(outline.all("thead")) == len(outline.all("table"))
    assert all(attributes.get("scope") in ("col", "colgroup") for attributes in outline.all("th"))


def test_headings_go_down_one_level_at_a_time(outline: Outline) -> None:
    levels = [int(tag[1]) for tag, _ in outline.tags if tag in ("h1", "h2", "h3")]
    assert levels[0] == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))


@pytest.mark.parametrize(("lang", "name"), [("en", "whole_run"), ("ja", "polling_run")])
def test_the_page_names_its_language_and_is_small(lang: str, name: str, request: pytest.FixtureRequest) -> None:
    page = (request.getfixturevalue(name) / "report.html").read_bytes()
    assert f'<html lang="{lang}">'.encode() in page
    assert len(page) < MAX_BYTES


def _outside_code(markdown: str) -> str:
    """Leave out fenced blocks, in which nothing is markup, as CommonMark reads them."""
    kept, fence = [], ""
    for line in markdown.splitlines():
        ticks = len(line) - len(line.lstrip("`"))
        if fence:
            fence = "" if line.startswith(fence) and not line.strip("`") else fence
        elif ticks >= 3:
            fence = "`" * ticks
        else:
            kept.append(line)
    return "\n".join(kept)


def test_names_from_a_run_are_text_wherever_they_stand(tmp_path: Path) -> None:
    names = {"reportDataByNode": EVIL, "group": EVIL, "domain": EVIL, "message": f"![x](http://x) {EVIL}"}
    run = build(tmp_path / "run", names=names)
    evil = record().model_copy(
        update={"scenario_name": EVIL, "run_id": EVIL, "command": ["meshcap", EVIL, "`````"], "notes": [EVIL]}
    )
    write_run(run, evil)
    page = render(run).read_text(encoding="utf-8")
    assert "<script" not in page
    assert page.count("&lt;script&gt;") > 5
    markdown = (run / "report.md").read_text(encoding="utf-8")
    text = _outside_code(markdown)
    assert "`````" not in text  # the command is code as a whole: its fence is longer than any in it
    assert "<script" not in text
    assert "![x]" not in text


def test_an_index_with_a_strange_name_keeps_its_chart(run_copy: Callable[[], Path]) -> None:
    run = run_copy()
    for name in ("forecast.json", "comparison.json"):
        path = run / name
        path.write_text(path.read_text().replace("GroupIdIndex", "a<b>.c d&e"))
    page = render(run).read_text(encoding="utf-8")
    Outline(page)
    assert "<b>" not in page
    assert "a&lt;b&gt;.c d&amp;e" in page


def test_many_operations_and_groups_do_not_make_the_page_long(run_copy: Callable[[], Path]) -> None:
    run = run_copy()
    path = run / "deliveries.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    many = [row | {"group": f"g{n}"} for n, row in enumerate(rows * 5)]
    pq.write_table(type(table).from_pylist(many, schema=table.schema), path)
    page = render(run).read_text(encoding="utf-8")
    assert len(page) < MAX_BYTES
    assert page.count("<tr>") < 1_500
