"""How many units were planned, sent and measured, how far are they apart, and why?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reports.charts import Line, timeline
from reports.document import Block, Cell, Chart, Charts, Figure, Key, Section, Table, Text, Tone
from reports.numbers import count, known, number, percent
from reports.run import Run
from reports.wording import Wording

if TYPE_CHECKING:
    from capacity.judgement.comparison import Comparison, UnitsComparison, UnitsSeries

MODEL_BAND = 0.01
"""The model's units are good when they meet the measured ones to 1 %."""
PLAN_BAND = 0.05
"""The plan's units are good when they meet the measured ones to 5 %."""


def section(run: Run, say: Wording) -> Section | None:
    """Planned, sent and measured units by table and index, with the error's causes; None without comparison.json."""
    comparison = run.comparison
    if comparison is None:
        return None
    touched = [part for part in comparison.units if part.sent or part.planned or part.measured]
    if not touched:
        return Section("capacity", say("capacity.title"), say("capacity.none"))
    model, plan = _largest(comparison, "model_error"), _largest(comparison, "prediction_error")
    if model is None:
        lead = say("capacity.lead_unknown")
    elif plan is None:
        lead = say("capacity.lead_without_plan", model=percent(model))
    else:
        lead = say("capacity.lead", model=percent(model), plan=percent(plan))
    pairs = {(part.resource, part.kind) for part in touched}
    charts = [_chart(run, part, say) for part in comparison.series if (part.resource, part.kind) in pairs]
    legend = [
        Key("measured", say("capacity.measured"), "area"),
        Key("sent", say("capacity.sent"), "dots"),
        Key("plan", say("capacity.planned"), "dashed"),
    ]
    blocks: list[Block] = [Charts(charts, legend), _units(touched, say), Text(say("capacity.method"))]
    blocks += [_operations(comparison, say), _calls(comparison, say)]
    blocks += [Text(say.phrase(note), "warn") for note in comparison.notes]
    return Section("capacity", say("capacity.title"), lead, blocks)


def figure(run: Run, say: Wording) -> Figure | None:
    """Give the error of the forecast its place on the first screen."""
    if run.comparison is None:
        return None
    model, plan = _largest(run.comparison, "model_error"), _largest(run.comparison, "prediction_error")
    tone: Tone = "warn" if (model or 0) > MODEL_BAND or (plan or 0) > PLAN_BAND else ""
    if model is None:
        return Figure(say("capacity.figure"), say("page.unknown"), say("capacity.figure_unknown"), "unknown")
    if plan is None:
        return Figure(say("capacity.figure"), percent(model), say("capacity.figure_model"), tone)
    parts = [part for part in run.comparison.units if part.prediction_error is not None]
    worst = max(parts, key=lambda part: abs(part.prediction_error or 0.0))
    note = say("capacity.figure_note", model=percent(model), where=name_of(worst.resource, worst.kind, say))
    return Figure(say("capacity.figure"), percent(plan), note, tone)


def _largest(comparison: Comparison, which: str) -> float | None:
    errors = [comparison.largest_error(which, kind) for kind in ("read", "write")]  # type: ignore[arg-type]
    found = [error for error in errors if error is not None]
    return max(found) if len(found) == len(errors) else None


def name_of(resource: str, kind: str, say: Wording) -> str:
    """Name reads or writes of the table or of an index."""
    where = say("page.table") if resource == "table" else resource
    return say("capacity.of", resource=where, kind=say(f"page.{kind}s"))


def _units(parts: list[UnitsComparison], say: Wording) -> Table:
    unknown = Cell(say("page.unknown"), "unknown")

    def units(value: float | None) -> Cell:
        return unknown if value is None else Cell(number(value, 4))

    def difference(value: float | None) -> Cell:
        if value is None:
            return unknown
        text = number(round(value, 6), 3)
        return Cell(f"+{text}" if value > 0 and text != "0" else text)

    def error(value: float | None, band: float) -> Cell:
        return unknown if value is None else Cell(percent(value, signed=True), "warn" if abs(value) > band else "good")

    rows: list[list[Cell | str]] = [
        [
            name_of(part.resource, part.kind, say),
            units(part.planned),
            units(part.sent),
            units(part.measured),
            error(part.model_error, MODEL_BAND),
            error(part.prediction_error, PLAN_BAND),
            difference(part.traffic_units),
            difference(part.model_units),
            difference(part.unexplained_units),
        ]
        for part in parts
    ]
    names = (
        "resource",
        "planned",
        "sent",
        "measured",
        "against_sent",
        "against_plan",
        "traffic",
        "units",
        "unexplained",
    )
    spans = [("", 1), (say("capacity.units_of_run"), 3), (say("capacity.errors"), 2), (say("capacity.causes"), 3)]
    headings = [say(f"capacity.{name}") for name in names]
    return Table(headings, rows, say("capacity.table"), range(1, 9), spans)


