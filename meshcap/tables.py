"""Tables on the terminal: a title, the first column left, figures right."""

from __future__ import annotations

from rich.table import Table


def table(title: str, *columns: str, prose: str | None = None) -> Table:
    """An empty table; rows are added with `add_row`. `prose` names a column of sentences, which may wrap."""
    made = Table(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for position, column in enumerate(columns):
        left = position == 0 or column == prose
        made.add_column(column, justify="left" if left else "right", no_wrap=column != prose)
    return made
