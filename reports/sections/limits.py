"""Which limit does the load come nearest to, and how near?"""

from __future__ import annotations

from capacity.workloads.limit_use import LimitUse
from reports.charts import Bar, bars
from reports.document import Cell, Chart, Charts, Figure, Key, Section, Table, Tone
from reports.numbers import duration, number, percent
from reports.run import Run
from reports.wording import Wording

SHOWN = 8
LONGEST = 1.5
"""A bar ends here, in limits; what goes further is written, so that the others can still be told apart."""
CLOSE = 0.8
"""From this share of a limit on, the load is close to it."""


def section(run: Run, say: Wording) -> Section | None:
    """Every limit that the forecast load uses some of, the most used first; None without forecast.json."""
    forecast = run.forecast
    if forecast is None:
        return None
    limits = forecast.limits[:SHOWN]
    if not limits:
        return Section("limits", say("limits.title"), say("limits.none"))
    first = limits[0]
    lead = say(
        "limits.lead_passed" if first.used > 1 else "limits.lead",
        limit=name_of(first, say),
        peak=number(first.peak),
        of=number(first.limit),
        unit=say.name_of("unit", first.unit),
        used=percent(first.used),
        at=duration(first.reached_s),
    )
    return Section("limits", say("limits.title"), lead, [Charts([_chart(limits, say)]), _table(limits, say)])


def name_of(limit: LimitUse, say: Wording) -> str:
    """Name a limit with the table, index or service that it belongs to."""
    return say("limits.name", what=_what(limit, say), where=_short(limit, say))


def _what(limit: LimitUse, say: Wording) -> str:
    for prefix, key in (("one partition key ", "limits.one_key"), ("the constant key ", "limits.constant_key")):
        if limit.name.startswith(prefix):
            return say(key, key=limit.name.removeprefix(prefix))
    return say.phrase(limit.name)


def tone(limit: LimitUse) -> Tone:
    """Colour a limit by how much of it is used."""
    return "bad" if limit.used > 1 else "warn" if limit.used >= CLOSE else ""


def figure(run: Run, say: Wording) -> Figure | None:
    """Give the first limit its place on the first screen."""
    if run.forecast is None or not run.forecast.limits:
        return None
    first = run.forecast.limits[0]
    note = say(
        "limits.figure_passed" if first.reached_s is not None else "limits.figure",
        limit=name_of(first, say),
        peak=number(first.peak),
        of=number(first.limit),
        unit=say.name_of("unit", first.unit),
        at=duration(first.reached_s),
    )
    return Figure(say("limits.first"), percent(first.used), note, tone(first))


def _chart(limits: list[LimitUse], say: Wording) -> Chart:
    roles = {"bad": "bad", "warn": "warn", "": "c0"}
    rows = [
        Bar(
            _short(limit, say),
            [(roles[tone(limit)], min(limit.used, LONGEST))],
            percent(limit.used) + (" →" if limit.used > LONGEST else ""),
            _what(limit, say),
        )
        for limit in limits
    ]
    alt = say("limits.alt", limits="; ".join(f"{name_of(limit, say)} {percent(limit.used)}" for limit in limits))
    legend = [
        Key(role, say(f"limits.key_{name}"), "cell")
        for name, role, used in (("under", "c0", ""), ("close", "warn", "warn"), ("over", "bad", "bad"))
        if used in {tone(limit) for limit in limits}
    ]
    return Chart(say("limits.chart"), bars("limits", alt, rows, label_px=250, text_px=60, limit=1.0), alt, None, legend)


def _short(limit: LimitUse, say: Wording) -> str:
    where = say("page.table") if limit.resource == "table" else limit.resource
    return say("limits.where", resource=where, kind=say(f"page.{limit.kind}s")) if limit.kind else where


def _table(limits: list[LimitUse], say: Wording) -> Table:
    passed = any(limit.reached_s is not None for limit in limits)
    rows: list[list[Cell | str]] = [
        [
            _short(limit, say),
            _what(limit, say),
            say("limits.of", peak=number(limit.peak), limit=number(limit.limit), unit=say.name_of("unit", limit.unit)),
            Cell(percent(limit.used), tone(limit)),
            *([duration(limit.reached_s)] if passed else []),
            say.phrase(limit.source),
        ]
        for limit in limits
    ]
    names = ["resource", "what", "peak", "used", *(["reached"] if passed else []), "source"]
    return Table([say(f"limits.{name}") for name in names], rows, numeric=(2, 3, 4) if passed else (2, 3))
