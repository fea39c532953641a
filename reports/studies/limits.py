"""The page of `meshcap limits`: what is reached first as a population grows, how far that is, and what moves it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from capacity.pricing.prices import load
from capacity.scenario import Scenario
from capacity.studies.limits import AXES, Advice, LimitRow, LimitsStudy
from reports.charts import Bar, Curve, Point, bars, curves
from reports.document import Block, Cell, Chart, Charts, Facts, Figure, Key, Report, Section, Table, Text, Tone
from reports.numbers import UNKNOWN, count, number, percent, usd
from reports.studies import stale
from reports.wording import Wording

SHOWN_LINES = 6
SHOWN_BARS = 10
CLOSE = 0.8
PRICES = (
    "appsync.operation",
    "appsync.realtime_message",
    "appsync.connection_minute",
    "dynamodb.on_demand.read_unit",
    "dynamodb.on_demand.write_unit",
)


def page(studies: Sequence[LimitsStudy], name: str, scenario: Scenario, say: Wording, today: date) -> Report:
    """One study, or the same one in several layouts side by side: the first is the one that is told in full."""
    study = studies[0]
    most = study.rows[0]
    population = scenario.population
    sections = [_headroom(study, say), _advice(study, say)]
    if len(studies) > 1:
        sections.insert(1, _layouts(studies, say))
    figures = [
        Figure(say("headroom.first"), size(study.first_size), f"{axis_name(study, say)}: {label(study.first, say)}"),
        Figure(say("headroom.most"), percent(most.share), label(f"{most.name} ({most.where})", say), _tone(most)),
    ]
    helpful = _helpful(study)
    if helpful:
        best = helpful[0]
        figures.append(Figure(say("headroom.best"), size(best.size_after), say.phrase(best.change)))
    return Report(
        lang=say.lang,
        title=say("headroom.title", name=name),
        subtitle=say(
            "headroom.subtitle",
            description=say.phrase(scenario.description) or name,
            groups=say.plural("page.groups", population.groups),
            nodes=say.plural("page.nodes", population.nodes),
            layout=study.layout,
            region=scenario.region,
        ),
        verdict=_answer(study, say),
        verdict_word="",
        tone="",
        reasons=[],
        thresholds=None,
        figures=figures,
        sections=sections,
        missing=stale(load(scenario.region), PRICES, today, say),
        footer=say("study.footer"),
    )


def label(text: str, say: Wording) -> str:
    """A limit with where it lies, in the reader's words."""
    return say.phrase(text)


def size(value: float | None) -> str:
    """A size of an axis; a dash where no size reaches the limit."""
    return UNKNOWN if value is None else count(value) if value >= 10 else number(value, 2)


def axis_name(study: LimitsStudy, say: Wording) -> str:
    """What grows, as a plural noun."""
    return say(f"headroom.axis_{study.axis}")


def _answer(study: LimitsStudy, say: Wording) -> str:
    key = "headroom.out_of_reach" if study.first_size is None else "headroom.answer"
    return say(key, limit=label(study.first, say), size=size(study.first_size), axis=axis_name(study, say))


def _tone(row: LimitRow) -> Tone:
    return "bad" if row.share >= 1 else "warn" if row.share >= CLOSE else ""


def _headroom(study: LimitsStudy, say: Wording) -> Section:
    shown = [row for row in study.rows if row.share >= 0.01 or any(row.reached_at.values())]
    rows: list[list[Cell | str]] = [
        [
            label(f"{row.name} ({row.where})", say),
            say("limits.of", peak=number(row.use), limit=number(row.limit), unit=say.name_of("unit", row.unit)),
            Cell(percent(row.share), _tone(row)),
            Cell(percent(1 - row.share), _tone(row)),
            *(size(row.reached_at[axis]) for axis in AXES),
        ]
        for row in shown
    ]
    axes = [say(f"headroom.short_{axis}") for axis in AXES]
    table = Table(
        [*[say(f"headroom.{key}") for key in ("limit", "in_use", "used", "left")], *axes],
        rows,
        say("headroom.table"),
        range(1, 8),
        [("", 4), (say("headroom.reached_at"), 4)],
    )
    blocks: list[Block] = [
        Charts([_curve(study, say), _bars(study, say)]),
        table,
        Text(say("headroom.sources")),
        Facts([(say.phrase(name), say.phrase(source)) for name, source in {r.name: r.source for r in shown}.items()]),
    ]
    return Section("headroom", say("headroom.section"), say("headroom.lead", axis=axis_name(study, say)), blocks)


