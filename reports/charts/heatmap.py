"""Partitions over time: which of them carry the load, and which of them refused."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.ticker import FuncFormatter, MaxNLocator

from reports.charts.canvas import ROLES, canvas
from reports.numbers import clock

LEVELS = 6


def heat_map(
    name: str,
    alt: str,
    time_s: Sequence[float],
    rows: Sequence[str],
    share: np.ndarray,
    throttled: np.ndarray,
    *,
    step_s: float,
    time_unit: str,
) -> str:
    """Draw `share` (rows x times, 0 = idle, 1 = at the ceiling, NaN = unknown) and mark cells that throttled."""
    height_px = 70 + max(14, min(24, 420 // max(1, len(rows)))) * len(rows)
    with canvas(height_px, left_px=58) as sheet:
        axes = sheet.axes
        axes.grid(False)
        for row in range(len(rows)):
            level = np.where(np.isnan(share[row]), -1, np.clip(np.ceil(share[row] * LEVELS), 0, LEVELS)).astype(int)
            # One rectangle for a run of equal cells keeps the picture small.
            edges = [0, *(np.flatnonzero(np.diff(level)) + 1).tolist(), len(level)]
            for start, stop in pairwise(edges):
                if level[start] < 0:
                    continue
                span = (float(time_s[start]), (stop - start) * step_s)
                axes.broken_barh([span], (row + 0.06, 0.88), facecolors=ROLES[f"h{level[start]}"], linewidth=0)
            hot = np.flatnonzero(throttled[row] > 0)
            if len(hot):
                axes.plot(
                    np.asarray(time_s)[hot] + step_s / 2,
                    np.full(len(hot), row + 0.5),
                    "x",
                    color=ROLES["bad"],
                    ms=5,
                    mew=1.6,
                )
        axes.set_ylim(len(rows), 0)
        stride = max(1, len(rows) // 16)
        axes.set_yticks(
            [row + 0.5 for row in range(0, len(rows), stride)], [rows[n] for n in range(0, len(rows), stride)]
        )
        axes.set_xlim(float(time_s[0]), float(time_s[-1]) + step_s)
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 1.5, 2, 3, 6, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: clock(value)))
        sheet.x_unit(time_unit)
        return sheet.svg(name, alt, "heat-map")
