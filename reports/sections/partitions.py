"""Does the load spread over the partitions, or does one of them carry it?"""

from __future__ import annotations

import numpy as np

from capacity.physics.parameters import DEFAULT
from reports.charts import heat_map
from reports.document import Block, Cell, Chart, Charts, Key, Section, Table, Text
from reports.measurements import dimensions_of, points
from reports.numbers import count, number, percent
from reports.partition_load import MOST_REQUESTS, PartitionLoad, partition_loads
from reports.quantiles import bin_edges
from reports.run import Run
from reports.sections.capacity import name_of
from reports.wording import Wording

SHOWN = 4
STEPS = (0.0, 0.01, 0.05, 0.2, 0.5, 1.0)
"""Shares of a partition's ceiling at which the colour changes; 0 is idle."""


def section(run: Run, say: Wording) -> Section | None:
    """A heat map of partitions over time for what is loaded most; None without requests or forecast."""
    if run.requests is None or run.forecast is None or not len(run.requests):
        return None
    edges = bin_edges(run.length_s)
    loads = partition_loads(run, edges)
    title = say("partitions.title")
    if loads is None:
        return Section("partitions", title, say("partitions.too_large", most=count(MOST_REQUESTS)))
    if not loads:
        return Section("partitions", title, say("partitions.none"))
    loads = sorted(loads, key=lambda load: -_peak(load))
    busiest = loads[0]
    lead = say(
        "partitions.lead" if len(busiest.units_per_s) > 1 else "partitions.lead_one",
        name=name_of(busiest.resource, busiest.kind, say),
        share=percent(_peak(busiest)),
        ceiling=number(_ceiling(busiest)),
        skew=percent(_skew(busiest)),
        even=percent(1 / len(busiest.units_per_s)),
    )
    charts = [_chart(run, load, edges, say) for load in loads[:SHOWN]]
    legend = [Key(f"h{level}", _level_text(level, say), "cell") for level in range(len(STEPS) + 1)]
    if any(_throttled(run, load, edges).any() for load in loads[:SHOWN]):
        legend.append(Key("bad", say("partitions.throttled"), "cross"))
    blocks: list[Block] = [Charts(charts, legend), _table(loads, say), Text(say("partitions.method"))]
    return Section("partitions", title, lead, blocks)


def _ceiling(load: PartitionLoad) -> float:
    return DEFAULT.ceiling("read" if load.kind == "read" else "write")


def _peak(load: PartitionLoad) -> float:
    return float(load.units_per_s.max()) / _ceiling(load)


def _skew(load: PartitionLoad) -> float:
    """Share of all units that the busiest partition carries."""
    sums = load.units_per_s.sum(axis=1)
    return float(sums.max() / sums.sum()) if sums.sum() else 0.0


def _level_text(level: int, say: Wording) -> str:
    if level == 0:
        return say("partitions.idle")
    if level == len(STEPS):
        return say("partitions.beyond")
    return say("partitions.up_to", share=percent(STEPS[level]))


def _chart(run: Run, load: PartitionLoad, edges: np.ndarray, say: Wording) -> Chart:
    share = load.units_per_s / _ceiling(load)
    level = np.searchsorted(STEPS, share, side="left")
    name = name_of(load.resource, load.kind, say)
    alt = say(
        "partitions.alt",
        name=name,
        partitions=count(len(share)),
        keys=count(load.keys),
        share=percent(_peak(load)),
        skew=percent(_skew(load)),
    )
    svg = heat_map(
        f"partitions-{load.resource}-{load.kind}",
        alt,
        edges,
        [str(n + 1) for n in range(len(share))],
        level,
        _throttled(run, load, edges),
        unit=say("partitions.unit"),
        time_unit=say("page.time_unit"),
        end_s=run.length_s,
    )
    return Chart(name, svg, alt)


def _throttled(run: Run, load: PartitionLoad, edges: np.ndarray) -> np.ndarray:
    """Tell in which steps CloudWatch counted throttle events of this resource."""
    throttled = np.zeros(len(edges) - 1, dtype=bool)
    metric = f"{load.kind.capitalize()}ThrottleEvents"
    measured = points(run, metric, dimensions_of(run, "" if load.resource == "table" else load.resource))
    if measured is not None:
        for begin_s in measured.time_s[measured.values > 0]:
            throttled |= (edges[:-1] < begin_s + measured.period_s) & (edges[1:] > begin_s)
    return throttled


def _table(loads: list[PartitionLoad], say: Wording) -> Table:
    rows: list[list[Cell | str]] = [
        [
            name_of(load.resource, load.kind, say),
            count(len(load.units_per_s)),
            count(load.keys),
            number(float(load.units_per_s.max())),
            percent(_peak(load)),
            percent(_skew(load)),
        ]
        for load in loads
    ]
    headings = [say(f"partitions.{name}") for name in ("resource", "count", "keys", "peak", "used", "skew")]
    return Table(headings, rows, say("partitions.table"), range(1, 6))
