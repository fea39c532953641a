"""The percentile plot of HdrHistogram: how bad is one request in ten, in a hundred, in a thousand?"""

from collections.abc import Sequence

import numpy as np
from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

from reports.charts.canvas import ROLES, canvas
from reports.charts.timeline import Line
from reports.numbers import axis_number

TICKS = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999)


def quantile_grid(count: int, points: int = 90) -> np.ndarray:
    """Return the quantiles at which to draw a sample of `count`: evenly spaced in nines, as far as it reaches."""
    if count < 2:
        return np.array([0.5])
    nines = np.linspace(0, np.log10(count), points)
    return 1 - 10**-nines


def percentile_plot(
    name: str,
    alt: str,
    curves: Sequence[Line],
    *,
    unit: str,
    x_unit: str,
    limits: Sequence[tuple[float, str]] = (),
    height_px: int = 250,
) -> str:
    """Draw latency against percentile; `time_s` of each curve holds quantiles (0 to 1), `limits` are (value, label)."""
    with canvas(height_px) as sheet:
        axes = sheet.axes
        reach = 1.0
        values_seen = [value for curve in curves for value in curve.values if value > 0]
        for curve in curves:
            nines = -np.log10(np.maximum(1 - np.asarray(curve.time_s, dtype=float), 1e-9))
            reach = max(reach, float(nines.max()))
            dashes = (0, (4, 2.5)) if curve.style == "dashed" else "-"
            axes.plot(nines, curve.values, color=ROLES[curve.role], lw=1.8, ls=dashes)
        for value, label in limits:
            axes.axhline(value, color=ROLES["limit"], lw=1.4, ls=(0, (6, 3)))
            axes.annotate(
                label,
                (0, value),
                xycoords=axes.get_yaxis_transform(),
                xytext=(2, 4),
                textcoords="offset points",
                ha="left",
                va="bottom",
                color=ROLES["limit"],
            )
        if values_seen:
            low = min(values_seen)
            high = max([*values_seen, *(value for value, _ in limits)])
            axes.set_yscale("log")
            axes.set_ylim(low / 1.3, high * 1.6)
            axes.yaxis.set_major_locator(
                LogLocator(10, subs=(1.0, 2.0, 5.0) if high / low < 200 else (1.0,), numticks=9)
            )
            axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: axis_number(value)))
        shown = [tick for tick in TICKS if -np.log10(1 - tick) <= reach + 1e-6]
        if reach > 3.5:
            shown = shown[1:]  # 0 % would stand on 50 %
        axes.xaxis.set_major_locator(FixedLocator([float(-np.log10(1 - tick)) for tick in shown]))
        axes.set_xticklabels([f"{tick * 100:.6f}".rstrip("0").rstrip(".") + " %" for tick in shown])
        axes.set_xlim(0, reach)
        sheet.y_unit(unit)
        sheet.x_unit(x_unit)
        return sheet.svg(name, alt)
