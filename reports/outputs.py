"""From the files of a run directory to report.html, report.md and junit.xml."""

from __future__ import annotations

from pathlib import Path

from capacity.record import replacing
from reports import junit, summary, thresholds
from reports.document import Report
from reports.layout import html, markdown
from reports.run import Run
from reports.sections import (
    assumptions,
    burst,
    capacity,
    cost,
    deliveries,
    errors,
    functions,
    generator,
    latency,
    limits,
    partitions,
    throttles,
    timeline,
)
from reports.wording import Wording

SECTIONS = (
    capacity,
    limits,
    timeline,
    partitions,
    burst,
    throttles,
    latency,
    deliveries,
    errors,
    functions,
    generator,
    cost,
    assumptions,
)
FIGURES = (throttles, limits, timeline, cost, capacity, deliveries)


def render(run_dir: Path, lang: str = "en") -> Path:
    """Write report.html, report.md and junit.xml into a run directory, from its files alone; return the HTML's path.

    Files that are missing or broken leave their sections out, and the report says which and why. Raises
    RunDirectoryError when there is no readable run.json, ValueError for a language that does not exist.
    """
    say = Wording(lang)
    run = Run.open(run_dir)
    report = build(run, say)
    page = run_dir / "report.html"
    with replacing(page) as temporary:
        temporary.write_text(html(report, say), encoding="utf-8")
    with replacing(run_dir / "report.md") as temporary:
        temporary.write_text(markdown(report, say), encoding="utf-8")
    with replacing(run_dir / "junit.xml") as temporary:
        junit.write(run, temporary)
    return page


def build(run: Run, say: Wording) -> Report:
    """Read the run and say everything that a report says about it."""
    record = run.record
    sections = [section for part in SECTIONS if (section := part.section(run, say)) is not None]
    return Report(
        lang=say.lang,
        title=say("page.title", name=record.scenario_name),
        subtitle=summary.subtitle(run, say),
        verdict=summary.verdict(record, say),
        verdict_word=say(f"verdict.word_{summary.outcome(record).replace(' ', '_')}"),
        tone=summary.tone(record),
        reasons=summary.reasons(run, say),
        thresholds=thresholds.table(record.verdict.thresholds, say) if record.verdict else None,
        figures=[figure for part in FIGURES if (figure := part.figure(run, say)) is not None],
        sections=sections,
        footer=say("page.footer"),
        missing=[
            say("page.broken", file=absence.name, fault=absence.fault)
            if absence.fault
            else say("page.missing", file=absence.name, what=say.name_of("file", absence.name))
            for absence in run.absences
        ],
    )
