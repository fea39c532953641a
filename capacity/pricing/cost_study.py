"""What a scenario costs per lesson, hour, month and school year, and what the money goes to.

A lesson is the scenario's arrivals and farewells once, and its hold for the rest of the time. A group that outlives its
lifetime within a lesson has to be opened and joined again. Free tiers are shown, not applied: they are per account.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, ConfigDict

from capacity.forecasting.forecast import Forecast, forecast
from capacity.pricing.billing_modes import BillingModes, Demand, compare_modes
from capacity.pricing.cost import CostLine, Use, breakdown, cost_lines, total_usd
from capacity.pricing.prices import HOURS_PER_MONTH, PriceList, load
from capacity.pricing.school_calendar import SchoolCalendar
from capacity.scenario import Scenario
from capacity.workloads.mesh.stored import stored

LOG_BYTES_PER_REQUEST = 2_000.0
"""Log of one AppSync request at level ALL: an assumption, for no published figure was found."""
ANSWER_BYTES = 600.0
"""An answer with its HTTP head, as the sandbox sends it; it leaves AWS, as each delivery does."""
DELIVERY_BYTES = 500.0
"""One delivered report or small batch with its frame, as the sandbox sends it."""
GB = 1e9
STORAGE = "dynamodb.storage.standard_gb_month"
MONTHS_PER_YEAR = 12


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Share(_Part):
    """One part of a month's cost."""

    name: str
    usd_per_month: float
    share: float


class FreeTierUse(_Part):
    """How much of a month's quantity an account's free tier would take, and what that is worth."""

    price: str
    quantity: float
    free: float
    usd_saved: float


class CostStudy(_Part):
    """`meshcap cost`; US dollars at list prices, and yen at the given rate."""

    schema_version: Literal[1] = 1
    scenario_digest: str
    region: str
    prices_in_force_from: str | None
    prices_as_of: str
    unverified: list[str]
    calendar: SchoolCalendar
    run_usd: float
    lesson_usd: float
    lesson_hour_usd: float
    """An hour of lessons of the whole population."""
    group_hour_usd: float
    node_hour_usd: float
    month_usd: float
    school_year_usd: float
    yen_per_usd: float | None
    by_service: list[Share]
    by_operation: list[Share]
    by_cause: list[Share]
    logging_usd_per_month: float
    """What request logs of AppSync would add; not in the sums above."""
    transfer_usd_per_month: float
    """What answers and deliveries cost on their way out; not in the sums above."""
    free_tier: list[FreeTierUse]
    modes: BillingModes | None
    """On demand beside the other modes; None for a list of prices without both."""
    lines: list[CostLine]
    """A month, dearest first."""

    def yen(self, usd: float) -> float | None:
        """Dollars in yen; None without a rate."""
        return None if self.yen_per_usd is None else usd * self.yen_per_usd


def cost_study(
    scenario: Scenario,
    calendar: SchoolCalendar | None = None,
    *,
    prices: PriceList | None = None,
    yen_per_usd: float | None = None,
) -> CostStudy:
    """Cost of a scenario's population over a calendar. Raises ValueError for a rate of yen that is not positive."""
    if yen_per_usd is not None and not yen_per_usd > 0:
        raise ValueError(f"yen_per_usd is {yen_per_usd:g}; it must be positive, for example 150")
    calendar, prices = calendar or SchoolCalendar(), prices or load(scenario.region)
    found = forecast(scenario, prices=prices)
    lines = _month(scenario, found, calendar, prices)
    month = total_usd(lines)
    hours = calendar.lesson_hours_per_month
    population = scenario.population
    return CostStudy(
        scenario_digest=scenario.digest(),
        region=prices.region,
        prices_in_force_from=None if prices.in_force_from is None else prices.in_force_from.isoformat(),
        prices_as_of=found.cost.prices_as_of,
        unverified=found.cost.unverified,
        calendar=calendar,
        run_usd=found.cost.run_usd,
        lesson_usd=month / calendar.lessons_per_month,
        lesson_hour_usd=month / hours,
        group_hour_usd=month / hours / population.groups,
        node_hour_usd=month / hours / population.nodes,
        month_usd=month,
        school_year_usd=_school_year(_month(scenario, found, _ordinary(calendar), prices), calendar),
        yen_per_usd=yen_per_usd,
        by_service=_shares(lines, "service"),
        by_operation=_shares(lines, "operation"),
        by_cause=_shares(lines, "cause"),
        logging_usd_per_month=_logging(lines, prices),
        transfer_usd_per_month=_transfer(lines, prices),
        free_tier=_free_tier(lines, prices),
        modes=_modes(found, calendar, prices),
        lines=lines,
    )


def _ordinary(calendar: SchoolCalendar) -> SchoolCalendar:
    """The same calendar in months of 730 hours, the mean of a year's twelve."""
    return calendar.model_copy(update={"month": None})


def _school_year(month: list[CostLine], calendar: SchoolCalendar) -> float:
    """Lessons are held in the months of school; capacity that is paid by the hour is paid in the holidays too."""
    hourly = total_usd(line for line in month if _is_hourly(line))
    return hourly * MONTHS_PER_YEAR + (total_usd(month) - hourly) * calendar.months_per_year


def _is_hourly(line: CostLine) -> bool:
    return line.price.startswith("dynamodb.provisioned")


