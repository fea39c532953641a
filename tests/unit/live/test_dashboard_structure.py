"""The Grafana dashboard is one that Grafana reads: its structure, without a Grafana."""

from __future__ import annotations

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

DASHBOARD: dict[str, Any] = json.loads(
    (Path(__file__).parents[3] / "deploy/grafana/meshcap.json").read_text(encoding="utf-8")
)
PANELS: list[dict[str, Any]] = DASHBOARD["panels"]
COLUMNS = 24
"""Width of Grafana's grid (dashboard JSON model, 2026-11-30)."""
UNITS = {"s", "short", "reqps", "currencyUSD", "percentunit"}
"""Of Grafana's units, those that say what our metrics are in."""


def test_it_may_be_imported_into_any_grafana() -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,40}", DASHBOARD["uid"])
    assert DASHBOARD["title"]
    assert DASHBOARD["schemaVersion"] >= 36, "data sources are named by type and uid since then"
    assert "id" not in DASHBOARD, "a number that only one Grafana knows"
    [source] = DASHBOARD["templating"]["list"]
    assert (source["type"], source["query"]) == ("datasource", "prometheus")
    asked = [panel["datasource"] for panel in PANELS] + [each["datasource"] for p in PANELS for each in p["targets"]]
    assert all(each == {"type": "prometheus", "uid": f"${{{source['name']}}}"} for each in asked)


@pytest.mark.parametrize("panel", PANELS, ids=[panel["title"] for panel in PANELS])
def test_a_panel_has_what_it_needs(panel: dict[str, Any]) -> None:
    assert panel["type"] in {"stat", "timeseries"}
    assert panel["fieldConfig"]["defaults"]["unit"] in UNITS
    assert isinstance(panel["fieldConfig"]["overrides"], list)
    references = [target["refId"] for target in panel["targets"]]
    assert references == sorted(set(references))
    place = panel["gridPos"]
    assert place["x"] >= 0
    assert place["x"] + place["w"] <= COLUMNS


def test_no_panel_lies_upon_another() -> None:
    def cells(panel: dict[str, Any]) -> set[tuple[int, int]]:
        place = panel["gridPos"]
        across, down = range(place["x"], place["x"] + place["w"]), range(place["y"], place["y"] + place["h"])
        return {(x, y) for x in across for y in down}

    assert len({panel["id"] for panel in PANELS}) == len(PANELS)
    for one, other in combinations(PANELS, 2):
        assert not cells(one) & cells(other), f"{one['title']} and {other['title']}"


def test_rates_span_what_grafana_knows_of_the_scrape_interval() -> None:
    windows = {found for p in PANELS for each in p["targets"] for found in re.findall(r"\[(.+?)\]", each["expr"])}
    assert windows == {"$__rate_interval"}, "a fixed window is empty where Prometheus scrapes less often"
