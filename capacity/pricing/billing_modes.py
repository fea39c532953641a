"""A month of one demand, paid by request, provisioned, scaled automatically, or reserved; and where they break even.

The demand is that of lessons: a steady rate while they last, nothing otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from capacity.physics.autoscaling import Autoscaler, TargetTracking
from capacity.physics.parameters import DEFAULT
from capacity.pricing.prices import HOURS_PER_MONTH, PriceList
from capacity.pricing.school_calendar import SchoolCalendar

TARGET = 0.7
"""Share of the capacity that a provisioned table is planned to consume; auto scaling's default."""
RESERVED_STEP = 100.0
"""Reserved capacity is bought in hundreds of units; DynamoDB price list, 2026-01-14."""
_TERMS = {"one_year": 12.0, "three_year": 36.0}

Demand = Mapping[tuple[str, str], float]
"""(resource, "read" or "write") -> units per second during a lesson."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ModeCost(_Part):
    """Dollars of DynamoDB's throughput in a month of school."""

    mode: str
    usd_per_month: float
    note: str


class BreakEven(_Part):
    """Above this use, capacity that is paid by the hour costs less than requests."""

    mode: str
    kind: str
    utilisation: float
    """Mean consumption as a share of the capacity, around the clock."""
    lesson_hours_per_day: float | None
    """Hours of lessons a day at which a table planned for 70 % costs the same; None: never within 24 hours."""


class BillingModes(_Part):
    """The comparison, and the curve behind it: dollars a month by hours of lessons a day."""

    modes: list[ModeCost]
    """Cheapest first."""
    break_even: list[BreakEven]
    hours_per_day: list[float]
    curve: dict[str, list[float]]


def compare_modes(demand: Demand, calendar: SchoolCalendar, prices: PriceList) -> BillingModes:
    """Every mode for one demand. Free tiers are not applied; a table of its own account would have 25 units free.

    Auto scaling pays each hour at its highest setting, which is the careful side.
    """
    hours = calendar.hours_per_month
    on_demand = on_demand_usd(demand, calendar.lesson_hours_per_month, prices)
    scaled = scaled_usd(demand, calendar, prices)
    short = max((scaled_day(rate, calendar).short_minutes for rate in demand.values()), default=0)
    modes = [
        ModeCost(mode="on demand", usd_per_month=on_demand, note="paid by request"),
        ModeCost(
            mode="provisioned",
            usd_per_month=provisioned_usd(demand, prices, hours),
            note="planned for 70 % use in a lesson, around the clock",
        ),
        ModeCost(
            mode="auto scaling",
            usd_per_month=scaled,
            note=f"target 70 %, from 1 unit: too late in {short} minutes of a school day",
        ),
        *(
            ModeCost(
                mode=f"reserved, {term.replace('_', ' ')}",
                usd_per_month=reserved_usd(demand, term, prices, hours),
                note="bought in hundreds of units, advance payment spread over the term",
            )
            for term in _TERMS
            if f"dynamodb.reserved.{term}.write_upfront" in prices.prices
        ),
    ]
    day = [float(hour) for hour in range(25)]
    days = calendar.days_per_month
    curve = {"on demand": [on_demand_usd(demand, hour * days, prices) for hour in day]}
    for mode in modes[1:]:
        if mode.mode != "auto scaling":
            curve[mode.mode] = [mode.usd_per_month] * len(day)
    return BillingModes(
        modes=sorted(modes, key=lambda each: each.usd_per_month),
        break_even=_break_even(calendar, prices),
        hours_per_day=day,
        curve=curve,
    )


def on_demand_usd(demand: Demand, hours: float, prices: PriceList) -> float:
    """Requests of so many hours of lessons."""
    return sum(
        prices.cost_usd(f"dynamodb.on_demand.{kind}_unit", rate * hours * 3600) for (_, kind), rate in demand.items()
    )


def planned_units(rate_per_s: float) -> float:
    """Capacity at which a rate is the target's share, in whole units, at least one."""
    return max(1.0, math.ceil(rate_per_s / TARGET - 1e-9))


def provisioned_usd(demand: Demand, prices: PriceList, hours: float = HOURS_PER_MONTH) -> float:
    """The planned capacity for a month of so many hours."""
    return sum(
        prices.cost_usd(f"dynamodb.provisioned.{kind}_unit_hour", planned_units(rate) * hours)
        for (_, kind), rate in demand.items()
    )


