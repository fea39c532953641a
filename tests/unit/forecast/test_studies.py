"""The pages about heartbeats, limits and costs are what the model says today."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).parents[3] / "docs"


@pytest.fixture(scope="module")
def studies() -> ModuleType:
    spec = importlib.util.spec_from_file_location("studies", DOCS / "studies.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["heartbeats", "limits", "costs"])
def test_the_page_is_what_the_model_says_today(studies: ModuleType, name: str) -> None:
    assert studies.PAGES[name]() == (DOCS / f"{name}.md").read_text(encoding="utf-8"), "run python docs/studies.py"


@pytest.mark.parametrize("name", ["heartbeats", "limits", "costs"])
def test_every_page_has_its_drawing(name: str) -> None:
    assert f"]({name}.svg)" in (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert (DOCS / f"{name}.svg").read_text(encoding="utf-8").startswith("<?xml")
