"""The page of `meshcap heartbeat`: dollars against time to notice, the settings in use, and a recommendation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import numpy as np

from capacity.pricing.prices import load
from capacity.scenario import Scenario
from capacity.studies.heartbeat import (
    DEPLOYED,
    SEEDS_DEVELOPMENT,
    SEEDS_PRODUCTION,
    TTL_LAG_S,
    BeatCost,
    Setting,
    Sweep,
    saving,
)
from reports.charts import Curve, Point, curves
from reports.document import Block, Cell, Chart, Charts, Figure, Key, Report, Section, Table, Text
from reports.numbers import count, duration, number, percent, usd
from reports.studies import stale
from reports.wording import Wording

MEMBERS = (0, 1, 3, 5, 10, 39)
SHOWN_OF_FRONT = 12
LEAST_DRAWN = 1e-12
"""Mistaken drops that are rarer are drawn here: a logarithmic axis has no nought."""
PRICES = ("appsync.operation", "dynamodb.on_demand.read_unit", "dynamodb.on_demand.write_unit")


@dataclass(frozen=True)
class Asked:
    """What a recommended setting has to keep, and how many heartbeats are lost."""

    notice_s: float = 180.0
    false_drop: float = 1e-4
    loss: float = 0.01


def page(
    scenario: Scenario, name: str, swept: Sweep, costs: dict[str, BeatCost], asked: Asked, say: Wording, today: date
) -> Report:
    """Everything that the sweep found. `today` decides whether its prices are old."""
    best = swept.recommend(asked.notice_s, asked.false_drop)
    limits = {"notice": _seconds(asked.notice_s), "one_in": number(1 / asked.false_drop)}
    if best is None:
        answer = say("heartbeats.none", **limits)
    else:
        setting = swept.setting(best)
        answer = say("heartbeats.answer", setting=_words(setting, say), usd=usd(swept.usd_per_month[best]), **limits)
    population = scenario.population
    return Report(
        lang=say.lang,
        title=say("heartbeats.title", name=name),
        subtitle=say(
            "heartbeats.subtitle",
            description=say.phrase(scenario.description) or name,
            combinations=count(len(swept)),
            groups=say.plural("page.groups", population.groups),
            nodes=say.plural("page.nodes", population.nodes),
            loss=percent(asked.loss),
            region=scenario.region,
        ),
        verdict=answer,
        verdict_word="",
        tone="",
        reasons=[],
        thresholds=_settings(swept, best, asked, say),
        figures=_figures(swept, best, costs, scenario, say),
        sections=[
            _front(swept, best, asked, say),
            _beat(swept, costs, say),
            _claim(scenario, say),
            _after(scenario, swept, say),
        ],
        missing=stale(load(scenario.region), PRICES, today, say),
        footer=say("study.footer"),
    )


def _words(setting: Setting, say: Wording) -> str:
    return say("heartbeats.setting", host=_pair(setting, "host"), member=_pair(setting, "member"))


def _pair(setting: Setting, who: str) -> str:
    return f"{getattr(setting, f'{who}_interval_s'):g}/{getattr(setting, f'{who}_ttl_s'):g}"


def _figures(
    swept: Sweep, best: int | None, costs: dict[str, BeatCost], scenario: Scenario, say: Wording
) -> list[Figure]:
    found = [
        Figure(
            say("heartbeats.request_share"),
            percent(costs["member"].appsync_share),
            say("heartbeats.request_share_note", host=percent(costs["host"].appsync_share)),
        )
    ]
    if best is not None:
        found.insert(
            0, Figure(say("heartbeats.noticed"), _seconds(swept.detection_95_s[best]), say("heartbeats.noticed_note"))
        )
        found.insert(
            1, Figure(say("heartbeats.dropped"), _chance(swept.false_drop[best], say), say("heartbeats.dropped_note"))
        )
    members = scenario.population.members_per_group
    saved = saving(SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, members)
    found.append(Figure(say("heartbeats.saved"), percent(saved), say("heartbeats.saved_note", members=members)))
    return found


def _seconds(value: float) -> str:
    """Seconds as they are asked for and compared: minutes would hide which side of a limit they lie on."""
    return f"{number(value)} s"


def _chance(probability: float, say: Wording) -> str:
    return say("heartbeats.one_in", number=number(1 / probability, 2)) if probability > 0 else "0"


def _settings(swept: Sweep, best: int | None, asked: Asked, say: Wording) -> Table:
    rows = [(say.phrase(name), row) for name, row in swept.known.items()]
    if best is not None:
        rows.append((say("heartbeats.recommended"), best))
    return _table(swept, rows, say("heartbeats.known"), asked, say)


def _table(swept: Sweep, rows: list[tuple[str, int]], caption: str, asked: Asked, say: Wording) -> Table:
    def cells(name: str, row: int) -> list[Cell | str]:
        setting = swept.setting(row)
        shown: list[Cell | str] = [name]
        for who in ("host", "member"):
            worst, late = (getattr(swept, f"{who}_detection_{key}_s")[row] for key in ("worst", "95"))
            mean = getattr(swept, f"{who}_detection_mean_s")[row]
            drop = getattr(swept, f"{who}_false_drop")[row]
            times = f"{mean:.0f}, {late:.0f}, {worst:.0f}"
            shown += [
                _pair(setting, who),
                Cell(times, "bad" if late > asked.notice_s else ""),
                Cell(f"{drop:.1e}", "bad" if drop >= asked.false_drop else ""),
            ]
        beats = f"{swept.beats_per_s[row]:.2f} / {swept.start_peak_per_s[row]:.2f}"
        return [*shown, beats, f"{swept.usd_per_month[row]:.2f}"]

    return Table(
        [
            say("heartbeats.name"),
            *[say(f"heartbeats.{key}") for key in ("interval", "times", "drop")] * 2,
            say("heartbeats.beats"),
            say("heartbeats.usd"),
        ],
        [cells(name, row) for name, row in rows],
        caption,
        range(1, 9),
        [("", 1), (say("heartbeats.host"), 3), (say("heartbeats.member"), 3), ("", 2)],
    )


def _front(swept: Sweep, best: int | None, asked: Asked, say: Wording) -> Section:
    front = swept.front.tolist()
    shown = sorted({*front[:: max(1, len(front) // SHOWN_OF_FRONT)]}, key=lambda row: swept.usd_per_month[row])
    rows = [("", row) for row in shown]
    blocks: list[Block] = [
        Charts([_against_notice(swept, best, asked, say), _against_drop(swept, best, asked, say)]),
        _table(swept, rows, say("heartbeats.front_table", shown=len(rows), all=count(len(front))), asked, say),
    ]
    lead = say("heartbeats.front_lead", front=count(len(front)), all=count(len(swept)))
    return Section("front", say("heartbeats.front"), lead, blocks)


def _marks(swept: Sweep, best: int | None, x: np.ndarray, say: Wording) -> list[Point]:
    found = [
        Point(float(x[row]), float(swept.usd_per_month[row]), say.phrase(name), "bad")
        for name, row in swept.known.items()
    ]
    if best is not None:
        label = say("heartbeats.recommended")
        found.append(Point(float(x[best]), float(swept.usd_per_month[best]), label, "good", "*"))
    return found


def _against_notice(swept: Sweep, best: int | None, asked: Asked, say: Wording) -> Chart:
    x, safe = swept.detection_95_s, swept.false_drop < asked.false_drop
    marks = _marks(swept, best, x, say)
    alt = say("heartbeats.notice_alt", marks=_said(marks, say("heartbeats.seconds")))
    unsafe = say("heartbeats.unsafe", one_in=number(1 / asked.false_drop))
    legend = _legend(unsafe, say("heartbeats.safe"), say)
    svg = _trade("notice", alt, x, safe, swept, marks, say("heartbeats.x_notice"), say)
    return Chart(say("heartbeats.notice_title"), svg, alt, None, legend)


def _against_drop(swept: Sweep, best: int | None, asked: Asked, say: Wording) -> Chart:
    x, quick = np.maximum(swept.false_drop, LEAST_DRAWN), swept.detection_95_s <= asked.notice_s
    marks = _marks(swept, best, x, say)
    alt = say("heartbeats.drop_alt", marks=_said(marks, ""))
    legend = _legend(say("heartbeats.slow", notice=_seconds(asked.notice_s)), say("heartbeats.quick"), say)
    svg = _trade("drop", alt, x, quick, swept, marks, say("heartbeats.x_drop"), say)
    return Chart(say("heartbeats.drop_title"), svg, alt, None, legend)


def _trade(
    name: str, alt: str, x: np.ndarray, fits: np.ndarray, swept: Sweep, marks: list[Point], x_unit: str, say: Wording
) -> str:
    """Dollars against a figure that is better when it is smaller; the staircase is the cheapest of what fits."""
    y = swept.usd_per_month
    rows = np.flatnonzero(fits)[np.lexsort((y[fits], x[fits]))]
    rows = rows[np.append(True, np.diff(np.minimum.accumulate(y[rows])) < 0)] if len(rows) else rows
    lines = [
        Curve(x[~fits], y[~fits], "c6", "cloud"),
        Curve(x[fits], y[fits], "c0", "cloud"),
        Curve(x[rows], y[rows], "good", "steps"),
    ]
    return curves(name, alt, lines, marks, unit=say("costs.usd_month"), x_unit=x_unit, log_x=True, log_y=True)


def _legend(other: str, fitting: str, say: Wording) -> list[Key]:
    return [Key("c6", other, "dots"), Key("c0", fitting, "dots"), Key("good", say("heartbeats.their_front"))]


def _said(marks: list[Point], unit: str) -> str:
    return "; ".join(f"{mark.label} {number(mark.x)} {unit}".strip() + f", {usd(mark.y)}" for mark in marks)


def _beat(swept: Sweep, costs: dict[str, BeatCost], say: Wording) -> Section:
    rows = []
    for who, cost in costs.items():
        units = ", ".join(
            f"{number(amount)} {say(f'page.{kind}s')} {say('page.the_table') if name == 'table' else name}"
            for (name, kind), amount in cost.units.items()
        )
        rows.append([say(f"heartbeats.{who}"), usd(cost.usd * 1e6), percent(cost.appsync_share), units])
    table = Table([say(f"heartbeats.{key}") for key in ("who", "million", "request_part", "units")], rows, "", (1, 2))
    lead = say(
        "heartbeats.beat_lead", host=percent(costs["host"].appsync_share), member=percent(costs["member"].appsync_share)
    )
    return Section("beat", say("heartbeats.beat"), lead, [table])


def _claim(scenario: Scenario, say: Wording) -> Section:
    own = scenario.population.members_per_group
    rows = [
        [str(members), percent(saving(SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, members), digits=3)]
        for members in sorted({*MEMBERS, own})
    ]
    table = Table([say("heartbeats.members"), say("heartbeats.beats_saved")], rows, "", (0, 1))
    own_saving = percent(saving(SEEDS_DEVELOPMENT, SEEDS_PRODUCTION, own))
    return Section(
        "claim", say("heartbeats.claim"), say("heartbeats.claim_lead", saved=own_saving, members=own), [table]
    )


def _after(scenario: Scenario, swept: Sweep, say: Wording) -> Section:
    deployed = swept.known[DEPLOYED.name]
    text = say(
        "heartbeats.after_lead",
        soonest=number(TTL_LAG_S[0] / 60),
        latest=number(TTL_LAG_S[1] / 60),
        deployed=duration(swept.expired_row_s[deployed]),
        life=duration(scenario.settings.max_connection_time_s),
    )
    return Section("after", say("heartbeats.after"), text, [Text(say("heartbeats.method"))])
