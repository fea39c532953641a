"""`meshcap prices`: the list prices in use, where they come from, and whether AWS has changed them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from capacity.exit_codes import ExitCode
from meshcap.console import data, out, say
from meshcap.errors import UserError
from meshcap.options import PRICE_REGION, AsJson
from meshcap.tables import table

if TYPE_CHECKING:
    from capacity.pricing.price_offers import Refresh
    from capacity.pricing.prices import PriceList

app = typer.Typer(
    help="The list prices in use, where they come from, and whether they still hold.", no_args_is_help=True
)

Region = Annotated[str, typer.Option(help="Region of the list.")]
Vintage = Annotated[str | None, typer.Option(help="An older list, such as 2024-10; without it the newest.")]
WithApi = Annotated[bool, typer.Option("--api", help="Ask the Price List API, with credentials, not the public files.")]


def _load(region: str, vintage: str | None) -> PriceList:
    from capacity.pricing.prices import load, vintages

    try:
        return load(region, vintage)
    except (KeyError, ValueError, OSError):
        known = ", ".join(" ".join(each) for each in vintages())
        raise UserError(f"no price list of {region}{f' {vintage}' if vintage else ''}; there are: {known}") from None


@app.command()
def show(region: Region = PRICE_REGION, vintage: Vintage = None, as_json: AsJson = False) -> None:
    """Every price with unit, source, date and confidence."""
    prices = _load(region, vintage)
    if as_json:
        from meshcap.json_documents import PricesDocument

        data(PricesDocument(price_list=prices).model_dump_json(indent=2))
        return
    made = table(
        f"US dollars in {prices.region}, {prices.vintage}",
        "price",
        "dollars",
        "unit",
        "confidence",
        "source",
        prose=("unit", "confidence", "source"),
    )
    for key, price in prices.prices.items():
        source = prices.sources[price.source]
        made.add_row(key, f"{price.unit_usd:.12g}", price.unit, price.confidence, f"{source.title} ({source.date})")
    out.print(made)


@app.command()
def check(region: Region = PRICE_REGION) -> None:
    """Say which prices are more than 90 days old or unverified. Nothing is fetched."""
    prices = _load(region, None)
    stale = prices.stale(_today())
    for key, days in stale.items():
        data(f"{key}: {days} days old")
    for key in prices.unverified:
        data(f"{key}: no document was seen for it")
    say(f"{len(prices.prices)} prices; {len(stale)} older than 90 days, {len(prices.unverified)} unverified.")


@app.command()
def refresh(
    region: Region = PRICE_REGION,
    api: WithApi = False,
    write: Annotated[Path | None, typer.Option(help="Write the refreshed list here.")] = None,
) -> None:
    """Read AWS's price list and say what changed."""
    from capacity.pricing.price_offers import price_file
    from capacity.pricing.price_refresh import fetch_api, fetch_bulk, pricing_client, refresh_from

    try:
        found = refresh_from(fetch_api(pricing_client()) if api else fetch_bulk, _load(region, None), _today())
    except (OSError, ValueError) as fault:
        raise UserError(f"AWS's price list cannot be read: {fault}", ExitCode.TARGET_UNREACHABLE) from None
    _tell(found)
    if write is not None:
        write.write_text(price_file(found.prices), encoding="utf-8")
        say(f"Wrote {write}.")


def _tell(found: Refresh) -> None:
    for change in found.changed:
        data(f"{change.key}: {change.old_unit_usd:.12g} -> {change.new_unit_usd:.12g} ({change.share:+.1%})")
    say(f"{len(found.changed)} changed, {len(found.confirmed)} confirmed, {len(found.missing)} not in AWS's list.")


def _today() -> date:
    return datetime.now(UTC).date()
