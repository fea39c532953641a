"""Fetches AWS's price list: by its API with credentials, or from the public offer files without."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import date
from typing import Any
from urllib.request import urlopen

from capacity.pricing.price_offers import SERVICES, Offer, Refresh, offers_of_bulk, offers_of_products, refresh
from capacity.pricing.prices import PriceList

API_REGION = "us-east-1"
"""The Price List API is served in few regions only; botocore's endpoints, 2026-11."""
OFFERS_URL = "https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/{service}/current/{region}/index.json"

Fetch = Callable[[str, str], dict[str, Offer]]
"""(service code, region) -> offers by usage type."""


def refresh_from(fetch: Fetch, prices: PriceList, read_on: date) -> Refresh:
    """A price list brought up to date, service by service."""
    offers: dict[str, Offer] = {}
    for service in SERVICES:
        offers |= fetch(service, prices.region)
    return refresh(prices, offers, read_on)


def fetch_bulk(service: str, region: str) -> dict[str, Offer]:
    """Offers from the public file; needs no credentials. Raises OSError when it cannot be read."""
    with urlopen(OFFERS_URL.format(service=service, region=region), timeout=60) as answer:
        return offers_of_bulk(json.load(answer))


def fetch_api(client: Any) -> Fetch:
    """Offers by GetProducts; `client` is boto3's pricing client, which needs pricing:GetProducts."""

    def fetch(service: str, region: str) -> dict[str, Offer]:
        return offers_of_products(_documents(client, service, region))

    return fetch


def pricing_client() -> Any:
    """boto3's client of the Price List API."""
    import boto3

    return boto3.client("pricing", region_name=API_REGION)


def _documents(client: Any, service: str, region: str) -> Iterator[dict[str, Any]]:
    asked = {
        "ServiceCode": service,
        "Filters": [{"Type": "TERM_MATCH", "Field": "regionCode", "Value": region}],
        "FormatVersion": "aws_v1",
        "MaxResults": 100,
    }
    while True:
        answer = client.get_products(**asked)
        for text in answer["PriceList"]:
            yield json.loads(text)
        if not answer.get("NextToken"):
            return
        asked["NextToken"] = answer["NextToken"]
