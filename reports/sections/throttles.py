"""What was refused for want of capacity: by table or index, by operation, by cause, and when it began."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.charts import Line, Mark, timeline
from reports.document import Block, Cell, Chart, Charts, Figure, Key, Section, Table
from reports.measurements import THROTTLE_CAUSES, Points, dimensions_of, points, resources
from reports.numbers import count, duration, number
from reports.quantiles import bin_edges
from reports.run import Run
from reports.sections.capacity import name_of
from reports.wording import Wording


@dataclass(frozen=True)
class Throttles:
    """Throttle events of reads or writes of a resource: measured points, and what the forecast said."""

    resource: str
    kind: str
    measured: Points | None
    measured_first_s: float | None
    resolution_s: float | None
    forecast: int | None
    forecast_first_s: float | None

    @property
    def happened(self) -> bool:
        """Tell whether there were any, measured or forecast."""
        return bool(self.forecast) or (self.measured is not None and self.measured.total > 0)


def section(run: Run, say: Wording) -> Section | None:
    """Throttle events as CloudWatch counted them beside the forecast's; None without metrics.parquet."""
    if run.metrics is None:
        return None
    events = collect(run)
    title = say("throttles.title")
    known = [event for event in events if event.measured is not None]
    if not known:
        return Section("throttles", title, say("throttles.unknown"))
    total = sum(event.measured.total for event in known if event.measured is not None)
    complete = len(known) == len(events)
    if not total and not any(event.forecast for event in events):
        lead = say("throttles.none") if complete else say("throttles.none_known")
        return Section("throttles", title, lead, [] if complete else [_table(run, events, say)])
    hit = [event for event in events if event.happened]
    blocks: list[Block] = [_table(run, hit, say), Charts([_chart(run, event, say) for event in hit], _legend(hit, say))]
    by_operation = _operations(run, say)
    if by_operation is not None:
        blocks.append(by_operation)
    return Section("throttles", title, _lead(hit, total, say), blocks)


def figure(run: Run, say: Wording) -> Figure | None:
    """Give the first throttle a place on the first screen, when there was one or should have been."""
    if run.metrics is None and run.comparison is None:
        return None
    hit = [event for event in collect(run) if event.happened]
    if not hit:
        return None
    measured, forecast = _first(hit)
    gap = None if measured is None or forecast is None else abs(measured - forecast)
    key = (
        "throttles.figure"
        if gap is not None
        else "throttles.figure_measured"
        if measured is not None
        else "throttles.figure_forecast"
    )
    names = ", ".join(dict.fromkeys(name_of(event.resource, event.kind, say) for event in hit))
    note = say(key, where=names, forecast=duration(forecast), gap=duration(gap))
    value = say("throttles.never") if measured is None else say("throttles.after", time=duration(measured))
    return Figure(say("throttles.figure_label"), value, note, "" if measured is None else "bad")


def collect(run: Run) -> list[Throttles]:
    """Return what is known of the throttles of the table and each index, reads and writes."""
    compared = {(t.resource, t.kind): t for t in run.comparison.throttles} if run.comparison else {}
    pairs = list(compared) or [(name or "table", kind) for name in resources(run) for kind in ("read", "write")]
    found = []
    for resource, kind in pairs:
        metric = f"{kind.capitalize()}ThrottleEvents"
        measured = points(run, metric, dimensions_of(run, "" if resource == "table" else resource))
        one = compared.get((resource, kind))
        first_s = one.measured_first_s if one else measured.first_s if measured else None
        resolution_s = (
            one.resolution_s if one else measured.period_s if measured and measured.first_s is not None else None
        )
        forecast = (one.forecast, one.forecast_first_s) if one else (None, None)
        found.append(Throttles(resource, kind, measured, first_s, resolution_s, *forecast))
    return found


def _first(events: list[Throttles]) -> tuple[float | None, float | None]:
    measured = [event.measured_first_s for event in events if event.measured_first_s is not None]
    forecast = [event.forecast_first_s for event in events if event.forecast_first_s is not None]
    return min(measured, default=None), min(forecast, default=None)


def _lead(hit: list[Throttles], total: float, say: Wording) -> str:
    measured, forecast = _first(hit)
    where = ", ".join(dict.fromkeys(say("page.the_table") if e.resource == "table" else e.resource for e in hit))
    if not total:
        return say("throttles.lead_forecast_only", where=where, forecast=duration(forecast))
    if forecast is None:
        return say("throttles.lead", total=count(total), where=where, first=duration(measured))
    return say(
        "throttles.lead_both", total=count(total), where=where, first=duration(measured), forecast=duration(forecast)
    )


