"""`meshcap sizing DIR`: is the table sized right, by the CloudWatch data of a folder, without any run?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from meshcap.console import complain, data, out, say
from meshcap.errors import UserError
from meshcap.options import PRICE_REGION, AsJson, PriceRegion
from meshcap.price_age import tell_of_old_prices
from meshcap.tables import table as new_table

if TYPE_CHECKING:
    from rich.table import Table

    from capacity.studies.sizing_record import Sizing


def command(
    folder: Annotated[Path, typer.Argument(help="A run directory, or what meshcap import-metrics has written.")],
    table: Annotated[str | None, typer.Option(help="The table, where the data hold several.")] = None,
    region: PriceRegion = PRICE_REGION,
    as_json: AsJson = False,
) -> None:
    """Consumption against capacity, throttles, burst left over time, and the smallest setting. Nothing is sent."""
    from capacity.measurement.metric_import import read_metrics
    from capacity.pricing import prices
    from capacity.studies.sizing import sizing

    try:
        found = sizing(read_metrics(folder), table, prices.load(region))
    except ValueError as fault:
        raise UserError(str(fault)) from None
    if as_json:
        data(found.model_dump_json(indent=2))
        return
    out.print(_shown(found))
    out.print()
    for each in found.throughputs:
        where = found.table if each.resource == "table" else f"{found.table}/{each.resource}"
        data(f"{where} {each.kind}s: {each.answer}. {each.sentence[:1].upper()}{each.sentence[1:]}.")
    for explanation in found.explanations:
        complain(explanation)
    tell_of_old_prices(found.prices_as_of)
    for assumption in found.assumptions:
        say(f"Assumed: {assumption}.")


def _shown(found: Sizing) -> Table:
    made = new_table(
        f"{found.table}, units per second", "throughput", "mean", "busiest", "set", "least bank", "throttled",
        "smallest", "no bank", "at 70 %", "USD set", "USD at 70 %", "USD on demand",
    )  # fmt: skip
    for each in found.throughputs:
        share = None if each.lowest_burst_share is None else f"{each.lowest_burst_share:.0%}"
        figures = (each.mean_units_per_s, each.peak_units_per_s, each.provisioned_units_per_s)
        rest = (each.throttle_events, each.smallest_setting_units, each.without_burst_units, each.planned_units)
        dollars = (each.provisioned_usd_per_month, each.planned_usd_per_month, each.on_demand_usd_per_month)
        made.add_row(
            f"{each.resource} {each.kind}s", *map(_number, figures), share or "-", *map(_number, rest),
            *("-" if usd is None else f"{usd:,.2f}" for usd in dollars),
        )  # fmt: skip
    return made


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}".removesuffix(".0")
