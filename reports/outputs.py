"""From the files of a run directory to report.html, report.md and junit.xml."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from capacity.record import replacing
from reports import junit, summary, thresholds
from reports.document import Report
from reports.run import Run
from reports.sections import (
    assumptions,
    burst,
    capacity,
    cost,
    deliveries,
    errors,
    generator,
    latency,
    limits,
    partitions,
    throttles,
)
from reports.wording import Wording

TEMPLATES = Path(__file__).parent / "templates"
SECTIONS = (capacity, limits, partitions, burst, throttles, latency, deliveries, errors, generator, cost, assumptions)
FIGURES = (throttles, limits, cost, capacity, deliveries)


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
        reasons=summary.reasons(record, say),
        thresholds=thresholds.table(record.verdict.thresholds, say) if record.verdict else None,
        figures=[figure for part in FIGURES if (figure := part.figure(run, say)) is not None],
        sections=sections,
        missing=[
            say("page.broken", file=absence.name, fault=absence.fault)
            if absence.fault
            else say("page.missing", file=absence.name, what=say.name_of("file", absence.name))
            for absence in run.absences
        ],
    )


def html(report: Report, say: Wording) -> str:
    """Lay a report out as one HTML page that needs nothing else."""
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    return environment(autoescape=True).get_template("report.html.j2").render(report=report, say=say, css=css)


def markdown(report: Report, say: Wording) -> str:
    """Lay a report out as Markdown: its words and tables, and its charts as sentences."""
    text = environment(autoescape=False).get_template("report.md.j2").render(report=report, say=say)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def escape_markdown(text: str) -> str:
    """Make text safe inside Markdown, tables included: it stays on its line and nothing in it is markup."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    text = re.sub(r"([\\`*_\[\]|~])", r"\\\1", text)
    return re.sub(r"\s*\n\s*", " ", text)


def breakable(text: str) -> Markup:
    """Let the name of a figure break after its dots, brackets and underscores, so that it fits a phone."""
    return Markup(re.sub(r"([.(_])", r"\1<wbr>", str(escape(text))))


def fenced(text: str) -> str:
    """Put text into a code block with a fence that it cannot close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def environment(autoescape: bool) -> Environment:
    """Return the templates of this package with their filters."""
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=autoescape,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.filters |= {"md": escape_markdown, "fenced": fenced, "breakable": breakable}
    return templates