def _table(run: Run, events: list[Throttles], say: Wording) -> Table:
    rows: list[list[Cell | str]] = []
    for event in events:
        causes = []
        for cause in THROTTLE_CAUSES:
            metric = f"{event.kind.capitalize()}{cause}ThrottleEvents"
            found = points(run, metric, dimensions_of(run, "" if event.resource == "table" else event.resource))
            if found is not None and found.total:
                causes.append(f"{say.name_of('cause', cause)}: {count(found.total)}")
        measured = event.measured
        first = duration(event.measured_first_s)
        if event.measured_first_s is not None and event.resolution_s is not None:
            first = f"{first} ± {number(event.resolution_s)} s"
        rows.append(
            [
                name_of(event.resource, event.kind, say),
                count(event.forecast),
                Cell(say("page.unknown"), "unknown")
                if measured is None
                else Cell(count(measured.total), "bad" if measured.total else ""),
                duration(event.forecast_first_s),
                first,
                "; ".join(causes) or "–",
            ]
        )
    headings = [
        say(f"throttles.{name}") for name in ("resource", "forecast", "measured", "forecast", "measured", "causes")
    ]
    spans = [("", 1), (say("throttles.events"), 2), (say("throttles.first"), 2), ("", 1)]
    return Table(headings, rows, numeric=range(1, 5), groups=spans)


def _legend(hit: list[Throttles], say: Wording) -> list[Key]:
    keys = [Key("bad", say("throttles.measured"))]
    if any(event.forecast for event in hit):
        keys.append(Key("plan", say("throttles.forecast"), "dashed"))
    return keys


def _chart(run: Run, event: Throttles, say: Wording) -> Chart:
    name = name_of(event.resource, event.kind, say)
    series = event.measured
    total = series.total if series is not None else None
    alt = say("throttles.alt", name=name, total=count(total), first=duration(event.measured_first_s))
    lines, rows = [], []
    planned = _planned(run, event)
    if planned is not None:
        lines.append(planned)
    if series is not None and len(series.values):
        rate = series.values / series.period_s
        lines.append(
            Line([*series.time_s, float(series.time_s[-1]) + series.period_s], [*rate, rate[-1]], "bad", steps=True)
        )
        rows = [[f"{at:.0f} s", count(value)] for at, value in zip(series.time_s, series.values, strict=True) if value]
    marks = []
    if event.measured_first_s is not None:
        marks.append(Mark(event.measured_first_s, say("throttles.mark", time=duration(event.measured_first_s))))
    svg = timeline(
        f"throttles-{event.resource}-{event.kind}",
        alt,
        lines,
        unit=say("throttles.unit"),
        time_unit=say("page.time_unit"),
        end_s=run.length_s,
        window_s=run.window_s,
        marks=marks,
    )
    data = Table([say("page.time"), say("throttles.events")], rows, numeric=(0, 1)) if rows else None
    return Chart(name, svg, alt, data)


def _planned(run: Run, event: Throttles) -> Line | None:
    """The forecast's events, in the periods of the measurement where they are known by the second."""
    if run.forecast is None or not event.forecast:
        return None
    resource = run.forecast.resource(event.resource)
    part = resource.read if event.kind == "read" else resource.write
    events, step_s = (
        (part.throttled_per_s, 1) if part.throttled_per_s else (part.throttled_per_step, run.forecast.step_s)
    )
    edges_s = step_s * np.arange(len(events) + 1, dtype=float)
    if step_s == 1:
        edges_s = _periods(event.measured, run.length_s)
    planned = np.histogram(step_s * (np.arange(len(events)) + 0.5), edges_s, weights=events)[0] / np.diff(edges_s)
    return Line(edges_s, [*planned, planned[-1]], "plan", "dashed", steps=True)


def _periods(measured: Points | None, length_s: float) -> NDArray[np.float64]:
    """Edges of periods over the whole run, those of the measurement or of a round width where there is none."""
    if measured is None or not len(measured.time_s):
        return bin_edges(length_s)
    period_s = measured.period_s
    begin_s = measured.time_s[0] - period_s * np.ceil(measured.time_s[0] / period_s)
    return np.arange(begin_s, length_s + period_s, period_s)


def _operations(run: Run, say: Wording) -> Table | None:
    frame = run.metrics
    assert frame is not None
    mine = frame[(frame["metric"] == "ThrottledRequests") & (frame["statistic"] == "Sum") & frame["value"].notna()]
    sums = mine.groupby("dimensions", observed=True)["value"].sum()
    rows: list[list[Cell | str]] = []
    for dimensions, total in sorted(sums.items(), key=lambda item: -item[1]):
        parts = dict(part.split("=", 1) for part in str(dimensions).split(",") if "=" in part)
        if total and parts.get("TableName") == run.record.target.table_name:
            rows.append([parts.get("Operation", "–"), Cell(count(total), "bad")])
    if not rows:
        return None
    return Table(
        [say("throttles.operation"), say("throttles.requests")], rows, say("throttles.by_operation"), numeric=(1,)
    )