def _month(scenario: Scenario, found: Forecast, calendar: SchoolCalendar, prices: PriceList) -> list[CostLine]:
    """A month of lessons. Capacity that is paid by the hour runs on between them."""
    schedule = scenario.schedule
    lives = max(1, math.ceil(calendar.lesson_s / scenario.settings.max_connection_time_s - 1e-9))
    hold = {_key(line): line for line in found.cost.month}
    lines = []
    for key in dict.fromkeys([*hold, *map(_key, found.cost.run)]):
        run = next((line for line in found.cost.run if _key(line) == key), None)
        line = run or hold[key]
        if _is_hourly(line):
            lines.append(_resized(hold[key], hold[key].quantity * calendar.hours_per_month / HOURS_PER_MONTH))
            continue
        per_s = hold[key].quantity / (HOURS_PER_MONTH * 3600) if key in hold else 0.0
        arriving = max(0.0, (run.quantity if run else 0.0) - per_s * schedule.measuring_s)
        quantity = (arriving * lives + per_s * calendar.lesson_s) * calendar.lessons_per_month
        lines.append(_resized(line, quantity))
    return sorted(lines + _storage(scenario, calendar, prices), key=lambda line: -line.usd)


def _resized(line: CostLine, quantity: float) -> CostLine:
    return line.model_copy(update={"quantity": quantity, "usd": line.usd / line.quantity * quantity})


def _storage(scenario: Scenario, calendar: SchoolCalendar, prices: PriceList) -> list[CostLine]:
    """A GB that is held for the whole month, however long, is one GB-month; rows stand in lessons alone."""
    if STORAGE not in prices.prices:
        return []
    lesson_s, month_s = calendar.lesson_hours_per_month * 3600, calendar.hours_per_month * 3600
    held_gb = stored(scenario).mean_bytes(lesson_s, month_s) / GB
    return cost_lines([Use(STORAGE, held_gb, "", "storage")], prices)


def _key(line: CostLine) -> tuple[str, str, str]:
    return line.price, line.operation, line.cause


def _shares(lines: Iterable[CostLine], field: str) -> list[Share]:
    lines = list(lines)
    total = total_usd(lines)
    sums = breakdown(lines, lambda line: getattr(line, field) or "all")
    return [Share(name=name, usd_per_month=usd, share=usd / total if total else 0.0) for name, usd in sums.items()]


def _quantity(lines: Iterable[CostLine], price: str) -> float:
    return sum(line.quantity for line in lines if line.price == price)


def _logging(lines: list[CostLine], prices: PriceList) -> float:
    key = "cloudwatch.logs_ingested_gb"
    logged_gb = _quantity(lines, "appsync.operation") * LOG_BYTES_PER_REQUEST / GB
    return prices.cost_usd(key, logged_gb) if key in prices.prices else 0.0


def _transfer(lines: list[CostLine], prices: PriceList) -> float:
    key = "transfer.internet_out_gb"
    sent = _quantity(lines, "appsync.operation") * ANSWER_BYTES
    sent += _quantity(lines, "appsync.realtime_message") * DELIVERY_BYTES
    return prices.cost_usd(key, sent / GB) if key in prices.prices else 0.0


def _free_tier(lines: list[CostLine], prices: PriceList) -> list[FreeTierUse]:
    found = []
    for key in dict.fromkeys(line.price for line in lines):
        free, quantity = prices.free(key), _quantity(lines, key)
        if free and quantity:
            taken = min(free, quantity)
            found.append(FreeTierUse(price=key, quantity=quantity, free=free, usd_saved=taken * prices.unit_usd(key)))
    return found


def _modes(found: Forecast, calendar: SchoolCalendar, prices: PriceList) -> BillingModes | None:
    needed = ("dynamodb.on_demand.write_unit", "dynamodb.provisioned.write_unit_hour")
    if any(key not in prices.prices for key in needed):
        return None
    return compare_modes(demand_of(found), calendar, prices)


def demand_of(found: Forecast) -> Demand:
    """Mean units per second of the hold, by resource and kind."""
    return {
        (resource.name, kind): getattr(resource, kind).hold_units_per_s or 0.0
        for resource in found.resources
        for kind in ("read", "write")
    }


def infracost_usage(study: CostStudy, table: str = "aws_dynamodb_table.mesh_v2") -> str:
    """An infracost usage file of the month, for people who review infrastructure as code.

    Format 0.1 and keys by infracost's usage schema (2026-08): units, requests and stored GB are whole numbers there.
    AppSync has no usage keys and is left out.
    """
    reads = _quantity(study.lines, "dynamodb.on_demand.read_unit")
    writes = _quantity(study.lines, "dynamodb.on_demand.write_unit")
    calls = _quantity(study.lines, "lambda.request")
    logs = _quantity(study.lines, "appsync.operation") * LOG_BYTES_PER_REQUEST / GB
    return "\n".join(
        [
            f"# A month of {study.calendar.lessons_per_month:g} lessons of {study.calendar.lesson_minutes:g} minutes",
            "version: 0.1",
            "resource_usage:",
            f"  {table}:",
            f"    monthly_read_request_units: {round(reads)}",
            f"    monthly_write_request_units: {round(writes)}",
            f"    storage_gb: {max(1, math.ceil(_quantity(study.lines, STORAGE)))}",
            "  aws_lambda_function.mesh_v2:",
            f"    monthly_requests: {round(calls)}",
            "    request_duration_ms: 50",
            "  aws_cloudwatch_log_group.mesh_v2:",
            f"    monthly_data_ingested_gb: {logs:.3f}",
            "",
        ]
    )
