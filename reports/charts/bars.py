"""Horizontal bars with their values written beside them: shares of a whole that a reader compares by length."""

from collections.abc import Sequence
from dataclasses import dataclass

from reports.charts.canvas import ROLES, WIDTH_PX, canvas


@dataclass(frozen=True)
class Bar:
    """A named row: segments of (role, value) laid end to end, and the text that stands behind them."""

    label: str
    segments: Sequence[tuple[str, float]]
    text: str


def bars(name: str, alt: str, rows: Sequence[Bar], *, label_px: int = 170, text_px: int = 92) -> str:
    """Draw one bar per row on a common scale."""
    height_px = 12 + 26 * len(rows)
    with canvas(height_px, left_px=label_px, right_px=text_px, top_px=4, bottom_px=8) as sheet:
        axes = sheet.axes
        axes.grid(False)
        axes.spines[:].set_visible(False)
        longest = max((sum(value for _, value in row.segments) for row in rows), default=0.0) or 1.0
        for position, row in enumerate(rows):
            start = 0.0
            for role, value in row.segments:
                if value > 0:
                    axes.barh(position, value, left=start, height=0.56, color=ROLES[role], linewidth=0)
                start += value
            axes.annotate(row.text, (start, position), xytext=(6, 0), textcoords="offset points", va="center")
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_xlim(0, longest)
        axes.set_xticks([])
        axes.set_yticks(range(len(rows)), [row.label for row in rows], color=ROLES["ink"])
        axes.tick_params(axis="y", length=0, pad=WIDTH_PX // 80)
        return sheet.svg(name, alt)