def _chart(run: Run, part: UnitsSeries, say: Wording) -> Chart:
    start_s = np.asarray(part.start_s) - run.start.timestamp()
    edges_s = np.append(start_s, start_s[-1] + part.period_s)

    def rate(values: list[float] | list[float | None]) -> np.ndarray:
        per_s = np.array([np.nan if value is None else value for value in values], dtype=float) / part.period_s
        return np.append(per_s, per_s[-1])  # a step lasts to the end of its period

    measured, sent = rate(part.measured), rate(part.sent)
    lines = [Line(edges_s, measured, "measured", "area", steps=True), Line(edges_s, sent, "sent", "dots", steps=True)]
    if part.planned is not None:
        lines.append(Line(edges_s, rate(part.planned), "plan", "dashed", steps=True))
    limit = _provisioned(run, part)
    name = name_of(part.resource, part.kind, say)
    most = float(np.nanmax(measured)) if not np.isnan(measured).all() else None
    alt = say("capacity.alt", name=name, measured=number(most), sent=number(float(sent.max())))
    svg = timeline(
        f"capacity-{part.resource}-{part.kind}",
        alt,
        lines,
        unit=say("unit.units/s"),
        time_unit=say("page.time_unit"),
        end_s=run.length_s,
        window_s=run.window_s,
        limit=limit,
        limit_label=say("capacity.provisioned", units=number(limit)) if limit else "",
    )
    planned: list[float | None] = [*part.planned] if part.planned else [None] * len(part.sent)
    data = Table(
        [say("page.time"), *(say(f"capacity.{column}") for column in ("planned", "sent", "measured"))],
        [
            [
                f"{at:.0f} s",
                number(p, 4),
                number(s, 4),
                Cell(number(m, 4)) if known(m) else Cell(say("page.unknown"), "unknown"),
            ]
            for at, p, s, m in zip(start_s, planned, part.sent, part.measured, strict=True)
        ],
        say("capacity.data", period=part.period_s),
        range(4),
    )
    return Chart(name, svg, alt, data)


def _provisioned(run: Run, part: UnitsSeries) -> float | None:
    billing = run.record.scenario.billing
    given = billing.table if part.resource == "table" else billing.indexes.get(part.resource)
    return None if given is None else given.read_units if part.kind == "read" else given.write_units


def _operations(comparison: Comparison, say: Wording) -> Table:
    """Units per request sent, by operation: the price of each operation in capacity."""
    pairs = [(u.resource, u.kind) for u in comparison.units]
    touched = [
        (resource, kind)
        for resource, kind in pairs
        if any(o.units_sent.get(resource, {}).get(kind) for o in comparison.operations)
    ]
    rows: list[list[Cell | str]] = []
    for operation in sorted(comparison.operations, key=lambda o: (-o.sent, o.name)):
        cells: list[Cell | str] = [
            operation.name,
            count(operation.planned),
            count(operation.sent),
            Cell(
                count(operation.refused + operation.unanswered),
                "bad" if operation.refused + operation.unanswered else "",
            ),
        ]
        for resource, kind in touched:
            units = operation.units_sent.get(resource, {}).get(kind, 0.0)
            cells.append(number(units / operation.sent) if operation.sent else "–")
        rows.append(cells)
    headings = [say(f"capacity.{name}") for name in ("operation", "op_planned", "op_sent", "op_failed")]
    headings += [name_of(resource, kind, say) for resource, kind in touched]
    spans = [("", 1), (say("capacity.requests"), 3), (say("capacity.per_request"), len(touched))] if touched else []
    return Table(headings, rows, say("capacity.operations"), range(1, len(headings)), spans)


def _calls(comparison: Comparison, say: Wording) -> Table:
    rows: list[list[Cell | str]] = []
    for call in sorted(comparison.calls, key=lambda c: (-c.sent, c.name)):
        missing = call.measured is None
        cell = Cell(say("page.unknown"), "unknown") if missing else Cell(count(call.measured))
        gap = "–" if call.measured is None else count(call.measured - call.sent)
        rows.append([call.name, count(call.sent), cell, gap])
    headings = [say(f"capacity.{name}") for name in ("call", "call_sent", "call_measured", "call_gap")]
    return Table(headings, rows, say("capacity.calls"), range(1, 4))
