"""The page of a search for the highest rate: which rates were tried, what each did to latency and deliveries."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from capacity.studies.highest_rate import HighestRate, Limits, Probe
from reports.charts import Curve, Point, curves
from reports.document import Block, Cell, Chart, Charts, Facts, Figure, Key, Link, Report, Section, Table, Text
from reports.numbers import count, milliseconds, number, percent
from reports.wording import Wording

_ENDED = {"out of probes": "out_of_probes", "interrupted": "interrupted", "stopped": "stopped"}


def page(found: HighestRate, say: Wording) -> Report:
    """Everything that the search found. A figure that a probe does not know is a dash, and a gap in its chart."""
    probes = sorted(found.probes, key=lambda probe: probe.factor)
    return Report(
        lang=say.lang,
        title=say("highest_rate.title", name=found.scenario_name),
        subtitle=say(
            "highest_rate.subtitle",
            probes=say.plural("highest_rate.probes", len(probes)),
            hold=number(found.probe_hold_s),
            target=found.target,
        ),
        verdict=_answer(found, say),
        verdict_word="",
        tone="",
        reasons=_ends(found, say),
        thresholds=None,
        figures=_figures(found, say),
        sections=[_section(probes, found.limits, say)],
        footer=say("highest_rate.footer"),
    )


def _answer(found: HighestRate, say: Wording) -> str:
    best = found.highest
    if best is None:
        return say("highest_rate.none")
    return say(
        "highest_rate.answer",
        rate=count(best.requests_per_s),
        deliveries=count(best.deliveries_per_s),
        factor=number(best.factor),
        p99=milliseconds(best.p99_ms),
    )


def _ends(found: HighestRate, say: Wording) -> list[str]:
    """Why the search is no longer going on, where it did not end by itself."""
    key = _ENDED.get(found.status)
    return [] if key is None else [say(f"highest_rate.{key}", note=say.phrase(found.note or ""))]


def _next_above(found: HighestRate) -> Probe | None:
    """The lowest rate that was not held, above the highest that was."""
    held = 0.0 if found.highest is None else found.highest.factor
    return min((probe for probe in found.probes if probe.factor > held), key=lambda probe: probe.factor, default=None)


def _figures(found: HighestRate, say: Wording) -> list[Figure]:
    figures = []
    if found.highest is not None:
        best = found.highest
        figures.append(Figure(say("highest_rate.held_figure"), _rate(best, say), _times(best, say), "good"))
    above = _next_above(found)
    if above is not None:
        why = "; ".join(say.phrase(reason) for reason in above.gave_way)
        figures.append(Figure(say("highest_rate.not_held_figure"), _rate(above, say), why, "bad"))
    spent = sum(probe.forecast_usd for probe in found.probes)
    figures.append(Figure(say("highest_rate.cost"), f"${number(spent)}", say("highest_rate.cost_note")))
    return figures


def _rate(probe: Probe, say: Wording) -> str:
    return say("highest_rate.per_s", rate=count(probe.planned_requests_per_s))


def _times(probe: Probe, say: Wording) -> str:
    return say("highest_rate.times", factor=number(probe.factor))


def _section(probes: Sequence[Probe], limits: Limits, say: Wording) -> Section:
    lead = say(
        "highest_rate.lead", p99=milliseconds(limits.max_p99_ms), achieved=percent(limits.min_achieved, digits=3)
    )
    charts = [_latency(probes, limits, say), _unsent(probes, limits, say)]
    if any(probe.lost for probe in probes):
        charts.append(_lost(probes, say))
    shown: list[Block] = [Charts([chart for chart in charts if chart], _legend(say))] if any(charts) else []
    if probes and all(probe.lost == 0 for probe in probes):
        shown.append(Text(say("highest_rate.none_lost")))
    runs = Facts([(_times(probe, say), Link(probe.run, f"{quote(probe.run)}/report.html")) for probe in probes])
    blocks = [*shown, _table(probes, say), Text(say("highest_rate.runs")), runs]
    return Section("rates", say("highest_rate.section"), lead, blocks)


def _legend(say: Wording) -> list[Key]:
    return [Key("good", say("highest_rate.held"), "dots"), Key("bad", say("highest_rate.not_held"), "cross")]


def _latency(probes: Sequence[Probe], limits: Limits, say: Wording) -> Chart | None:
    drawn = [(p, p.planned_requests_per_s, p.p99_ms) for p in probes]
    return _chart("p99", drawn, say, limit=limits.max_p99_ms, limit_label=milliseconds(limits.max_p99_ms))


def _unsent(probes: Sequence[Probe], limits: Limits, say: Wording) -> Chart | None:
    """What is missing of the plan, which starts at nothing, rather than what was sent, which is nearly all."""

    def missing(share: float | None) -> float | None:
        return None if share is None else max(0.0, 100 * (1 - share))

    most = missing(limits.min_achieved)
    drawn = [(probe, probe.planned_requests_per_s, missing(probe.achieved)) for probe in probes]
    return _chart("unsent", drawn, say, limit=most, limit_label=f"{number(most)} %")


def _lost(probes: Sequence[Probe], say: Wording) -> Chart | None:
    return _chart("lost", [(p, p.planned_requests_per_s, p.lost) for p in probes], say)


def _chart(
    name: str,
    drawn: Sequence[tuple[Probe, float | None, float | None]],
    say: Wording,
    limit: float | None = None,
    limit_label: str = "",
) -> Chart | None:
    """One figure of the probes over the planned rate; None when no probe knows it."""
    known = [(probe, rate, value) for probe, rate, value in drawn if rate is not None and value is not None]
    if not known:
        return None
    points = [
        Point(rate, value, "", "good", "o") if probe.held else Point(rate, value, "", "bad", "x")
        for probe, rate, value in known
    ]
    alt = say(
        f"highest_rate.{name}_alt",
        points="; ".join(
            say(
                "highest_rate.point",
                rate=count(rate),
                value=number(value),
                outcome=say("highest_rate.held" if probe.held else "highest_rate.not_held"),
            )
            for probe, rate, value in known
        ),
    )
    svg = curves(
        f"rates-{name}",
        alt,
        [Curve([rate for _, rate, _ in known], [value for _, _, value in known], "muted")],
        points,
        unit=say(f"highest_rate.{name}_unit"),
        x_unit=say("highest_rate.planned_unit"),
        limit=limit,
        limit_label=limit_label,
    )
    return Chart(say(f"highest_rate.{name}_chart"), svg, alt)


def _table(probes: Sequence[Probe], say: Wording) -> Table:
    names = ("outcome", "factor", "planned", "sent", "achieved", "delivered", "lost", "p99", "cpu", "ended")
    rows: list[list[Cell | str]] = [
        [
            Cell(say("highest_rate.held"), "good") if probe.held else Cell(say("highest_rate.not_held"), "bad"),
            number(probe.factor),
            count(probe.planned_requests_per_s),
            count(probe.requests_per_s),
            percent(probe.achieved, digits=3),
            count(probe.deliveries_per_s),
            count(probe.lost),
            milliseconds(probe.p99_ms),
            percent(None if probe.generator_cpu_percent is None else probe.generator_cpu_percent / 100),
            "; ".join(say.phrase(reason) for reason in probe.gave_way) or "–",
        ]
        for probe in probes
    ]
    return Table([say(f"highest_rate.{name}") for name in names], rows, say("highest_rate.table"), numeric=range(1, 9))
