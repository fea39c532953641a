"""Charts: text stays text, colours are roles of the page, ids do not collide, the same data give the same bytes."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

import reports.layout
from reports.charts import Bar, Line, Mark, bars, heat_map, percentile_plot, timeline
from reports.charts.canvas import ROLES

TIMES = [0.0, 10.0, 20.0, 30.0]


def _timeline(name: str = "t", **options: object) -> str:
    lines = [Line(TIMES, [1.0, 2.0, 3.0, 2.0], "measured", "area"), Line(TIMES, [2.0, 2.0, 2.0, 2.0], "plan", "dashed")]
    return timeline(name, "alt", lines, unit="units/s", time_unit="min:s", **options)  # type: ignore[arg-type]


CHARTS = {
    "timeline": _timeline(limit=3.5, limit_label="limit 3.5", marks=[Mark(25, "first")], window_s=(10, 20)),
    "percentiles": percentile_plot(
        "p", "alt", [Line([0, 0.5, 0.9], [1, 2, 9], "c0")], unit="ms", x_unit="percentile", limits=[(5, "p95 < 5 ms")]
    ),
    "heat map": heat_map(
        "h",
        "alt",
        [0.0, 10.0, 20.0, 30.0],
        ["1", "2"],
        np.array([[0, 3, 6], [1, 1, 1]]),
        np.array([False, False, True]),
        unit="partition",
        time_unit="s",
        end_s=30,
    ),
    "bars": bars("b", "alt", [Bar("one", [("c0", 3.0), ("c1", 1.0)], "4"), Bar("<two>", [("c0", 0.0)], "0")]),
}


@pytest.mark.parametrize("svg", CHARTS.values(), ids=CHARTS.keys())
def test_every_chart_is_well_formed_named_and_free_of_fixed_colours_and_fonts(svg: str) -> None:
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == "alt"
    assert not re.search(r"#[0-9a-fA-F]{6}", svg)
    assert "font-family" not in svg
    assert "<style" not in svg
    assert "<metadata" not in svg


def test_every_role_has_a_colour_in_light_in_dark_and_on_paper() -> None:
    css = (reports.layout.TEMPLATES / "report.css").read_text()
    for role in ROLES:
        assert css.count(f"--{role}:") == 3, role


def test_the_same_data_give_the_same_bytes() -> None:
    assert _timeline() == _timeline()


def test_two_charts_in_one_page_do_not_share_ids() -> None:
    first, second = (set(re.findall(r' id="([^"]+)"', _timeline(name))) for name in ("a", "b"))
    assert first
    assert not first & second
    assert set(re.findall(r'(?:href="|url\()#([^")]+)', _timeline("a"))) == first


def test_text_is_text_and_is_escaped() -> None:
    svg = bars("b", "alt", [Bar("<script>alert(1)</script>", [("c0", 1.0)], "一")])
    assert "<script" not in svg
    assert "&lt;script&gt;" in svg
    assert ">一<" in svg


def test_an_unknown_value_leaves_a_gap() -> None:
    whole = timeline("t", "", [Line(TIMES, [1, 1, 2, 1], "measured")], unit="u", time_unit="s")
    gap = timeline("t", "", [Line(TIMES, [1, np.nan, 2, 1], "measured")], unit="u", time_unit="s")
    line = re.compile(r'<path d="([^"]+)"[^>]*stroke: var\(--measured\)')
    assert line.search(whole)[1].count("L") == 3  # type: ignore[index]
    assert line.search(gap)[1].count("M") == 2  # type: ignore[index]


def test_a_limit_far_above_the_data_is_named_but_not_drawn() -> None:
    assert "limit 4" in _timeline(limit=4, limit_label="limit 4")
    assert "var(--limit)" in _timeline(limit=4, limit_label="limit 4")
    far = _timeline(limit=4000, limit_label="limit 4000")
    assert "limit 4000" in far
    assert "var(--limit)" not in far


@pytest.mark.parametrize(("peak", "logarithmic"), [(60.0, False), (5000.0, True)])
def test_a_peak_that_would_flatten_the_rest_makes_the_axis_logarithmic(peak: float, logarithmic: bool) -> None:
    lines = [Line(TIMES, [2.0, 2.0, 2.0, 2.0], "h3"), Line(TIMES, [3.0, peak, 3.0, 3.0], "h6")]
    svg = timeline("t", "", lines, unit="ms", time_unit="s", spread=True)
    assert (">0<" not in svg) == logarithmic  # a logarithmic axis has no zero


def test_no_chart_asks_for_anything_outside_the_page() -> None:
    for svg in CHARTS.values():
        assert not re.search(r"https?:|url\((?!#)", svg)


def test_the_package_ships_its_templates_and_strings() -> None:
    root = Path(reports.layout.__file__).parent
    assert {path.name for path in (root / "templates").iterdir()} >= {"report.html.j2", "report.md.j2", "report.css"}