def _curve(study: LimitsStudy, say: Wording) -> Chart:
    curve = study.curve
    top = sorted(curve.shares.items(), key=lambda item: -item[1][-1])[:SHOWN_LINES]
    lines = [Curve(curve.sizes, shares, f"c{n}") for n, (_, shares) in enumerate(top)]
    points = []
    if study.first_size is not None and curve.sizes[0] <= study.first_size <= curve.sizes[-1]:
        points.append(Point(study.first_size, 1.0, say("headroom.first_mark", size=size(study.first_size)), "bad"))
    alt = say(
        "headroom.curve_alt",
        axis=axis_name(study, say),
        sizes=f"{size(curve.sizes[0])}–{size(curve.sizes[-1])}",
        shares="; ".join(f"{label(name, say)} {percent(shares[-1])}" for name, shares in top),
    )
    svg = curves(
        "headroom",
        alt,
        lines,
        points,
        unit=say("headroom.share"),
        x_unit=axis_name(study, say),
        log_x=True,
        log_y=True,
        limit=1.0,
        limit_label=say("headroom.limit_line"),
    )
    legend = [Key(f"c{n}", label(name, say)) for n, (name, _) in enumerate(top)]
    return Chart(say("headroom.curve", axis=axis_name(study, say)), svg, alt, None, legend)


def _bars(study: LimitsStudy, say: Wording) -> Chart:
    roles = {"bad": "bad", "warn": "warn", "": "c0"}
    rows = [
        Bar(say.phrase(row.where), [(roles[_tone(row)], min(row.share, 1.5))], percent(row.share), say.phrase(row.name))
        for row in study.rows[:SHOWN_BARS]
    ]
    alt = say("limits.alt", limits="; ".join(f"{row.note} {row.label} {row.text}" for row in rows))
    return Chart(say("headroom.now"), bars("now", alt, rows, label_px=250, text_px=60, limit=1.0), alt)


def _helpful(study: LimitsStudy) -> list[Advice]:
    before = float("inf") if study.first_size is None else study.first_size
    return [each for each in study.advice if (each.size_after or float("inf")) > before * 1.01]


def _advice(study: LimitsStudy, say: Wording) -> Section:
    rows: list[list[Cell | str]] = []
    for each in study.advice:
        change = each.hour_usd_after / each.hour_usd_before - 1 if each.hour_usd_before else 0.0
        rows.append(
            [
                say.phrase(each.change),
                percent(each.share_after / each.share_before - 1, signed=True) if each.share_before else UNKNOWN,
                size(each.size_before),
                size(each.size_after),
                label(each.next_limit, say),
                f"{usd(each.hour_usd_after)} ({percent(change, signed=True)})",
            ]
        )
    keys = ("change", "on_limit", "before", "after", "then", "hour")
    table = Table([say(f"headroom.{key}") for key in keys], rows, "", (1, 2, 3, 5))
    moved = [
        [
            label(f"{row.name} ({row.where})", say),
            "; ".join(f"{say.phrase(text)}: {percent(share)}" for text, share in row.moved_by.items()),
        ]
        for row in study.rows
        if row.moved_by and row.share >= 0.01
    ]
    blocks: list[Block] = [table]
    if moved:
        blocks.append(Table([say("headroom.limit"), say("headroom.moved")], moved, say("headroom.moved_table")))
    blocks.append(Text(say("headroom.method")))
    lead = say("headroom.advice_lead", limit=label(study.first, say))
    return Section("advice", say("headroom.advice"), lead, blocks)


def _layouts(studies: Sequence[LimitsStudy], say: Wording) -> Section:
    rows = [[each.layout, size(each.first_size), label(each.first, say)] for each in studies]
    names = [say("headroom.layout"), axis_name(studies[0], say), say("headroom.first_limit")]
    lead = say("headroom.layouts_lead")
    return Section("layouts", say("headroom.layouts"), lead, [Table(names, rows, "", (1,))])
