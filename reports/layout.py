"""Lays a report out as HTML or Markdown. What it says comes from `reports.sections` or `reports.studies`."""

from __future__ import annotations

import re
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from reports.document import Report
from reports.wording import Wording

TEMPLATES = Path(__file__).parent / "templates"


def html(report: Report, say: Wording) -> str:
    """Lay a report out as one HTML page that needs nothing else."""
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    return environment(autoescape=True).get_template("report.html.j2").render(report=report, say=say, css=css)


def markdown(report: Report, say: Wording) -> str:
    """Lay a report out as Markdown: its words and tables, and its charts as sentences."""
    text = environment(autoescape=False).get_template("report.md.j2").render(report=report, say=say)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def drawing(svg: str) -> str:
    """A chart as a file of its own, with the colours of the page's light and dark scheme."""
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    colours = css[: css.index("* {")]
    text = (
        "text { paint-order: stroke; stroke: var(--surface); stroke-width: 3px; font-family: system-ui, sans-serif; }"
    )
    return svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(
        ">", f"><style>{colours}{text}</style>", 1
    )


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
