"""docs/model.md can't drift: its Python runs, and its tests exist."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[3] / "docs" / "model.md"


def test_the_pages_python_prints_what_the_page_says() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.FAIL_FAST)
    assert results.attempted > 10
    assert results.failed == 0


def test_every_file_that_the_page_names_exists() -> None:
    root, text = PAGE.parents[1], PAGE.read_text(encoding="utf-8")
    named = re.findall(r"`((?:capacity|tests)/[\w/]+(?:\.py|/))`", text)
    assert named
    assert [name for name in named if not (root / name).exists()] == []
    assert [link for link in re.findall(r"\]\((\w+\.md)\)", text) if not (PAGE.parent / link).exists()] == []
