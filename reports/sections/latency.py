"""How long did requests take, from when they were due and from when they were sent?"""

import numpy as np

from capacity.judgement.expect import parse_threshold
from reports.charts import Line, percentile_plot
from reports.charts.percentiles import quantile_grid
from reports.document import Cell, Chart, Charts, Key, Section, Table, Text
from reports.numbers import count, milliseconds, number, percent
from reports.quantile_chart import highest_ms, quantile_chart
from reports.quantiles import bin_edges, over_time, quantiles
from reports.run import Requests, Run
from reports.wording import Wording

SHOWN_OPERATIONS = 5
PERCENTILES = [0.5, 0.95, 0.99]


def section(run: Run, say: Wording) -> Section | None:
    """Latency by operation, as percentile plots and over time; None without requests.parquet."""
    requests = run.requests
    if requests is None:
        return None
    window = in_window(requests, run)
    answered = window & requests.answered
    if not answered.any():
        return Section("latency", say("latency.title"), say("latency.none"))
    groups = by_operation(requests, window)
    intended, raw = requests.intended_ms[answered], requests.raw_ms[answered]
    p50, p95, p99 = quantiles(intended, PERCENTILES)
    raw_p95 = quantiles(raw, [0.95])[0]
    key = "latency.lead" if p99 is not None else "latency.lead_p95" if p95 is not None else "latency.lead_p50"
    lead = say(
        key,
        count=count(len(intended)),
        p50=milliseconds(p50),
        p95=milliseconds(p95),
        p99=milliseconds(p99),
        raw_p95=milliseconds(raw_p95),
    )
    return Section(
        "latency",
        say("latency.title"),
        lead,
        [
            _table(requests, groups, say),
            Charts(
                [
                    _plot(run, intended, raw, say),
                    _operations_plot(requests, groups, say),
                    _timeline(run, requests, say),
                ],
            ),
            Text(say("latency.method")),
        ],
    )


def in_window(requests: Requests, run: Run) -> np.ndarray:
    """Tell which requests count: those whose intended start lies in the measuring window; all when there is none."""
    if run.window_s is None:
        return np.ones(len(requests), dtype=bool)
    begin, end = run.window_s
    return (requests.intended_s >= begin) & (requests.intended_s < end)


