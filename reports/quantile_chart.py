"""Quantiles of each time step as one chart, with its numbers and its legend."""

from collections.abc import Mapping

import numpy as np

from reports.charts import Line, timeline
from reports.document import Chart, Key, Table
from reports.numbers import number
from reports.run import Run
from reports.wording import Wording

_ROLES = ("h3", "h4", "h5")
_LAST = "h6"


def quantile_chart(
    name: str,
    title: str,
    alt: str,
    edges_s: np.ndarray,
    series_ms: Mapping[str, np.ndarray],
    run: Run,
    say: Wording,
    *,
    limit_ms: float | None = None,
    limit_label: str = "",
    spread: bool = True,
) -> Chart:
    """Draw two to four series by name, lowest quantile first; one value a step, NaN where it is unknown.

    A series that no step knows is left out.
    """
    roles = dict(zip(series_ms, (*_ROLES[: len(series_ms) - 1], _LAST), strict=True))
    shown = {label: row for label, row in series_ms.items() if not np.isnan(row).all()}
    svg = timeline(
        name,
        alt,
        [Line(edges_s[:-1], row, roles[label]) for label, row in shown.items()],
        unit="ms",
        time_unit=say("page.time_unit"),
        end_s=run.length_s,
        limit=limit_ms,
        limit_label=limit_label,
        window_s=run.window_s,
        spread=spread,
    )
    data = Table(
        [say("page.time"), *(f"{label}, ms" for label in shown)],
        [
            [f"{edges_s[step]:g} s", *(number(float(row[step])) for row in shown.values())]
            for step in range(len(edges_s) - 1)
        ],
        numeric=range(1 + len(shown)),
    )
    return Chart(title, svg, alt, data, [Key(roles[label], label) for label in shown])


def highest_ms(row: np.ndarray) -> float | None:
    """The highest value of a series; None where no step knows one."""
    return None if np.isnan(row).all() else float(np.nanmax(row))
