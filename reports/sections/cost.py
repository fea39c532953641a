"""What does the load cost, by service and by operation, and on which prices does that rest?"""

from __future__ import annotations

from datetime import date

from capacity.forecasting.forecast import CostForecast
from capacity.pricing.cost import CostLine, breakdown
from capacity.pricing.prices import STALE_AFTER_DAYS
from reports.charts import Bar, bars
from reports.document import Block, Cell, Chart, Charts, Figure, Key, Section, Table, Text
from reports.numbers import count, number, percent, usd
from reports.run import Run
from reports.wording import Wording

SHOWN_OPERATIONS = 10
SHOWN_LINES = 15
ROLES = {"DynamoDB": "c0", "AppSync": "c1", "Lambda": "c2", "CloudWatch": "c3"}


def section(run: Run, say: Wording) -> Section | None:
    """Cost of the run and of a month at the rate of its hold, as forecast; None without forecast.json."""
    if run.forecast is None:
        return None
    cost = run.forecast.cost
    lead = say(
        "cost.lead", run=usd(cost.run_usd), month=usd(cost.monthly_usd), region=cost.region, date=cost.prices_as_of
    )
    charts = Charts([_by_operation(cost, say), _by_service(cost, say)], _legend(cost))
    blocks: list[Block] = [charts, _lines(cost, say)]
    old = old_prices(run, say)
    if old is not None:
        blocks.append(Text(old, "warn"))
    if cost.unverified:
        blocks.append(Text(say("cost.unverified", prices=", ".join(cost.unverified)), "warn"))
    blocks.append(Text(say("cost.method")))
    return Section("cost", say("cost.title"), lead, blocks)


def old_prices(run: Run, say: Wording) -> str | None:
    """Say that the run's prices were more than 90 days old when it began; None when they were not, or are unknown."""
    if run.forecast is None:
        return None
    age = (run.start.date() - date.fromisoformat(run.forecast.cost.prices_as_of)).days
    return say("cost.stale", days=count(age), limit=STALE_AFTER_DAYS) if age > STALE_AFTER_DAYS else None


def figure(run: Run, say: Wording) -> Figure | None:
    """Give the cost its place on the first screen."""
    if run.forecast is None:
        return None
    cost = run.forecast.cost
    note = say("cost.figure", month=usd(cost.monthly_usd), date=cost.prices_as_of, region=cost.region)
    return Figure(say("cost.of_run"), usd(cost.run_usd), note)


def _services(cost: CostForecast) -> list[str]:
    return list(breakdown(cost.month, lambda line: line.service))


def _legend(cost: CostForecast) -> list[Key]:
    return [Key(ROLES.get(service, "c6"), service, "cell") for service in _services(cost)]


def _segments(lines: list[CostLine], services: list[str]) -> list[tuple[str, float]]:
    sums = breakdown(lines, lambda line: line.service)
    return [(ROLES.get(service, "c6"), sums.get(service, 0.0)) for service in services]


def _by_operation(cost: CostForecast, say: Wording) -> Chart:
    services = _services(cost)
    totals = breakdown(cost.month, lambda line: line.operation)
    names = list(totals)[:SHOWN_OPERATIONS]
    rows = [
        Bar(
            name or say("cost.no_operation"),
            _segments([line for line in cost.month if line.operation == name], services),
            usd(totals[name]),
        )
        for name in names
    ]
    alt = say("cost.operations_alt", costs="; ".join(f"{row.label} {row.text}" for row in rows))
    return Chart(say("cost.by_operation"), bars("cost-operations", alt, rows), alt)


def _by_service(cost: CostForecast, say: Wording) -> Chart:
    totals = breakdown(cost.month, lambda line: line.service)
    whole = sum(totals.values())
    rows = [
        Bar(name, [(ROLES.get(name, "c6"), amount)], f"{usd(amount)}, {percent(amount / whole if whole else None)}")
        for name, amount in totals.items()
    ]
    alt = say("cost.services_alt", costs="; ".join(f"{row.label} {row.text}" for row in rows))
    return Chart(say("cost.by_service"), bars("cost-services", alt, rows, label_px=90, text_px=130), alt)


def _lines(cost: CostForecast, say: Wording) -> Table:
    month = {(line.operation, line.cause, line.price): line for line in cost.month}
    run = {(line.operation, line.cause, line.price): line for line in cost.run}
    keys = list(dict.fromkeys([*month, *run]))
    rows: list[list[Cell | str]] = []
    for key in keys[:SHOWN_LINES]:
        line = month.get(key) or run[key]
        rows.append(
            [
                line.service,
                line.operation or "–",
                say.phrase(line.cause),
                number(run[key].quantity) if key in run else "–",
                say.phrase(line.unit),
                usd(run[key].usd) if key in run else "–",
                usd(month[key].usd) if key in month else "–",
            ]
        )
    caption = say("cost.lines", shown=len(rows), all=len(keys))
    headings = [say(f"cost.{name}") for name in ("service", "operation", "cause", "quantity", "unit", "run", "month")]
    return Table(headings, rows, caption, numeric=(3, 5, 6))