def by_operation(requests: Requests, window: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """Return (operation, row numbers within the window), busiest first."""
    rows = np.flatnonzero(window)
    order = rows[np.argsort(requests.operation[rows], kind="stable")]
    bounds = np.searchsorted(requests.operation[order], np.arange(len(requests.operations) + 1))
    groups = [(name, order[bounds[n] : bounds[n + 1]]) for n, name in enumerate(requests.operations)]
    return sorted(((name, rows) for name, rows in groups if len(rows)), key=lambda group: (-len(group[1]), group[0]))


def _table(requests: Requests, groups: list[tuple[str, np.ndarray]], say: Wording) -> Table:
    def row(name: str, rows: np.ndarray) -> list[Cell | str]:
        failed = len(rows) - int(requests.ok[rows].sum())
        answered = rows[requests.answered[rows]]
        due, sent = requests.intended_ms[answered], requests.raw_ms[answered]
        cells: list[Cell | str] = [name, count(len(rows)), Cell(percent(failed / len(rows)), "bad" if failed else "")]
        few = Cell(say("latency.few"), "unknown")
        for values in (due, sent):
            cells += [few if value is None else number(value) for value in quantiles(values, PERCENTILES)]
            cells.append(number(float(values.max())) if len(values) else few)
        return cells

    headings = [say("latency.operation"), say("latency.requests"), say("latency.failed")]
    headings += ["p50", "p95", "p99", say("latency.max")] * 2
    spans = [("", 3), (say("latency.from_due"), 4), (say("latency.from_sent"), 4)]
    rows = [row(name, indices) for name, indices in groups]
    if len(groups) > 1:
        rows.append(row(say("latency.all"), np.concatenate([indices for _, indices in groups])))
    return Table(headings, rows, say("latency.table"), range(1, 11), spans)


def _limits(run: Run) -> list[tuple[float, str]]:
    """Limits of the scenario on the latency of all operations together, for drawing."""
    thresholds = [result.expression for result in run.record.verdict.thresholds] if run.record.verdict else []
    parsed = [parse_threshold(text) for text in thresholds]
    return [
        (threshold.limit, f"p{threshold.arguments[0]} {threshold.operator} {number(threshold.limit)} ms")
        for threshold in parsed
        if threshold.figure == "latency.p" and len(threshold.arguments) == 1
    ]


def _plot(run: Run, intended: np.ndarray, raw: np.ndarray, say: Wording) -> Chart:
    grid = quantile_grid(len(intended))
    due = np.quantile(intended, grid, method="higher")
    sent = np.quantile(raw, grid, method="higher")
    alt = say(
        "latency.plot_alt",
        p50=milliseconds(float(np.quantile(intended, 0.5, method="higher"))),
        max=milliseconds(float(intended.max())),
    )
    svg = percentile_plot(
        "latency-all",
        alt,
        [
            Line(grid, due, "c0"),
            Line(grid, sent, "c1", "dashed"),
        ],
        unit="ms",
        x_unit=say("latency.percentile"),
        limits=_limits(run),
    )
    points = [0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999]
    rows = [
        [f"{point * 100:g} %", number(a), number(b)]
        for point, a, b in zip(points, quantiles(intended, points), quantiles(raw, points), strict=True)
        if a is not None
    ]
    rows.append(["100 %", number(float(intended.max())), number(float(raw.max()))])
    headings = [say("latency.percentile"), say("latency.from_due") + ", ms", say("latency.from_sent") + ", ms"]
    legend = [Key("c0", say("latency.from_due")), Key("c1", say("latency.from_sent"), "dashed")]
    return Chart(say("latency.plot_title"), svg, alt, Table(headings, rows, numeric=range(3)), legend)


def _operations_plot(requests: Requests, groups: list[tuple[str, np.ndarray]], say: Wording) -> Chart:
    shown = [(name, rows[requests.answered[rows]]) for name, rows in groups[:SHOWN_OPERATIONS]]
    shown = [(name, rows) for name, rows in shown if len(rows)]
    curves, legend, rows = [], [], []
    for position, (name, indices) in enumerate(shown):
        values = requests.intended_ms[indices]
        grid = quantile_grid(len(values))
        curves.append(Line(grid, np.quantile(values, grid, method="higher"), f"c{position}"))
        legend.append(Key(f"c{position}", name))
        rows += [[name, f"{q * 100:.3g} %", number(float(np.quantile(values, q, method="higher")))] for q in grid[::15]]
    alt = say("latency.operations_alt", operations=", ".join(name for name, _ in shown))
    svg = percentile_plot("latency-operations", alt, curves, unit="ms", x_unit=say("latency.percentile"))
    headings = [say("latency.operation"), say("latency.percentile"), "ms"]
    title = (
        say("latency.operations_title") if len(groups) <= len(shown) else say("latency.busiest_title", count=len(shown))
    )
    return Chart(title, svg, alt, Table(headings, rows, numeric=(1, 2)), legend)


def _timeline(run: Run, requests: Requests, say: Wording) -> Chart:
    edges = bin_edges(run.length_s)
    answered = requests.answered
    series = over_time(requests.intended_s[answered], requests.intended_ms[answered], edges, [*PERCENTILES, 1.0])
    names = ("p50", "p95", "p99", say("latency.max"))
    limits = _limits(run)
    return quantile_chart(
        "latency-time",
        say("latency.time_title", width=f"{edges[1] - edges[0]:g}"),
        say("latency.time_alt", worst=milliseconds(highest_ms(series[-1]))),
        edges,
        dict(zip(names, series, strict=True)),
        run,
        say,
        limit_ms=limits[0][0] if limits else None,
        limit_label=limits[0][1] if limits else "",
    )
