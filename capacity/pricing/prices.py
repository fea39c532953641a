"""AWS list prices as dated data: what one unit of each thing costs, where the figure comes from and how sure it is.

The files under `capacity/data/prices/` hold one region and one period each. Every figure names its source, the
source's date and a confidence. Prices are US dollars before tax.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator

Confidence = Literal["price_list", "quoted", "unverified"]
HOURS_PER_MONTH = 730.0  # AWS's own price examples; a 31-day month has 744
STALE_AFTER_DAYS = 90

_DIRECTORY = Path(__file__).parents[1] / "data" / "prices"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Source(_Model):
    """A document that figures were read from, and the day it was read or published."""

    title: str
    date: date


class Tier(_Model):
    """Price of the part of a month's quantity up to `up_to` units (null: without end)."""

    up_to: float | None = None
    usd: Annotated[float, Field(ge=0)]


class Price(_Model):
    """Dollars for `per` units; either one price or rising `tiers` of a month's quantity."""

    usd: Annotated[float, Field(ge=0)] | None = None
    per: Annotated[float, Field(gt=0)] = 1
    unit: str
    tiers: tuple[Tier, ...] = ()
    usage_type: str | None = None
    source: str
    confidence: Confidence

    @model_validator(mode="after")
    def _one_form(self) -> Price:
        if (self.usd is None) == (not self.tiers):
            raise ValueError("a price has either usd or tiers, for example {usd: 0.715, per: 1000000, ...}")
        return self

    @property
    def unit_usd(self) -> float:
        """Dollars for one unit, in the first tier."""
        return (self.tiers[0].usd if self.usd is None else self.usd) / self.per

    def cost_usd(self, quantity: float) -> float:
        """Dollars for `quantity` units within one month."""
        if self.usd is not None:
            return quantity * self.usd / self.per
        total, below = 0.0, 0.0
        for tier in self.tiers:
            end = quantity if tier.up_to is None else min(quantity, tier.up_to)
            total += max(0.0, end - below) * tier.usd / self.per
            below = end
        return total


class FreeTier(_Model):
    """Quantity of a thing that costs nothing in each month; `first_months` limits it to new accounts."""

    quantity: Annotated[float, Field(gt=0)]
    unit: str
    period: Literal["month"]
    first_months: int | None = None
    note: str | None = None
    source: str
    confidence: Confidence


class PriceList(_Model):
    """Prices of one region in one period of time."""

    region: str
    vintage: str
    in_force_from: date | None
    in_force_until: date | None
    read_on: date
    sources: Mapping[str, Source]
    prices: Mapping[str, Price]
    free_tier: Mapping[str, FreeTier] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _sources_exist(self) -> PriceList:
        rows: list[tuple[str, Price | FreeTier]] = [*self.prices.items(), *self.free_tier.items()]
        unknown = sorted(f"{key}: {row.source}" for key, row in rows if row.source not in self.sources)
        if unknown:
            raise ValueError(f"rows name sources that the file does not list: {'; '.join(unknown)}")
        return self

    def price(self, key: str) -> Price:
        """The price called `key`; raises UnknownPrice when this list has none."""
        try:
            return self.prices[key]
        except KeyError:
            raise UnknownPrice(key, self) from None

    def unit_usd(self, key: str) -> float:
        """Dollars for one unit of `key`, in the first tier; raises UnknownPrice."""
        return self.price(key).unit_usd

    def cost_usd(self, key: str, quantity: float) -> float:
        """Dollars for `quantity` units of `key` within one month, free tier not applied; raises UnknownPrice."""
        return self.price(key).cost_usd(quantity)

    def free(self, key: str) -> float:
        """Units of `key` that are free each month without end; a new account's first-year tier is not counted."""
        tier = self.free_tier.get(key)
        return tier.quantity if tier is not None and tier.first_months is None else 0.0

    @cached_property
    def as_of(self) -> date:
        """The oldest date among the sources that prices were read from."""
        return min(self.sources[price.source].date for price in self.prices.values())

    def read_of(self, keys: Iterable[str]) -> date:
        """The oldest date among the sources of some prices; that of the whole list when there are none."""
        return min((self.sources[self.price(key).source].date for key in keys), default=self.as_of)

    def stale(self, today: date) -> dict[str, int]:
        """Price -> days since its source's date, for those more than 90 days old."""
        ages = {key: (today - self.sources[price.source].date).days for key, price in self.prices.items()}
        return {key: days for key, days in ages.items() if days > STALE_AFTER_DAYS}

    @property
    def unverified(self) -> tuple[str, ...]:
        """Prices that no document was seen for."""
        return tuple(key for key, price in self.prices.items() if price.confidence == "unverified")


class UnknownPrice(KeyError):
    """A price that a list does not have; the message names those it has in the same family."""

    def __init__(self, key: str, prices: PriceList) -> None:
        family = key.split(".", maxsplit=1)[0]
        known = ", ".join(sorted(name for name in prices.prices if name.startswith(family))) or "none"
        self.message = f"no price {key} in {prices.region} {prices.vintage}; it has in {family}: {known}"
        super().__init__(self.message)

    def __str__(self) -> str:
        return self.message


def vintages() -> tuple[tuple[str, str], ...]:
    """(region, vintage) of every price list that is shipped, oldest first within a region."""
    names = sorted(path.stem.rsplit("_", maxsplit=1) for path in _DIRECTORY.glob("*.yaml"))
    return tuple((region, vintage) for region, vintage in names)


@lru_cache
def load(region: str = "ap-northeast-1", vintage: str | None = None) -> PriceList:
    """The price list of a region; `vintage` is the month its prices came into force, None = the newest.

    Raises ValueError, with the lists that exist, for a region or vintage that is not shipped.
    """
    known = vintages()
    chosen = vintage or max((v for r, v in known if r == region), default=None)
    if (region, chosen) not in known:
        have = ", ".join(f"{r} {v}" for r, v in known)
        raise ValueError(f"no prices for {region} {vintage or ''}".rstrip() + f"; shipped are {have}")
    return read(_DIRECTORY / f"{region}_{chosen}.yaml")


def read(path: Path) -> PriceList:
    """A price list from a file. Raises ValueError for one that is no YAML, and pydantic's with every other fault."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        content = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
    except (yaml.YAMLError, RecursionError) as fault:
        raise ValueError(f"{path} is not YAML: {fault}") from None
    return PriceList.model_validate(content)
