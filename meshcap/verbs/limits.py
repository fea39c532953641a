"""`meshcap limits SCENARIO`: what breaks first as the population grows, at which size, and what moves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from meshcap.console import data, out, say
from meshcap.errors import UserError
from meshcap.options import SCENARIOS, AsJson, Lang, ScenarioFile, ScenarioName
from meshcap.served import for_mesh_alone
from meshcap.study_page import PageFile, write_page
from meshcap.tables import table
from meshcap.timeline_limits import show_timeline_limits

if TYPE_CHECKING:
    from rich.table import Table

    from capacity.studies.limits import Axis, LimitsStudy

_AXES: dict[Axis, str] = {
    "domains": "domains",
    "groups_per_domain": "groups",
    "members_per_group": "members",
    "reports_per_s": "reports/s",
}

LAYOUTS = ("deployed", "phase1", "architecture")


def command(
    scenario: ScenarioName = "classroom",
    file: ScenarioFile = SCENARIOS,
    axis: Annotated[
        str, typer.Option(help="What grows: domains, groups_per_domain, members_per_group or reports_per_s.")
    ] = "groups_per_domain",
    layouts: Annotated[bool, typer.Option("--layouts", help="Put the three table layouts side by side.")] = False,
    page: PageFile = None,
    lang: Lang = "en",
    as_json: AsJson = False,
) -> None:
    """Every limit with its headroom, the size at which it is reached, and what would move it; on a page, too."""
    from capacity.scenario import load_scenario
    from capacity.studies.limits import AXES, study

    chosen = load_scenario(file, scenario)
    if axis not in AXES:
        raise UserError(f"--axis {axis!r} is unknown; choose from {', '.join(AXES)}")
    if chosen.workload.name == "timeline":
        if layouts or page is not None or axis != "groups_per_domain":
            for_mesh_alone("limits --axis, --layouts and --page", chosen, scenario, file, "limits without them")
        show_timeline_limits(chosen, as_json)
        return
    instead = f"meshcap plan {scenario}: its nearest limits at the scenario's rates"
    for_mesh_alone("limits", chosen, scenario, file, instead)
    own = chosen.layout
    names = (own, *(name for name in LAYOUTS if name != own)) if layouts else (None,)
    studies = [study(chosen, axis, name) for name in names]
    if as_json:
        from meshcap.json_documents import LimitsDocument

        data(LimitsDocument(studies=studies).model_dump_json(indent=2))
    else:
        for each in studies:
            _show(each)
    if page is not None or not as_json:
        from reports.studies import limits

        write_page(
            "limits", scenario, page, lang, lambda say, today: limits.page(studies, scenario, chosen, say, today)
        )


def _show(study: LimitsStudy) -> None:
    size = "out of reach" if study.first_size is None else f"at {study.first_size:,.0f} {_AXES[study.axis]}"
    data(f"Layout {study.layout}: first is {study.first}, {size}.\n")
    out.print(_limits(study))
    out.print()
    if study.advice:
        out.print(_advice(study))
        out.print()
        say("Each piece of advice is the model run again with that one change.\n")


def _limits(study: LimitsStudy) -> Table:
    made = table(
        "Limits, and the size of each axis at which one is reached", "limit", "use", "of", "used", *_AXES.values()
    )
    for row in study.rows:
        sizes = [row.reached_at[axis] for axis in _AXES]
        reached = ["" if size is None else f"{size:,.0f}" for size in sizes]
        made.add_row(
            f"{row.name} ({row.where})", f"{row.use:,.1f}", f"{row.limit:,.0f} {row.unit}", f"{row.share:.1%}", *reached
        )
    return made


def _advice(study: LimitsStudy) -> Table:
    made = table(
        f"What moves it: {_AXES[study.axis]} until the first limit",
        "change",
        "before",
        "after",
        "then first",
        prose="then first",
    )
    for each in study.advice:
        before, after = (
            "out of reach" if size is None else f"{size:,.0f}" for size in (each.size_before, each.size_after)
        )
        made.add_row(each.change, before, after, each.next_limit)
    return made
