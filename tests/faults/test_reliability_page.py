"""The page of what was tried is that of the tests: up to date, and every test that it names is there."""

from __future__ import annotations

import ast
from pathlib import Path

import yaml

from tests.reliability_page import PAGE, ROWS, page

ROOT = Path(__file__).parents[2]


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "write it anew: python -m tests.reliability_page"


def test_every_row_has_its_tests() -> None:
    for section in yaml.safe_load(ROWS.read_text(encoding="utf-8"))["sections"]:
        for row in section["rows"]:
            for test in row["tests"]:
                file, _, name = test.partition("::")
                tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
                assert name in {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}, test
