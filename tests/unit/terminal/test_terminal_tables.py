"""A table on a narrow terminal: words may break, a figure never does and is never cut."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from meshcap.tables import table

CELLS = ("one partition key DOMAIN#{domain} (table, writes)", "1,234.5", "1,048,576 bytes", "42.8%")


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_every_figure_stands_whole_at_any_width(width: int) -> None:
    shown = _shown(width)
    assert "…" not in shown
    assert all(figure in shown for figure in CELLS[1:])
    assert all(word in shown for word in CELLS[0].split())


def test_a_wide_terminal_breaks_nothing() -> None:
    lines = _shown(200).splitlines()
    assert len(lines) == 3  # title, header, row
    assert CELLS[0] in lines[2]


def test_words_give_way_until_the_table_fits() -> None:
    assert all(len(line.rstrip()) <= 64 for line in _shown(64).splitlines())


def _shown(width: int) -> str:
    console = Console(file=io.StringIO(), width=width, soft_wrap=True)
    made = table("Limits", "limit", "use", "largest that is possible", "used")
    made.add_row(*CELLS)
    console.print(made)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]
