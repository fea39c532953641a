"""Tables on the terminal: a title, words to the left, figures to the right. However narrow it is, no figure is cut."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Column, Table

_GAP = 2  # blanks between two columns


def table(title: str, *columns: str, prose: str | tuple[str, ...] = ()) -> Table:
    """An empty table; rows are added with `add_row`. The first column and those named by `prose` hold words."""
    made = _WholeTable(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    words = (columns[0], prose) if isinstance(prose, str) else (columns[0], *prose)
    for column in columns:
        made.add_column(column, justify="left" if column in words else "right", overflow="fold")
    return made


class _WholeTable(Table):
    """Where room is short, headers break first, then words; a table of figures alone may be wider than the terminal."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        gaps = _GAP * (len(self.columns) - 1)
        widths = self._widths(options.max_width - gaps)
        for column, width in zip(self.columns, widths, strict=True):
            column.width = width
        yield from super().__rich_console__(console, options.update(width=max(options.max_width, sum(widths) + gaps)))

    def _widths(self, room: int) -> list[int]:
        widths = [max(map(cell_len, map(str, (column.header, *column.cells)))) for column in self.columns]
        least = [_least_width(column) for column in self.columns]
        if sum(widths) <= room:
            return widths
        words = [position for position, column in enumerate(self.columns) if column.justify == "left"]
        widths = [width if position in words else least[position] for position, width in enumerate(widths)]
        while sum(widths) > room and any(widths[position] > least[position] for position in words):
            widest = max(words, key=lambda position: widths[position] - least[position])
            widths[widest] -= 1
        return widths


def _least_width(column: Column) -> int:
    """Words may break at blanks, and so may the header of figures; a figure may not."""
    cells = [str(cell) for cell in column.cells]
    unbroken = [word for cell in cells for word in cell.split()] if column.justify == "left" else cells
    return max(map(cell_len, (*str(column.header).split(), *unbroken)), default=0)
