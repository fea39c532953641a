"""Horizontal bars with their values written beside them: shares of a whole that a reader compares by length."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.charts.canvas import ROLES, canvas


@dataclass(frozen=True)
class Bar:
    """A named row: segments of (role, value) laid end to end, and the text that stands behind them."""

    label: str
    segments: Sequence[tuple[str, float]]
    text: str
    note: str = ""
    """A second line under the label."""


def bars(
    name: str,
    alt: str,
    rows: Sequence[Bar],
    *,
    label_px: int = 170,
    text_px: int = 92,
    limit: float | None = None,
) -> str:
    """Draw one bar per row on a common scale; `limit` is a line that bars may reach or pass."""
    row_px = 40 if any(row.note for row in rows) else 26
    height_px = 12 + row_px * len(rows)
    with canvas(height_px, left_px=label_px, right_px=text_px, top_px=4, bottom_px=8) as sheet:
        axes = sheet.axes
        axes.grid(False)
        axes.spines[:].set_visible(False)
        longest = max((sum(value for _, value in row.segments) for row in rows), default=0.0) or 1.0
        longest = max(longest, limit or 0.0)
        for position, row in enumerate(rows):
            start = 0.0
            for role, value in row.segments:
                if value > 0:
                    axes.barh(position, value, left=start, height=14.5 / row_px, color=ROLES[role], linewidth=0)
                start += value
            end = start if limit is None else longest  # beside a limit, values stand clear of its line
            axes.annotate(row.text, (end, position), xytext=(6, 0), textcoords="offset points", va="center")
        if limit is not None:
            axes.axvline(limit, color=ROLES["limit"], lw=1.4, ls=(0, (6, 3)), zorder=3)
        for position, row in enumerate(rows):
            for text, role, size, up_px in ((row.label, "ink", 12, 7 if row.note else 0), (row.note, "muted", 11, -7)):
                axes.annotate(
                    text,
                    (0, position),
                    xycoords=axes.get_yaxis_transform(),
                    xytext=(-6, up_px),
                    textcoords="offset points",
                    ha="right",
                    va="center",
                    color=ROLES[role],
                    size=size,
                )
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(0, longest)
        axes.set_xticks([])
        axes.set_yticks([])
        return sheet.svg(name, alt, "bars")
