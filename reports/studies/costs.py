"""The page of `meshcap cost`: a month by what it goes to, and when another way to pay becomes cheaper."""

from __future__ import annotations

from datetime import date

import numpy as np

from capacity.pricing.billing_modes import BillingModes
from capacity.pricing.cost_study import CostStudy, Share
from capacity.pricing.prices import load
from capacity.scenario import Scenario
from reports.charts import Bar, Curve, Point, bars, curves
from reports.document import Block, Chart, Charts, Figure, Key, Report, Section, Table, Text
from reports.numbers import count, number, percent, usd
from reports.studies import stale
from reports.wording import Wording

SHOWN_CAUSES = 8
ROLES = {"on demand": "c1", "provisioned": "c0", "reserved, one year": "c2", "reserved, three year": "c4"}


def page(study: CostStudy, name: str, scenario: Scenario, say: Wording, today: date) -> Report:
    """Everything that the study found. `today` decides whether its prices are old."""
    calendar = study.calendar
    prices = load(study.region)
    return Report(
        lang=say.lang,
        title=say("costs.title", name=name),
        subtitle=say(
            "costs.subtitle",
            description=say.phrase(scenario.description) or name,
            lessons=number(calendar.lessons_per_day),
            minutes=number(calendar.lesson_minutes),
            days=number(calendar.days_per_month),
            month=say("costs.month_named", month=calendar.month) if calendar.month else say("costs.month_mean"),
            hours=count(calendar.hours_per_month),
            region=study.region,
            date=study.prices_as_of,
        ),
        verdict=say(
            "costs.answer",
            month=_money(study, study.month_usd, say),
            lesson=_money(study, study.lesson_usd, say),
            cause=say.phrase(study.by_cause[0].name),
            share=percent(study.by_cause[0].share),
        ),
        verdict_word="",
        tone="",
        reasons=[],
        thresholds=None,
        figures=[
            Figure(say(f"costs.{key}"), _money(study, amount, say), note)
            for key, amount, note in (
                ("lesson", study.lesson_usd, say("costs.lesson_note", minutes=number(calendar.lesson_minutes))),
                (
                    "group_hour",
                    study.group_hour_usd,
                    say("costs.node_note", usd=_money(study, study.node_hour_usd, say)),
                ),
                ("a_month", study.month_usd, say("costs.month_note", lessons=number(calendar.lessons_per_month))),
                ("year", study.school_year_usd, say("costs.year_note", months=number(calendar.months_per_year))),
            )
        ],
        sections=[
            _goes_to(study, say),
            *([] if study.modes is None else [_modes(study, study.modes, say)]),
            _rest(study, say),
        ],
        missing=stale(prices, {line.price for line in study.lines}, today, say),
        footer=say("study.footer"),
    )


def _money(study: CostStudy, amount: float, say: Wording) -> str:
    yen = study.yen(amount)
    return usd(amount) if yen is None else say("costs.with_yen", usd=usd(amount), yen=number(yen))


def _goes_to(study: CostStudy, say: Wording) -> Section:
    def bar_rows(shares: list[Share]) -> list[Bar]:
        return [
            Bar(_named(each, say), [("c0", each.usd_per_month)], f"{usd(each.usd_per_month)}, {percent(each.share)}")
            for each in shares[:SHOWN_CAUSES]
        ]

    charts = []
    for key, shares in (("by_cause", study.by_cause), ("by_operation", study.by_operation)):
        title, rows = say(f"costs.{key}"), bar_rows(shares)
        alt = f"{title}: " + "; ".join(f"{row.label} {row.text}" for row in rows)
        charts.append(Chart(title, bars(key.replace("_", "-"), alt, rows, label_px=215, text_px=120), alt))
    services = Table(
        [say("costs.service"), say("costs.usd_month"), say("costs.share")],
        [[each.name, usd(each.usd_per_month), percent(each.share)] for each in study.by_service],
        say("costs.by_service"),
        numeric=(1, 2),
    )
    first = study.by_service[0]
    lead = say("costs.goes_to_lead", service=first.name, share=percent(first.share))
    blocks: list[Block] = [Charts(charts), services]
    return Section("goes-to", say("costs.goes_to"), lead, blocks)


