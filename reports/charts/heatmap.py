"""Partitions over time: which of them carry the load, and when was anything refused."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from reports.charts.canvas import ROLES, canvas
from reports.numbers import clock

MOST_LABELS = 16


def heat_map(
    name: str,
    alt: str,
    edges_s: Sequence[float] | np.ndarray,
    rows: Sequence[str],
    level: np.ndarray,
    throttled: np.ndarray,
    *,
    unit: str,
    time_unit: str,
    end_s: float,
) -> str:
    """Draw a cell per row and time step in the colour of its `level` (0 to 6, shaped rows x steps).

    Steps in which something was throttled (`throttled`, one per step) get a cross in a line above the rows.
    """
    row_px = max(4, min(24, 360 // max(1, len(rows))))
    marks = bool(throttled.any())
    with canvas(66 + row_px * len(rows) + (18 if marks else 0), left_px=34) as sheet:
        axes = sheet.axes
        axes.grid(False)
        top = -18 / row_px if marks else 0.0
        gap = 0.06 if row_px > 8 else 0.0
        for row in range(len(rows)):
            # One rectangle for a run of equal cells keeps the picture small.
            bounds = [0, *(np.flatnonzero(np.diff(level[row])) + 1).tolist(), level.shape[1]]
            for begin, end in pairwise(bounds):
                span = (float(edges_s[begin]), float(edges_s[end]) - float(edges_s[begin]))
                colour = ROLES[f"h{int(level[row, begin])}"]
                axes.broken_barh([span], (row + gap, 1 - 2 * gap), facecolors=colour, linewidth=0)
        if marks:
            middle = (np.asarray(edges_s[:-1]) + np.asarray(edges_s[1:])) / 2
            at = middle[throttled]
            axes.plot(at, np.full(len(at), top / 2), "x", color=ROLES["bad"], ms=5, mew=1.6, clip_on=False)
        axes.set_ylim(len(rows), top)
        stride = max(1, -(-len(rows) // MOST_LABELS))
        shown = range(0, len(rows), stride)
        axes.set_yticks([row + 0.5 for row in shown], [rows[row] for row in shown])
        axes.set_xlim(0, end_s)
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 1.5, 2, 3, 6, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: clock(value)))
        sheet.y_unit(unit)
        sheet.x_unit(time_unit)
        return sheet.svg(name, alt, "heat-map")
