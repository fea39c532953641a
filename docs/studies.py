"""Writes docs/heartbeats.md, limits.md and costs.md with their drawings: python docs/studies.py

Each page is one command's answer for a shipped scenario, the same that the command writes as HTML for any scenario; a
test holds the pages against the model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from capacity.pricing.cost_study import cost_study
from capacity.pricing.prices import load
from capacity.scenario import load_scenario
from capacity.studies.heartbeat import beat_costs, sweep
from capacity.studies.limits import study
from reports.document import Block, Chart, Charts, Report
from reports.layout import drawing, markdown
from reports.studies import costs, heartbeats, limits
from reports.wording import Wording

DOCS = Path(__file__).parent
SCENARIOS = DOCS.parent / "scenarios.yaml"
SAY = Wording("en")
WRITTEN = load().read_on
"""A page of the documentation is of the day on which its prices were read."""


def costs_page() -> Report:
    """What a classroom costs, and how its throughput is best paid."""
    scenario = load_scenario(SCENARIOS, "classroom")
    return costs.page(cost_study(scenario), "classroom", scenario, SAY, WRITTEN)


def heartbeats_page() -> Report:
    """What an interval costs and what it buys, in the classroom."""
    scenario = load_scenario(SCENARIOS, "classroom")
    return heartbeats.page(
        scenario, "classroom", sweep(scenario), beat_costs(scenario), heartbeats.Asked(), SAY, WRITTEN
    )


def limits_page() -> Report:
    """What breaks first as one school grows, and side by side in the three layouts."""
    scenario = load_scenario(SCENARIOS, "one-school")
    layouts = [study(scenario, layout=name) for name in ("deployed", "phase1", "architecture")]
    return limits.page(layouts, "one-school", scenario, SAY, WRITTEN)


PAGES: dict[str, tuple[Callable[[], Report], str, Sequence[str]]] = {
    "costs": (
        costs_page,
        "`meshcap cost SCENARIO` writes this page, as HTML, for any scenario, calendar, month and rate of yen.",
        ("costs_by_cause.svg", "costs_by_operation.svg", "costs.svg"),
    ),
    "heartbeats": (
        heartbeats_page,
        "`meshcap heartbeat SCENARIO` writes this page, as HTML, for any scenario and any limits asked for. Formulas"
        "\nand their assumptions: `capacity/studies/detection.py`.",
        ("heartbeats.svg", "heartbeats_drops.svg"),
    ),
    "limits": (
        limits_page,
        "`meshcap limits SCENARIO --layouts` writes this page, as HTML, for any scenario. The write limit of the"
        "\nschool's key is confirmed on the sandbox: a run at 90 % of it is clean, one at 120 % throttled on that key,"
        "\n`tests/sandbox/forecast/test_limits_confirmed.py`.",
        ("limits.svg", "limits_now.svg"),
    ),
}
"""Page -> what makes it, what is said before it, and the names of its drawings in their order."""


def page(name: str) -> tuple[str, dict[str, str]]:
    """A page as Markdown, and its drawings: file name -> SVG."""
    build, preface, names = PAGES[name]
    report, drawings, left = build(), {}, list(names)

    def named(block: Block) -> Block:
        if not isinstance(block, Charts):
            return block
        made: list[Chart] = []
        for chart in block.charts:
            image = left.pop(0)
            drawings[image] = drawing(chart.svg)
            made.append(replace(chart, image=image))
        return replace(block, charts=made)

    sections = [replace(section, blocks=[named(block) for block in section.blocks]) for section in report.sections]
    title, rest = markdown(replace(report, sections=sections), SAY).split("\n", 1)
    return f"{title}\n\n{preface}\n{rest}", drawings


def main() -> None:
    """Write every page and every drawing."""
    for name in PAGES:
        text, drawings = page(name)
        (DOCS / f"{name}.md").write_text(text, encoding="utf-8")
        for image, svg in drawings.items():
            (DOCS / image).write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
