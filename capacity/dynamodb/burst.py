"""Burst capacity in closed form: the bank of unused units, how long it lasts, when the first request is throttled.

Up to 300 s of unused throughput are kept, per partition (deck of 2015-08-05, slides 44-45; guide, read 2026-11-30).
The deck's slide prints 1,200 x 300 as 3,600; it is 360,000. It is best effort: AWS may spend it on background work,
and it never lifts a partition's ceiling.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from capacity.dynamodb.quotas import limit


def bank_units(supply: float, idle_s: float = math.inf) -> float:
    """Units kept after `idle_s` seconds without traffic at a supply in units per second."""
    return supply * min(idle_s, limit("dynamodb.burst_s"))


def lasts_s(supply: float, demand: float, held_units: float | None = None) -> float:
    """Seconds of steady `demand` until the first throttle; infinite while demand fits the supply.

    `held_units`: in the bank at the start; None = full.
    """
    if demand <= supply:
        return math.inf
    return (bank_units(supply) if held_units is None else held_units) / (demand - supply)


def refill_s(supply: float, demand: float = 0.0) -> float:
    """Seconds of steady `demand` below the supply until an empty bank is full again; infinite where it never is."""
    return math.inf if demand >= supply else bank_units(supply) / (supply - demand)


def throttled_share(supply: float, demand: float) -> float:
    """Part of the demanded units refused once the bank is gone, 0 to 1."""
    return max(0.0, 1.0 - supply / demand) if demand > 0 else 0.0


def debt_s(supply: float, request_units: float, held_units: float) -> float:
    """Seconds for which one admitted request of `request_units` blocks everything after it.

    A request is admitted while anything is left and may take more than that (confidence middle: a 400 KB put was seen
    to pass on a fresh table of 5 write units, paritysuite PR 43, 2026-06-19).
    """
    return max(0.0, request_units - held_units) / supply


@dataclass(frozen=True)
class Burst:
    """A steady demand on a table or index with provisioned throughput, units per second.

    `partitions` share the supply evenly and `key_share` of the demand hits one key, the rest is even: the deck's
    world, in which nothing moves between partitions. `ceiling`: units per second that one partition can serve at all,
    3,000 read or 1,000 write.
    """

    supply: float
    demand: float
    ceiling: float
    partitions: int = 1
    key_share: float = 0.0
    idle_s: float = math.inf

    @property
    def hottest_supply(self) -> float:
        """Units per second of the hottest partition."""
        return self.supply / self.partitions

    @property
    def hottest_demand(self) -> float:
        """Units per second asked of it."""
        return self.demand * (self.key_share + (1 - self.key_share) / self.partitions)

    @property
    def bank_units(self) -> float:
        """Units kept by all partitions together."""
        return bank_units(self.supply, self.idle_s)

    @property
    def first_throttle_s(self) -> float:
        """Seconds until the first request is throttled: the hottest partition's bank is gone, or its ceiling is
        passed.
        """
        if self.hottest_demand > self.ceiling:
            return 0.0
        held_units = bank_units(self.hottest_supply, self.idle_s)
        return lasts_s(self.hottest_supply, self.hottest_demand, held_units)

    @property
    def throttled_share(self) -> float:
        """Part of the hottest partition's demand refused once its bank is gone."""
        return throttled_share(min(self.hottest_supply, self.ceiling), self.hottest_demand)

    @property
    def unused_share(self) -> float:
        """Part of the paid supply that can't be used meanwhile, because it belongs to colder partitions."""
        colder = self.demand - self.hottest_demand
        used = min(self.hottest_demand, self.hottest_supply) + min(colder, self.supply - self.hottest_supply)
        return 1 - used / self.supply

    @property
    def dangers(self) -> tuple[str, ...]:
        """What to be afraid of here, in sentences; empty while demand fits."""
        return tuple(_dangers(self))


def _dangers(burst: Burst) -> list[str]:
    dangers = []
    if burst.hottest_demand > burst.ceiling:
        dangers.append(
            f"One partition is asked for {burst.hottest_demand:,.0f} units/s and can serve {burst.ceiling:,.0f} at "
            "most, however much is provisioned or saved up."
        )
    if burst.first_throttle_s not in (0.0, math.inf):
        dangers.append(
            f"The burst bank hides the overload for {burst.first_throttle_s:,.0f} s; a shorter test looks fine. "
            f"Afterwards {burst.throttled_share:.0%} of what the hottest partition is asked for is refused."
        )
    if burst.demand <= burst.supply and burst.hottest_demand > burst.hottest_supply:
        dangers.append(
            f"The table's total fits, and still one of {burst.partitions} partitions is overloaded: "
            f"its share is {burst.hottest_supply:,.1f} units/s. "
            "Adaptive capacity moves throughput there today; in 2015 nothing did."
        )
    if burst.demand > burst.supply:
        dangers.append(
            "Demand is above the provisioned throughput; AWS may spend the bank on background work at any time."
        )
    return dangers
