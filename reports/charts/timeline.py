"""Lines over the time of a run, with the limit drawn and named."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullLocator

from reports.charts.canvas import ROLES, canvas
from reports.numbers import axis_number, clock

MAX_POINTS = 160
"""More points than this do not fit a chart of this width; see `thin`."""


DWARFED = 40.0
"""A peak this many times a series' median leaves that series on the floor of a linear axis."""

Numbers = Sequence[float] | np.ndarray


@dataclass(frozen=True)
class Line:
    """One series: seconds since the start of the run, values, and the role that gives it colour and meaning."""

    time_s: Numbers
    values: Numbers
    role: str
    style: Literal["line", "dashed", "area", "dots"] = "line"
    steps: bool = False
    """Each value holds from its time to the next one's, as a sum over a period does."""


@dataclass(frozen=True)
class Mark:
    """A moment worth a vertical line and a word."""

    time_s: float
    label: str
    role: str = "bad"


def thin(time_s: np.ndarray, values: np.ndarray, points: int = MAX_POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Reduce a series to at most about `points`, keeping every bucket's extremes so that no peak is lost."""
    if len(values) <= points:
        return time_s, values
    keep: list[int] = []
    for bucket in np.array_split(np.arange(len(values)), points // 2):
        chunk = values[bucket]
        if np.isnan(chunk).all():
            keep.append(int(bucket[0]))
            continue
        keep += sorted({int(bucket[np.nanargmin(chunk)]), int(bucket[np.nanargmax(chunk)])})
    return time_s[keep], values[keep]


def timeline(
    name: str,
    alt: str,
    lines: Sequence[Line],
    *,
    unit: str,
    time_unit: str,
    end_s: float | None = None,
    limit: float | None = None,
    limit_label: str = "",
    marks: Sequence[Mark] = (),
    window_s: tuple[float, float] | None = None,
    spread: bool = False,
    height_px: int = 210,
) -> str:
    """Draw series over time. Gaps (NaN) stay gaps: a point that is unknown is not drawn as zero.

    What lies outside `window_s`, the time that is judged, is shaded. The limit is drawn when it is within reach of the
    data; far above, it would flatten the chart, so it is only named. With `spread`, the axis is logarithmic when the
    series lie so far apart that a common one would flatten the lower of them.
    """
    with canvas(height_px) as sheet:
        axes = sheet.axes
        highest = 0.0
        last_s = end_s or 0.0
        for line in lines:
            time_s, values = thin(np.asarray(line.time_s, dtype=float), np.asarray(line.values, dtype=float))
            if not len(values) or np.isnan(values).all():
                continue
            highest = max(highest, float(np.nanmax(values)))
            last_s = max(last_s, float(time_s[-1])) if end_s is None else last_s
            colour = ROLES[line.role]
            if line.style == "area":
                step: Literal["post"] | None = "post" if line.steps else None
                axes.fill_between(time_s, values, 0, color=colour, alpha=0.16, linewidth=0, step=step)
            if line.style == "dots":  # each value in the middle of the period that it holds for
                middle = (time_s[:-1] + time_s[1:]) / 2 if line.steps else time_s
                axes.plot(middle, values[: len(middle)], "o", color=colour, ms=4.5, zorder=4)
                continue
            drawstyle = "steps-post" if line.steps else "default"
            marker = "o" if np.count_nonzero(~np.isnan(values)) == 1 else None
            dashes = (0, (4, 2.5)) if line.style == "dashed" else "-"
            width = 2.2 if line.style == "area" else 1.6
            axes.plot(time_s, values, color=colour, lw=width, ls=dashes, drawstyle=drawstyle, marker=marker, ms=4)
        if window_s is not None:
            for begin, end in ((0.0, window_s[0]), (window_s[1], last_s)):
                if end > begin:
                    axes.axvspan(begin, end, color=ROLES["grid"], alpha=0.45, linewidth=0, zorder=0)
        low = _log_from(lines) if spread else None
        near = limit is not None and (limit <= highest * 2.5 or highest == 0)
        if limit is not None and near:
            axes.axhline(limit, color=ROLES["limit"], lw=1.4, ls=(0, (6, 3)))
            axes.annotate(
                limit_label,
                (1, limit),
                xycoords=axes.get_yaxis_transform(),
                xytext=(0, 4),
                textcoords="offset points",
                ha="right",
                va="bottom",
                color=ROLES["limit"],
            )
        for mark in marks:
            axes.axvline(mark.time_s, color=ROLES[mark.role], lw=1.2)
            late = mark.time_s > 0.6 * max(last_s, 1e-9)
            axes.annotate(
                mark.label,
                (mark.time_s, 1),
                xycoords=axes.get_xaxis_transform(),
                xytext=(-4 if late else 4, -2),
                textcoords="offset points",
                ha="right" if late else "left",
                va="top",
                color=ROLES[mark.role],
            )
        if low:
            axes.set_yscale("log")
            axes.set_ylim(low / 1.5, max(highest, limit if limit is not None and near else 0.0) * 2.2)
            axes.yaxis.set_major_locator(LogLocator(10, numticks=6))
            axes.yaxis.set_minor_locator(NullLocator())
        else:
            top = max(highest, limit if limit is not None and near else 0.0)
            axes.set_ylim(0, top * 1.18 if top else 1)
            axes.yaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: axis_number(value)))
        axes.set_xlim(0, last_s or 1)
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 1.5, 2, 3, 6, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: clock(value)))
        sheet.y_unit(unit if limit is None or near else f"{unit} · {limit_label}")
        sheet.x_unit(time_unit)
        return sheet.svg(name, alt)


def _log_from(lines: Sequence[Line]) -> float | None:
    """Return the lowest value of a logarithmic axis when one is needed: the highest peak dwarfs some series."""
    series = [np.asarray(line.values, dtype=float) for line in lines]
    positive = [values[values > 0] for values in series if (values > 0).any()]
    if not positive:
        return None
    highest = max(float(values.max()) for values in positive)
    flattest = min(float(np.median(values)) for values in positive)
    return min(float(values.min()) for values in positive) if highest > DWARFED * flattest else None
