"""Lines and clouds over a quantity: what grows with what, where two ways meet, and which points are known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from reports.charts.canvas import ROLES, canvas
from reports.numbers import axis_number

CELLS = (120, 80)
"""A cloud is drawn as one dot for each of so many cells of the chart that has any: more cannot be told apart."""


@dataclass(frozen=True)
class Curve:
    """One series; `cloud` draws it as dots without order, `steps` holds each value up to the next."""

    x: Sequence[float] | np.ndarray
    y: Sequence[float] | np.ndarray
    role: str
    style: Literal["line", "dashed", "steps", "cloud"] = "line"


@dataclass(frozen=True)
class Point:
    """A place worth a word."""

    x: float
    y: float
    label: str
    role: str = "ink"
    marker: Literal["o", "*", "x"] = "o"


def curves(
    name: str,
    alt: str,
    lines: Sequence[Curve],
    points: Sequence[Point] = (),
    *,
    unit: str,
    x_unit: str,
    log_x: bool = False,
    log_y: bool = False,
    limit: float | None = None,
    limit_label: str = "",
    height_px: int = 300,
) -> str:
    """Draw series over a common axis. On a logarithmic axis values that are not positive are left out."""
    with canvas(height_px) as sheet:
        axes = sheet.axes
        axes.set_xscale("log" if log_x else "linear")
        axes.set_yscale("log" if log_y else "linear")
        for line in lines:
            x, y = np.asarray(line.x, dtype=float), np.asarray(line.y, dtype=float)
            shown = (x > 0) | (not log_x)
            shown &= (y > 0) | (not log_y)
            x, y = x[shown], y[shown]
            if not len(x):
                continue
            colour = ROLES[line.role]
            if line.style == "cloud":
                axes.add_patch(_dots(*_cells(x, y, log_x, log_y), colour))
                axes.update_datalim(np.column_stack([x, y]))
                continue
            dashes = (0, (4, 2.5)) if line.style == "dashed" else "-"
            drawstyle = "steps-post" if line.style == "steps" else "default"
            axes.plot(x, y, color=colour, lw=1.8, ls=dashes, drawstyle=drawstyle)
        if limit is not None:
            axes.axhline(limit, color=ROLES["limit"], lw=1.4, ls=(0, (6, 3)))
            axes.annotate(
                limit_label,
                (0, limit),
                xycoords=axes.get_yaxis_transform(),
                xytext=(4, 4),
                textcoords="offset points",
                color=ROLES["limit"],
            )
        axes.autoscale_view()
        if not log_x:
            axes.set_xlim(*_span([line.x for line in lines]))
        if not log_y:
            axes.set_ylim(0, axes.get_ylim()[1] * 1.08)
        middle = np.mean(axes.transData.transform([(axes.get_xlim()[0], 1), (axes.get_xlim()[1], 1)])[:, 0])
        for point in points:
            size, edge = {"*": (11, 1), "x": (8, 2.2), "o": (6, 1)}[point.marker]
            colour = ROLES[point.role]
            axes.plot(point.x, point.y, point.marker, color=colour, ms=size, mew=edge, zorder=4, clip_on=False)
            late = axes.transData.transform((point.x, point.y))[0] > middle
            axes.annotate(
                point.label,
                (point.x, point.y),
                xytext=(-8 if late else 8, 5),
                textcoords="offset points",
                ha="right" if late else "left",
                color=ROLES[point.role],
                zorder=5,
            )
        for axis, log in ((axes.xaxis, log_x), (axes.yaxis, log_y)):
            if log:
                low, high = axis.get_view_interval()
                axis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0) if high / low < 200 else (1.0,), numticks=9))
                axis.set_minor_locator(NullLocator())
            else:
                axis.set_major_locator(MaxNLocator(6 if axis is axes.xaxis else 4, steps=[1, 2, 2.5, 3, 5, 6, 10]))
            axis.set_major_formatter(FuncFormatter(lambda value, _: axis_number(value)))
        sheet.y_unit(unit)
        sheet.x_unit(x_unit)
        return sheet.svg(name, alt)


def _span(series: Sequence[Sequence[float] | np.ndarray]) -> tuple[float, float]:
    ends = [float(end) for values in series if len(values) for end in (np.min(values), np.max(values))]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    return (low, high) if low < high else (low - 1.0, high + 1.0)


def _cells(x: np.ndarray, y: np.ndarray, log_x: bool, log_y: bool) -> tuple[np.ndarray, np.ndarray]:
    """One point for each cell of the chart that has any."""
    placed = []
    for values, log, cells in ((x, log_x, CELLS[0]), (y, log_y, CELLS[1])):
        scaled = np.log(values) if log else values
        low, span = scaled.min(), np.ptp(scaled) or 1.0
        placed.append(np.round((scaled - low) / span * cells).astype(np.int64))
    _, first = np.unique(placed[0] * (CELLS[1] + 1) + placed[1], return_index=True)
    return x[first], y[first]


def _dots(x: np.ndarray, y: np.ndarray, colour: str) -> PathPatch:
    """All dots as one path: strokes without length, with round ends."""
    places = np.repeat(np.column_stack([x, y]), 2, axis=0)
    path = Path(places, np.tile(np.array([Path.MOVETO, Path.LINETO], np.uint8), len(x)))
    path.should_simplify = False
    return PathPatch(path, fill=False, edgecolor=colour, linewidth=2.4, capstyle="round")
