"""`meshcap plan SCENARIO`: the forecast alone, without sending anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meshcap.console import data, out, say
from meshcap.errors import UserError
from meshcap.options import PRICE_REGION, SCENARIOS, AsJson, ScenarioFile, ScenarioName
from meshcap.price_age import tell_of_old_prices
from meshcap.tables import table

if TYPE_CHECKING:
    from rich.table import Table

    from capacity.forecasting.forecast import Forecast


def command(
    scenario: ScenarioName = "classroom",
    file: ScenarioFile = SCENARIOS,
    workload: Annotated[
        Path | None, typer.Option(help="A Python file with a workload of your own, in place of a scenario.")
    ] = None,
    region: Annotated[
        str | None, typer.Option(help="Region of the prices, with --workload; ap-northeast-1 unless given.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Forecast what a scenario, or a workload of your own, will send, consume, throttle and cost. Nothing is sent."""
    if workload is not None:
        from meshcap.own_plan import plan_own

        plan_own(workload, region or PRICE_REGION, as_json)
        return
    if region is not None:
        raise UserError("--region goes with --workload; a scenario has its own: write region: us-east-1 into its file")
    from capacity.forecasting.forecast import forecast
    from capacity.scenario import load_scenario
    from capacity.workloads.registry import workload_of

    chosen = load_scenario(file, scenario)
    found = forecast(chosen)
    if as_json:
        data(found.model_dump_json(indent=2))
        return
    parties = ", ".join(f"{who}: {count:,}" for who, count in workload_of(chosen).parties.items())
    say(f"{scenario}: {chosen.description}" if chosen.description else scenario)
    say(
        f"{parties[:1].upper()}{parties[1:]}. "
        f"Requests: {found.requests:,} in {found.duration_s} s. Layout {found.layout}, {found.world}.\n"
    )
    for rows in (_operations(found), _resources(found), _limits(found), _cost(found)):
        out.print(rows)
        out.print()
    tell_of_old_prices(found.cost.prices_as_of)
    for assumption in found.assumptions:
        say(f"Assumed: {assumption}.")


def _operations(found: Forecast) -> Table:
    used = [
        (resource.name, kind)
        for resource in found.resources
        for kind, throughput in (("read", resource.read), ("write", resource.write))
        if throughput.units or throughput.throttled
    ]
    rows = table("Operations", "operation", "requests", *(f"{name} {kind} units" for name, kind in used))
    for each in sorted(found.operations, key=lambda operation: -operation.requests):
        units = (getattr(each.units.get(name), kind, 0.0) for name, kind in used)
        rows.add_row(each.name, f"{each.requests:,}", *(f"{unit:,.1f}" if unit else "" for unit in units))
    return rows


def _resources(found: Forecast) -> Table:
    rows = table("Throughput", "resource", "units", "peak /s", "provisioned /s", "throttled", "first throttle")
    for resource in found.resources:
        for kind, each in (("reads", resource.read), ("writes", resource.write)):
            provisioned = (
                "on demand" if each.provisioned_units_per_s is None else f"{each.provisioned_units_per_s:,.0f}"
            )
            first = "" if each.first_throttle_s is None else f"after {each.first_throttle_s:.1f} s"
            rows.add_row(
                f"{resource.name} {kind}",
                f"{each.units:,.1f}",
                f"{each.peak_units_per_s:,.1f}",
                provisioned,
                f"{each.throttled:,}",
                first,
            )
    return rows


def _limits(found: Forecast) -> Table:
    rows = table("Nearest limits", "limit", "peak", "limit", "used", "reached")
    for limit in found.limits[:5]:
        reached = "" if limit.reached_s is None else f"after {limit.reached_s:.1f} s"
        rows.add_row(
            f"{limit.name} ({limit.resource}, {limit.kind}s)"
            if limit.kind in ("read", "write")
            else f"{limit.name} ({limit.resource})",
            f"{limit.peak:,.1f}",
            f"{limit.limit:,.0f} {limit.unit}",
            f"{limit.used:.1%}",
            reached,
        )
    return rows


def _cost(found: Forecast) -> Table:
    cost = found.cost
    rows = table(f"Cost in US dollars, list prices as of {cost.prices_as_of}", "service", "this run", "month of 730 h")
    services = dict.fromkeys(line.service for line in (*cost.month, *cost.run))
    for service in services:
        run, month = (sum(line.usd for line in lines if line.service == service) for lines in (cost.run, cost.month))
        rows.add_row(service, f"{run:,.4f}", f"{month:,.2f}")
    rows.add_row("total", f"{cost.run_usd:,.4f}", f"{cost.monthly_usd:,.2f}", style="bold")
    return rows
