"""AWS's price list documents, from GetProducts or the bulk files, as prices by usage type; and what they change.

Shape of the documents: AWS Billing guide, "Price List API" and "bulk offer files" (read 2026-11-30). A usage type may
have a first tier at $0, which is a free tier and no price; a DynamoDB usage type of the Standard-IA class carries IA in
its name, so names are compared whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any

import yaml

from capacity.pricing.prices import Price, PriceList, Source, Tier

SERVICES = ("AmazonDynamoDB", "AWSAppSync", "AWSLambda", "AmazonCloudWatch", "AWSDataTransfer")
"""Service codes that hold the prices used here."""


@dataclass(frozen=True)
class Offer:
    """The on-demand price of one usage type: tiers of a month's quantity, free ones left out."""

    usage_type: str
    unit: str
    tiers: tuple[Tier, ...]
    effective: date | None

    @property
    def first_usd(self) -> float:
        """Dollars of one unit in the first tier that is paid."""
        return self.tiers[0].usd


@dataclass(frozen=True)
class PriceChange:
    """A price that AWS's list states otherwise than ours."""

    key: str
    usage_type: str
    old_unit_usd: float
    new_unit_usd: float

    @property
    def share(self) -> float:
        """Change as a share of the old price."""
        return self.new_unit_usd / self.old_unit_usd - 1


@dataclass(frozen=True)
class Refresh:
    """What a refresh found: the new list, what it changed, what it confirmed and what AWS's list did not have."""

    prices: PriceList
    changed: tuple[PriceChange, ...]
    confirmed: tuple[str, ...]
    missing: tuple[str, ...]


def offers_of_products(documents: Iterable[Mapping[str, Any]]) -> dict[str, Offer]:
    """Offers from GetProducts' documents, parsed from their JSON texts. Raises ValueError for another shape."""
    found: dict[str, Offer] = {}
    with _shaped():
        for document in documents:
            _take(found, document.get("product"), document.get("terms", {}).get("OnDemand", {}))
    return found


def offers_of_bulk(document: Mapping[str, Any]) -> dict[str, Offer]:
    """Offers from one bulk offer file of a region. Raises ValueError for another shape."""
    products = document.get("products") if isinstance(document, Mapping) else None
    if not isinstance(products, Mapping):
        raise ValueError(
            "this is no AWS offer file: it has no products; expected .../offers/v1.0/aws/AmazonDynamoDB/current/"
            "ap-northeast-1/index.json"
        )
    found: dict[str, Offer] = {}
    with _shaped():
        terms = document.get("terms", {}).get("OnDemand", {})
        for sku, product in products.items():
            _take(found, product, terms.get(sku, {}))
    return found


@contextmanager
def _shaped() -> Iterator[None]:
    """Turn what Python says of a document that is built otherwise into one ValueError."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, OverflowError) as fault:
        raise ValueError(f"this is no AWS price list: {type(fault).__name__} {fault}") from fault


def refresh(prices: PriceList, offers: Mapping[str, Offer], read_on: date) -> Refresh:
    """A price list with every figure that AWS's list states, dated and marked as read from it.

    Prices without a usage type, and those that AWS's list does not have, stay as they are.
    """
    source = f"aws-price-list-{read_on:%Y-%m-%d}"
    new, changed, confirmed, missing = dict(prices.prices), [], [], []
    for key, price in prices.prices.items():
        offer = offers.get(price.usage_type or "")
        if price.usage_type is None:
            continue
        if offer is None:
            missing.append(key)
            continue
        if abs(offer.first_usd - price.unit_usd) > 1e-12:
            changed.append(PriceChange(key, price.usage_type, price.unit_usd, offer.first_usd))
        else:
            confirmed.append(key)
        new[key] = _restated(price, offer, source)
    sources = dict(prices.sources)
    if changed or confirmed:
        sources[source] = Source(title=f"AWS price list for {prices.region}", date=read_on)
    updated = prices.model_copy(update={"prices": new, "sources": sources, "read_on": read_on})
    checked = PriceList.model_validate(updated.model_dump())
    return Refresh(checked, tuple(changed), tuple(confirmed), tuple(missing))


def price_file(prices: PriceList) -> str:
    """The list as a file that `capacity.pricing.prices.read` takes."""
    content = prices.model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    content["in_force_until"] = None if prices.in_force_until is None else prices.in_force_until.isoformat()
    content["in_force_from"] = None if prices.in_force_from is None else prices.in_force_from.isoformat()
    text: str = yaml.safe_dump(content, sort_keys=False, width=120, allow_unicode=True)
    return text


def _restated(price: Price, offer: Offer, source: str) -> Price:
    """Our price in its own form (so many units) with AWS's figure."""
    told = {"source": source, "confidence": "price_list"}
    if len(offer.tiers) > 1 and price.tiers:
        tiers = tuple(Tier(up_to=tier.up_to, usd=tier.usd * price.per) for tier in offer.tiers)
        return price.model_copy(update={"tiers": tiers, "usd": None, **told})
    per_usd = float(f"{offer.first_usd * price.per:.12g}")
    return price.model_copy(update={"usd": per_usd, "tiers": (), **told})


def _take(found: dict[str, Offer], product: Any, terms: Mapping[str, Any]) -> None:
    if not isinstance(product, Mapping) or "attributes" not in product:
        raise ValueError("this is no product of AWS's price list: it has no attributes")
    usage_type = product["attributes"].get("usagetype")
    for term in terms.values():
        dimensions = sorted(term["priceDimensions"].values(), key=lambda each: float(each.get("beginRange") or 0))
        tiers = tuple(
            Tier(up_to=_end(each.get("endRange")), usd=float(each["pricePerUnit"]["USD"])) for each in dimensions
        )
        paid = tuple(tier for tier in tiers if tier.usd > 0)
        if usage_type and paid:
            effective = term.get("effectiveDate")
            begin = None if effective is None else date.fromisoformat(effective[:10])
            found[usage_type] = Offer(usage_type, dimensions[0]["unit"], paid, begin)


def _end(text: str | None) -> float | None:
    return None if text in (None, "Inf") else float(text)