def reserved_usd(demand: Demand, term: str, prices: PriceList, hours: float = HOURS_PER_MONTH) -> float:
    """The planned capacity, bought in hundreds, per month of the term; reads and writes of all resources together."""
    planned: dict[str, float] = {}
    for (_, kind), rate in demand.items():
        planned[kind] = planned.get(kind, 0.0) + planned_units(rate)
    total = 0.0
    for kind, units in planned.items():
        bought = math.ceil(units / RESERVED_STEP) * RESERVED_STEP
        total += bought * reserved_unit_usd(kind, term, prices, hours)
    return total


def reserved_unit_usd(kind: str, term: str, prices: PriceList, hours: float = HOURS_PER_MONTH) -> float:
    """Dollars of one reserved unit for a month of so many hours; the advance payment is the same in every month."""
    upfront = prices.unit_usd(f"dynamodb.reserved.{term}.{kind}_upfront") / _TERMS[term]
    return upfront + prices.unit_usd(f"dynamodb.reserved.{term}.{kind}_unit_hour") * hours


def break_even_utilisation(
    unit_month_usd: float, kind: str, prices: PriceList, hours: float = HOURS_PER_MONTH
) -> float:
    """Mean share of a unit's capacity at which requests cost what the unit costs."""
    full = prices.unit_usd(f"dynamodb.on_demand.{kind}_unit") * 3600 * hours
    return unit_month_usd / full


def _break_even(calendar: SchoolCalendar, prices: PriceList) -> list[BreakEven]:
    found, month_hours = [], calendar.hours_per_month
    for kind in ("write", "read"):
        units = {"provisioned": prices.unit_usd(f"dynamodb.provisioned.{kind}_unit_hour") * month_hours}
        for term in _TERMS:
            if f"dynamodb.reserved.{term}.{kind}_upfront" in prices.prices:
                units[f"reserved, {term.replace('_', ' ')}"] = reserved_unit_usd(kind, term, prices, month_hours)
        for mode, usd in units.items():
            share = break_even_utilisation(usd, kind, prices, month_hours)
            hours = share * month_hours / (TARGET * calendar.days_per_month)
            found.append(
                BreakEven(mode=mode, kind=kind, utilisation=share, lesson_hours_per_day=hours if hours <= 24 else None)
            )
    return found


@dataclass(frozen=True)
class ScaledDay:
    """What auto scaling did on a day of school: the setting in each minute, and what it could not serve."""

    units: list[float]
    short_minutes: int
    """Minutes in which some of the demand was refused: the setting was too low and the burst gone."""


def scaled_day(rate_per_s: float, calendar: SchoolCalendar, minimum_units: float = 1.0) -> ScaledDay:
    """A day of school, minute by minute, from a full burst at the minimum. Lessons begin every hour from nine o'clock.

    What is refused is not consumed, so from a low minimum the setting rises by 1 / 70 % in each step only.
    """
    highest = max(2 * minimum_units, 2 * planned_units(rate_per_s))
    scaler = Autoscaler(TargetTracking(minimum_units, highest, TARGET), minimum_units, 0.0)
    bank = DEFAULT.burst_s * minimum_units
    units, short = [], 0
    for minute in range(24 * 60):
        scaler.apply(minute * 60.0)
        capacity = scaler.capacity_units
        demand = rate_per_s * 60 * _lesson_share(minute, calendar)
        consumed = min(demand, capacity * 60 + bank)
        bank = min(DEFAULT.burst_s * capacity, bank + capacity * 60 - consumed)
        units.append(capacity)
        short += consumed < demand - 1e-9
        scaler.end_minute((minute + 1) * 60.0, consumed)
    return ScaledDay(units, short)


def scaled_usd(demand: Demand, calendar: SchoolCalendar, prices: PriceList) -> float:
    """Auto scaling on the days of school, and one unit on all others."""
    total = 0.0
    idle_days = calendar.hours_per_month / 24 - calendar.days_per_month
    for (_, kind), rate in demand.items():
        units = scaled_day(rate, calendar).units
        hours = [max(units[start : start + 60]) for start in range(0, len(units), 60)]
        unit_hours = sum(hours) * calendar.days_per_month + 24 * max(0.0, idle_days)
        total += prices.cost_usd(f"dynamodb.provisioned.{kind}_unit_hour", unit_hours)
    return total


def _lesson_share(minute: int, calendar: SchoolCalendar) -> float:
    """Share of this minute of the day that is lesson."""
    every = max(60.0, calendar.lesson_minutes)
    since = minute - 9 * 60
    number = since // every
    if since < 0 or number >= calendar.lessons_per_day:
        return 0.0
    return min(1.0, max(0.0, calendar.lesson_minutes - (since - number * every)))
