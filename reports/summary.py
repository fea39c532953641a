"""The first screen: a verdict in a sentence, why, and the few numbers that decide."""

from __future__ import annotations

from capacity.record import RunRecord
from capacity.workloads.registry import workload_of
from reports.document import Tone
from reports.numbers import count, duration, percent
from reports.run import Run
from reports.sections.deliveries import are_owed
from reports.settled import Settled
from reports.thresholds import parts
from reports.wording import Wording

_PARTIES = {
    "nodes": "page.nodes",
    "groups": "page.groups",
    "posters": "page.posters",
    "readers": "page.readers",
    "users": "page.users",
}
_TONES: dict[str, Tone] = {
    "passed": "good",
    "failed": "bad",
    "not valid": "warn",
    "unknown": "warn",
    "interrupted": "warn",
}


def outcome(record: RunRecord) -> str:
    """Return the verdict's outcome; `not judged` while there is none."""
    return record.verdict.outcome if record.verdict else "not judged"


def tone(record: RunRecord) -> Tone:
    """Return the colour of the verdict. Only a verdict of `passed` is green."""
    return _TONES.get(outcome(record), "unknown")


def verdict(record: RunRecord, say: Wording) -> str:
    """Say in one sentence what the run decided."""
    results = record.verdict.thresholds if record.verdict else []
    bad = [r.expression for r in results if r.outcome == "failed"]
    unknown = [r.expression for r in results if r.outcome == "unknown"]
    stopped = record.stopped
    if stopped is not None and record.verdict:
        after, name = duration(round(stopped.after_s)), stopped.expression.split(" abort")[0]
        return say(f"verdict.stopped_{stopped.rule.replace('-', '_')}", after=after, name=name)
    key = outcome(record).replace(" ", "_")
    if key == "passed" and not results:
        key = "passed_without"
    named = bad if key == "failed" else unknown
    names = ", ".join(named[:2]) + (" …" if len(named) > 2 else "")
    one = "_one" if len(named) == 1 and say.known(f"verdict.{key}_one") else ""
    return say(f"verdict.{key}{one}", all=len(results), some=len(named), names=names)


def reasons(run: Run, say: Wording) -> list[str]:
    """Say why a run does not speak, and what else a reader must know before the numbers."""
    record, found = run.record, []
    if record.generator is not None:
        found += [say.phrase(reason) for reason in record.generator.reasons]
    elif record.status == "finished":
        found.append(say("verdict.no_generator"))
    for result in record.verdict.thresholds if record.verdict else []:
        if result.reason:
            found.append(say("threshold.why", figure=parts(result)[0], reason=say.phrase(result.reason)))
    if record.status in ("started", "failed"):
        found.append(say(f"verdict.status_{record.status}"))
    if are_owed(run) and run.deliveries is not None and not run.deliveries.empty:
        total = Settled.of(run.deliveries)
        if total.lost_by_cursor:
            skipped, due = total.lost_by_cursor, total.due
            share = percent(skipped / due if due else None)
            found.append(say("deliveries.by_design", by_cursor=count(skipped), due=count(due), share=share))
    return found


def subtitle(run: Run, say: Wording) -> str:
    """Name the run: what was loaded, by whom, when, for how long."""
    record, parties = run.record, workload_of(run.record.scenario).parties
    return say(
        "page.subtitle" if "nodes" in parties else "page.workload",
        description=say.phrase(record.scenario.description) or record.scenario_name,
        **{who: say.plural(_PARTIES[who], count) for who, count in parties.items() if who in _PARTIES},
        parties=", ".join(say.plural(_PARTIES[who], count) for who, count in parties.items() if who in _PARTIES),
        target=say.name_of("target", record.target.kind),
        region=record.scenario.region,
        started=f"{record.started_at:%Y-%m-%d %H:%M} UTC",
        hold=duration(record.scenario.schedule.hold_s),
    )
