"""A comparison of two runs as Markdown for a pull request: what to look at first, everything else folded away."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from reports.changes import Area, Change
from reports.document import Cell, Table
from reports.layout import environment
from reports.numbers import count, milliseconds, number, percent, usd
from reports.sections.cost import old_prices
from reports.wording import Wording

if TYPE_CHECKING:
    from reports.compare import Comparison

AREAS: tuple[Area, ...] = ("units", "latency", "errors", "throttles", "deliveries", "cost")
_WRITE: dict[str, Callable[[float | None], str]] = {
    "units_per_request": number,
    "measured_per_sent": number,
    "latency_ms": milliseconds,
    "error_share": percent,
    "throttle_events": count,
    "delivery_share": percent,
    "monthly_usd": usd,
}


def markdown(comparison: Comparison, lang: str) -> str:
    """Write a comparison: a sentence that names what became worse, a table of what changed, and all figures folded."""
    say = Wording(lang)
    changed = [change for change in comparison.changes if change.outcome != "same"]
    present = [change for change in comparison.changes if change.before or change.after]
    template = environment(autoescape=False).get_template("comparison.md.j2")
    text = template.render(
        say=say,
        verdict=_verdict(comparison, say),
        runs=[
            (run.record.run_id, f"{run.record.started_at:%Y-%m-%d %H:%M} UTC")
            for run in (comparison.before, comparison.after)
        ],
        scenario=comparison.after.record.scenario_name,
        differences=comparison.differences,
        old_prices=old_prices(comparison.after, say),
        changed=_table(changed, say) if changed else None,
        all=_table(present, say),
    )
    return text.strip() + "\n"


def sentence(change: Change, say: Wording) -> str:
    """Say one change in a line: `reportDataByNode: 2 → 3 write units per request, GroupNameIndex`."""
    write = _WRITE[change.figure]
    unknown = say("page.unknown")
    before, after = (unknown if value is None else write(value) for value in (change.before, change.after))
    return say(
        f"changes.{change.figure}",
        subject=_subject(change, say),
        detail=_detail(change, say),
        before=before,
        after=after,
    )


def _verdict(comparison: Comparison, say: Wording) -> str:
    worse = comparison.worse
    if worse:
        shown = "; ".join(sentence(change, say) for change in worse[:3])
        more = "; " + say("changes.more", count=len(worse) - 3) if len(worse) > 3 else ""
        return say("changes.worse", changes=shown, more=more)
    better = [change for change in comparison.changes if change.outcome == "better"]
    unknown = [change for change in comparison.changes if change.outcome == "unknown"]
    if unknown:
        return say("changes.unknown", changes="; ".join(sentence(change, say) for change in unknown[:3]))
    if better:
        return say("changes.better", changes="; ".join(sentence(change, say) for change in better[:3]))
    if any(change.outcome == "noise" for change in comparison.changes):
        return say("changes.noise")
    return say("changes.same")


def _subject(change: Change, say: Wording) -> str:
    if change.area == "deliveries":
        return say.name_of("outcome", change.subject)
    return change.subject or say("latency.all")


def _detail(change: Change, say: Wording) -> str:
    resource, _, kind = change.detail.rpartition(" ")
    if kind in ("read", "write") and resource:
        where = say("page.table") if resource == "table" else resource
        return say("changes.detail", resource=where, kind=say(f"page.{kind}s"))
    return change.detail


def _table(changes: list[Change], say: Wording) -> Table:
    rows: list[list[Cell | str]] = []
    for change in sorted(changes, key=lambda change: AREAS.index(change.area)):
        write = _WRITE[change.figure]
        interval = "–"
        if change.interval is not None:
            low, high = (percent(bound - 1, signed=True) for bound in change.interval)
            interval = f"{low} … {high}"
        gap = "–"
        if change.before and change.after is not None:
            gap = percent(change.after / change.before - 1, signed=True)
        rows.append(
            [
                Cell(say(f"changes.outcome_{change.outcome}"), "bad" if change.outcome == "worse" else ""),
                say(f"changes.area_{change.area}"),
                ", ".join(part for part in (_subject(change, say), _detail(change, say)) if part),
                say("page.unknown") if change.before is None else write(change.before),
                say("page.unknown") if change.after is None else write(change.after),
                gap,
                interval,
            ]
        )
    names = ("outcome", "area", "what", "before", "after", "difference", "interval")
    return Table([say(f"changes.{name}") for name in names], rows, numeric=(3, 4, 5, 6))