def _named(share: Share, say: Wording) -> str:
    return say("cost.no_operation") if share.name == "all" else say.phrase(share.name)


def _modes(study: CostStudy, modes: BillingModes, say: Wording) -> Section:
    cheapest = modes.modes[0]
    lead = say("costs.modes_lead", mode=say.phrase(cheapest.mode), usd=_money(study, cheapest.usd_per_month, say))
    rows = [[say.phrase(m.mode), _money(study, m.usd_per_month, say), say.phrase(m.note)] for m in modes.modes]
    even = [
        [
            say.phrase(point.mode),
            say(f"page.{point.kind}s"),
            percent(point.utilisation),
            say("costs.never") if point.lesson_hours_per_day is None else number(point.lesson_hours_per_day),
        ]
        for point in modes.break_even
    ]
    blocks: list[Block] = [
        Charts([_curve(study, modes, say)], _legend(modes, say)),
        Table([say("costs.mode"), say("costs.usd_month"), say("costs.note")], rows, say("costs.modes_table"), (1,)),
        Table(
            [say("costs.mode"), say("costs.units"), say("costs.utilisation"), say("costs.hours_a_day")],
            even,
            say("costs.even_table"),
            (2, 3),
        ),
        Text(say("costs.modes_method")),
    ]
    return Section("modes", say("costs.modes"), lead, blocks)


def _legend(modes: BillingModes, say: Wording) -> list[Key]:
    return [Key(ROLES.get(mode, "c6"), say.phrase(mode)) for mode in modes.curve]


def _curve(study: CostStudy, modes: BillingModes, say: Wording) -> Chart:
    lines = [Curve(modes.hours_per_day, dollars, ROLES.get(mode, "c6")) for mode, dollars in modes.curve.items()]
    per_request = np.asarray(modes.curve["on demand"])
    points = []
    for mode, dollars in modes.curve.items():
        hours = _meeting(np.asarray(modes.hours_per_day), per_request, dollars[0])
        if mode != "on demand" and hours is not None:
            points.append(Point(hours, dollars[0], say("costs.meets", hours=number(hours)), ROLES.get(mode, "c6")))
    now = study.calendar.lesson_hours_per_month / study.calendar.days_per_month
    points.append(Point(now, float(np.interp(now, modes.hours_per_day, per_request)), say("costs.now"), "ink"))
    alt = say(
        "costs.curve_alt",
        meetings="; ".join(
            say("costs.meeting", mode=say.phrase(mode), hours=number(hours))
            if hours is not None
            else say("costs.no_meeting", mode=say.phrase(mode))
            for mode, dollars in modes.curve.items()
            if mode != "on demand"
            for hours in [_meeting(np.asarray(modes.hours_per_day), per_request, dollars[0])]
        ),
    )
    svg = curves("break-even", alt, lines, points, unit=say("costs.usd_month"), x_unit=say("costs.hours_a_day"))
    return Chart(say("costs.curve"), svg, alt)


def _meeting(hours: np.ndarray, rising: np.ndarray, level: float) -> float | None:
    """Hours a day at which a cost that rises from nothing in proportion reaches a level; None beyond a day."""
    return float(level / rising[-1] * hours[-1]) if rising[-1] >= level > 0 else None


def _rest(study: CostStudy, say: Wording) -> Section:
    blocks: list[Block] = [
        Text(
            say(
                "costs.not_in",
                logs=usd(study.logging_usd_per_month),
                transfer=usd(study.transfer_usd_per_month),
            )
        )
    ]
    if study.free_tier:
        blocks.append(
            Table(
                [say("costs.price"), say("costs.quantity"), say("costs.free"), say("costs.saved")],
                [[each.price, count(each.quantity), count(each.free), usd(each.usd_saved)] for each in study.free_tier],
                say("costs.free_table"),
                (1, 2, 3),
            )
        )
    if study.unverified:
        blocks.append(Text(say("cost.unverified", prices=", ".join(study.unverified)), "warn"))
    return Section("basis", say("study.basis"), say("costs.basis_lead", date=study.prices_as_of), blocks)
