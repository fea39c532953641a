"""How long does saved-up capacity carry a load that is larger than what is provisioned?"""

from __future__ import annotations

from capacity.forecasting.forecast import Forecast, ThroughputForecast
from capacity.physics.parameters import DEFAULT
from reports.charts import Line, Mark, timeline
from reports.document import Block, Cell, Chart, Charts, Section, Table, Text
from reports.numbers import count, duration, number
from reports.run import Run
from reports.wording import Wording

ROWS = 61
"""Of the numbers behind a chart, at most; the chart itself has them all."""
STAYS_FULL = 0.95
"""A bank that never falls below this share of what it can hold is not worth a chart."""


def section(run: Run, say: Wording) -> Section | None:
    """Burst left over time and the first throttle, as forecast; None without forecast.json."""
    forecast = run.forecast
    if forecast is None:
        return None
    banks = [
        (resource.name, kind, part)
        for resource in forecast.resources
        for kind, part in (("read", resource.read), ("write", resource.write))
        if part.burst_left_units is not None
    ]
    title = say("burst.title")
    if not banks:
        key = "burst.none_on_demand" if run.record.scenario.billing.is_on_demand else "burst.none"
        return Section("burst", title, say(key))
    spent = [bank for bank in banks if min(bank[2].burst_left_units or [0.0]) < STAYS_FULL * _full(bank[2])]
    # A partition's own limit throttles too, and no bank saves from it.
    throttled = [bank for bank in banks if bank[2].first_throttle_limit == "ProvisionedThroughput"]
    if throttled:
        name, kind, part = min(throttled, key=lambda bank: bank[2].first_throttle_s or 0.0)
        where = say("page.the_table") if name == "table" else name
        lead = say("burst.lead_gone", resource=where, kind=say(f"page.{kind}s"), at=duration(part.first_throttle_s))
    else:
        lead = say("burst.lead")
    blocks: list[Block] = [_table(banks, say)]
    if spent:
        blocks.append(Charts([_chart(run, forecast, *bank, say) for bank in spent]))
    blocks.append(Text(say("burst.method")))
    return Section("burst", title, lead, blocks)


def _name(resource: str, kind: str, say: Wording) -> str:
    where = say("page.table") if resource == "table" else resource
    return say("burst.of", resource=where, kind=say(f"page.{kind}s"))


def _full(part: ThroughputForecast) -> float:
    """Units that the bank of a new table or index holds."""
    return (part.provisioned_units_per_s or 0.0) * DEFAULT.burst_s


def _table(banks: list[tuple[str, str, ThroughputForecast]], say: Wording) -> Table:
    rows: list[list[Cell | str]] = []
    for name, kind, part in banks:
        left = part.burst_left_units or []
        rows.append(
            [
                _name(name, kind, say),
                number(part.provisioned_units_per_s),
                number(part.peak_units_per_s),
                number(_full(part)),
                number(min(left) if left else None),
                Cell(count(part.throttled), "bad" if part.throttled else ""),
                duration(part.first_throttle_s),
            ]
        )
    headings = [
        say(f"burst.{name}") for name in ("resource", "provisioned", "peak", "full", "least", "throttled", "first")
    ]
    return Table(headings, rows, numeric=range(1, 7))


def _chart(run: Run, forecast: Forecast, name: str, kind: str, part: ThroughputForecast, say: Wording) -> Chart:
    left = part.burst_left_units or []
    # A figure holds at the end of its step, of which the last may reach beyond the run; a bank starts full.
    ends_s = [0.0, *(min((n + 1) * forecast.burst_step_s, float(forecast.duration_s)) for n in range(len(left)))]
    left = [_full(part), *left]
    marks = [] if part.first_throttle_s is None else [Mark(part.first_throttle_s, say("burst.mark"))]
    alt = say("burst.alt", name=_name(name, kind, say), least=number(min(left)), last=number(left[-1]))
    svg = timeline(
        f"burst-{name}-{kind}",
        alt,
        [Line(ends_s, left, "c0", "area")],
        unit=say("burst.unit"),
        time_unit=say("page.time_unit"),
        end_s=run.length_s,
        window_s=run.window_s,
        marks=marks,
        height_px=180,
    )
    data = Table(
        [say("page.time"), say("burst.unit")],
        [[f"{at:g} s", number(value)] for at, value in list(zip(ends_s, left, strict=True))[:: -(-len(left) // ROWS)]],
        numeric=(0, 1),
    )
    return Chart(_name(name, kind, say), svg, alt, data)
