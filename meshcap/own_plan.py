"""`meshcap plan --workload FILE`: the forecast of a workload of one's own, shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from meshcap.console import data, out, say
from meshcap.errors import UserError
from meshcap.tables import table

if TYPE_CHECKING:
    from rich.table import Table

    from capacity.workloads.own_forecast import OwnForecast


def plan_own(path: Path, region: str, as_json: bool) -> None:
    """Forecast the workload that a Python file defines. The file is run, as a locustfile is."""
    from capacity.pricing.prices import load
    from capacity.workloads.own import load_workload
    from capacity.workloads.own_forecast import forecast_own

    try:
        load(region)
    except ValueError as fault:
        raise UserError(f"--region {region}: {fault}") from None
    try:
        found = forecast_own(load_workload(path), region)
    except FileNotFoundError:
        raise UserError(f"--workload {path} is not there; docs/own_workload.md shows how to write one") from None
    except Exception as fault:  # whatever the user's own file raises is said in one line, with where
        raise UserError(f"--workload {path}: {type(fault).__name__}: {fault}") from None
    if as_json:
        data(found.model_dump_json(indent=2))
        return
    for rows in (_actions(found), _limits(found), _cost(found)):
        out.print(rows)
        out.print()
    for finding in found.findings:
        say(f"Found: {finding}.")


def _actions(found: OwnForecast) -> Table:
    used = [(name, kind) for name, units in found.units_per_s.items() for kind in (0, 1) if units[kind]]
    columns = (f"{name} {('read', 'write')[kind]} units" for name, kind in used)
    rows = table(f"Table {found.table}: units of one action, and a second's", "action", "per second", *columns)
    for action in found.actions:
        units = (action.units.get(name, (0.0, 0.0))[kind] for name, kind in used)
        rows.add_row(action.name, f"{action.per_s:,.1f}", *(f"{each:,.1f}" if each else "" for each in units))
    sums = (f"{found.units_per_s[name][kind]:,.1f}" for name, kind in used)
    rows.add_row("all, in a second", "", *sums, style="bold")
    return rows


def _limits(found: OwnForecast) -> Table:
    rows = table("Nearest limits", "limit", "use", "of", "used", "met at", "then", prose="then")
    for limit in found.limits[:6]:
        rows.add_row(
            f"{limit.name} ({limit.resource}, {limit.kind}s)",
            f"{limit.use:,.1f}",
            f"{limit.limit:,.0f} units/s",
            f"{limit.share:.1%}",
            f"{limit.grows:,.1f} times these rates",
            limit.effect,
        )
    return rows


def _cost(found: OwnForecast) -> Table:
    rows = table("Cost of a month of 730 h, US dollars", "action", "of", "dollars")
    for line in found.month:
        rows.add_row(line.operation or "provisioned", line.cause, f"{line.usd:,.2f}")
    rows.add_row("total", "", f"{found.monthly_usd:,.2f}", style="bold")
    return rows
