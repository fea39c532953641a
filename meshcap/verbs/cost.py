"""`meshcap cost SCENARIO`: what a scenario costs per lesson, month and school year, and what the money goes to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meshcap.console import data, out, say
from meshcap.errors import UserError
from meshcap.options import SCENARIOS, AsJson, Lang, ScenarioFile, ScenarioName
from meshcap.served import for_mesh_alone
from meshcap.study_page import PageFile, write_page
from meshcap.tables import table

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails
    from rich.table import Table

    from capacity.pricing.cost_study import CostStudy, Share


def command(
    scenario: ScenarioName = "classroom",
    file: ScenarioFile = SCENARIOS,
    lesson_minutes: Annotated[float, typer.Option(help="Minutes of a lesson.")] = 45,
    lessons_per_day: Annotated[float, typer.Option(help="Lessons a day.")] = 2,
    days_per_month: Annotated[float, typer.Option(help="School days a month.")] = 20,
    months_per_year: Annotated[float, typer.Option(help="School months a year.")] = 11,
    month: Annotated[
        str | None, typer.Option(help="A calendar month, such as 2027-02; without it a month has 730 hours.")
    ] = None,
    yen_per_usd: Annotated[float | None, typer.Option(help="Also in yen, at this rate.")] = None,
    infracost: Annotated[Path | None, typer.Option(help="Write an infracost usage file.")] = None,
    page: PageFile = None,
    lang: Lang = "en",
    as_json: AsJson = False,
) -> None:
    """Cost over a school calendar by service, operation and cause, and of other ways to pay; on a page, too."""
    from pydantic import ValidationError

    from capacity.pricing.cost_study import cost_study, infracost_usage
    from capacity.pricing.school_calendar import SchoolCalendar
    from capacity.scenario import load_scenario

    chosen = load_scenario(file, scenario)
    instead = f"meshcap plan {scenario}: what the run costs, and a month at its rate"
    for_mesh_alone("cost over a school calendar", chosen, scenario, file, instead)
    try:
        calendar = SchoolCalendar(
            lesson_minutes=lesson_minutes,
            lessons_per_day=lessons_per_day,
            days_per_month=days_per_month,
            months_per_year=months_per_year,
            month=month,
        )
        study = cost_study(chosen, calendar, yen_per_usd=yen_per_usd)
    except ValidationError as fault:
        raise UserError("\n".join(_option_fault(each) for each in fault.errors())) from None
    except ValueError as fault:
        raise UserError(str(fault)) from None
    if infracost is not None:
        infracost.write_text(infracost_usage(study), encoding="utf-8")
        say(f"Wrote {infracost}.")
    if as_json:
        data(study.model_dump_json(indent=2))
    else:
        _show(scenario, study)
    if page is not None or not as_json:
        from reports.studies import costs

        write_page("cost", scenario, page, lang, lambda say, today: costs.page(study, scenario, chosen, say, today))


def _show(scenario: str, study: CostStudy) -> None:
    say(f"{scenario} in {study.region}, list prices as of {study.prices_as_of}, free tiers not applied.\n")
    shares = (("by service", study.by_service), ("by operation", study.by_operation), ("by cause", study.by_cause))
    for rows in (_spans(study), *(_shares(*each) for each in shares), *_modes(study)):
        out.print(rows)
        out.print()
    say(f"Not in the sums: request logs ${study.logging_usd_per_month:,.2f} a month if AppSync logs every request,")
    say(f"and data transfer out ${study.transfer_usd_per_month:,.2f}.")
    if study.unverified:
        say(f"Prices that no document was seen for: {', '.join(study.unverified)}.")


def _option_fault(error: ErrorDetails) -> str:
    """One fault of the calendar, said of the option that it came from."""
    if not error["loc"]:  # of several options together
        return error["msg"].removeprefix("Value error, ")
    option, given = str(error["loc"][0]).replace("_", "-"), error["input"]
    if option == "month":
        return f"--month {given!r} is no month; write it as year and month, for example 2027-02"
    return f"--{option} {given:g}: {error['msg'].replace('Input should', 'it must')}"


def _spans(study: CostStudy) -> Table:
    rows = table("Cost", "of", "US dollars", *(["yen"] if study.yen_per_usd else []))
    for name, usd in (
        ("this run", study.run_usd),
        ("a lesson", study.lesson_usd),
        ("an hour of lessons", study.lesson_hour_usd),
        ("  of one group", study.group_hour_usd),
        ("  of one node", study.node_hour_usd),
        ("a month", study.month_usd),
        ("a school year", study.school_year_usd),
    ):
        yen = study.yen(usd)
        rows.add_row(name, f"{usd:,.4f}", *([] if yen is None else [f"{yen:,.0f}"]))
    return rows


def _shares(title: str, shares: list[Share]) -> Table:
    rows = table(f"A month {title}", title.removeprefix("by "), "US dollars", "share")
    for each in shares:
        rows.add_row(
            "(not of one operation)" if each.name == "all" else each.name,
            f"{each.usd_per_month:,.2f}",
            f"{each.share:.1%}",
        )
    return rows


def _modes(study: CostStudy) -> list[Table]:
    if study.modes is None:
        return []
    modes = table("DynamoDB's throughput for a month, paid", "as", "US dollars", "note", prose="note")
    for each in study.modes.modes:
        modes.add_row(each.mode, f"{each.usd_per_month:,.2f}", each.note)
    even = table("Cheaper than on demand above", "mode", "units", "use around the clock", "hours of lessons a day")
    for point in study.modes.break_even:
        hours = "never" if point.lesson_hours_per_day is None else f"{point.lesson_hours_per_day:.1f}"
        even.add_row(point.mode, point.kind, f"{point.utilisation:.1%}", hours)
    return [modes, even]
