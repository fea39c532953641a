"""The forecast of a workload of one's own: units, limits and cost at steady rates, in closed form."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from capacity.dynamodb.table import Table
from capacity.physics.parameters import DEFAULT
from capacity.pricing.cost import CostLine, Use, cost_lines, total_usd
from capacity.pricing.prices import HOURS_PER_MONTH, PriceList, load
from capacity.workloads.own import Workload, consumed_by

TABLE = "table"
KINDS = ("read", "write")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ActionUnits(_Part):
    """Units of one action: by resource ("table" or a GSI), [read, write]."""

    name: str
    per_s: float
    units: dict[str, tuple[float, float]]


class OwnLimit(_Part):
    """One limit and how much of it the workload uses."""

    name: str
    resource: str
    kind: str
    limit: float
    use: float
    share: float
    grows: float
    """Factor by which every rate may grow until this limit is met."""
    effect: str


class OwnForecast(_Part):
    """`meshcap plan --workload`."""

    schema_version: Literal[1] = 1
    table: str
    actions: list[ActionUnits]
    units_per_s: dict[str, tuple[float, float]]
    limits: list[OwnLimit]
    """The most used first."""
    monthly_usd: float
    month: list[CostLine]
    findings: list[str]

    @property
    def first_limit(self) -> OwnLimit:
        """The limit that is met first when every rate grows alike."""
        return self.limits[0]


def forecast_own(workload: Workload, region: str = "ap-northeast-1", prices: PriceList | None = None) -> OwnForecast:
    """What a workload consumes, meets first, and costs in a month of 730 hours."""
    prices, table = prices or load(region), workload.table
    actions, uses = [], []
    for action in workload.actions:
        consumed = consumed_by(action, table).by_throughput(table)
        units = {name or TABLE: (each.read, each.write) for name, each in consumed.items()}
        actions.append(ActionUnits(name=action.name, per_s=action.per_s, units=units))
        seconds = HOURS_PER_MONTH * 3600
        if table.throughput is None:
            uses += [
                Use(f"dynamodb.on_demand.{kind}_unit", pair[n] * action.per_s * seconds, action.name, name)
                for name, pair in units.items()
                for n, kind in enumerate(KINDS)
                if pair[n]
            ]
    uses += _provisioned(table)
    month = cost_lines([use for use in uses if use.quantity], prices)
    sums = _sums(actions)
    return OwnForecast(
        table=table.name,
        actions=actions,
        units_per_s=sums,
        limits=sorted(_limits(workload, actions, sums), key=lambda each: -each.share),
        monthly_usd=total_usd(month),
        month=month,
        findings=_findings(workload, actions),
    )


def _sums(actions: list[ActionUnits]) -> dict[str, tuple[float, float]]:
    sums: dict[str, tuple[float, float]] = {}
    for action in actions:
        for name, (read, write) in action.units.items():
            so_far = sums.get(name, (0.0, 0.0))
            sums[name] = (so_far[0] + read * action.per_s, so_far[1] + write * action.per_s)
    return sums


def _limits(workload: Workload, actions: list[ActionUnits], sums: dict[str, tuple[float, float]]) -> list[OwnLimit]:
    table, found = workload.table, []
    for name, pair in sums.items():
        throughput = table.throughput if name == TABLE else table.index(name).throughput
        partition = table.key.partition if name == TABLE else table.index(name).key.partition
        spread = workload.spread(partition)
        for n, kind in enumerate(KINDS):
            if not pair[n]:
                continue
            effect = (
                "its writes are refused, and the table's with them" if name != TABLE and n else "requests are refused"
            )
            ceiling = DEFAULT.ceiling_read_units if n == 0 else DEFAULT.ceiling_write_units
            if spread.busiest_share:
                what = f"one value of {partition} ({spread.text})"
                found.append(_limit(what, name, kind, ceiling, pair[n] * spread.busiest_share, effect))
            if throughput is not None:
                set_to = throughput.read_units if n == 0 else throughput.write_units
                found.append(_limit("provisioned throughput", name, kind, set_to, pair[n], effect))
                continue
            start = DEFAULT.on_demand_start("read" if n == 0 else "write")
            quota = DEFAULT.quota("read" if n == 0 else "write")
            found.append(_limit("throughput of a new on-demand table", name, kind, start, pair[n], effect))
            found.append(_limit("on-demand quota of one table", name, kind, quota, pair[n], effect))
    return found


def _limit(name: str, resource: str, kind: str, limit: float, use: float, effect: str) -> OwnLimit:
    return OwnLimit(
        name=name,
        resource=resource,
        kind=kind,
        limit=limit,
        use=use,
        share=use / limit,
        grows=limit / use,
        effect=effect,
    )


def _provisioned(table: Table) -> list[Use]:
    uses = []
    for name, throughput in ((TABLE, table.throughput), *((i.name, i.throughput) for i in table.indexes)):
        if throughput is not None:
            for kind, units in (("read", throughput.read_units), ("write", throughput.write_units)):
                uses.append(Use(f"dynamodb.provisioned.{kind}_unit_hour", units * HOURS_PER_MONTH, "", name))
    return uses


def _findings(workload: Workload, actions: list[ActionUnits]) -> list[str]:
    """What the model sees in the design, each with a number of its own."""
    table, found = workload.table, []
    read = {call.index for action in workload.actions for call in action.calls}
    writes = sum(a.units.get(TABLE, (0.0, 0.0))[1] * a.per_s for a in actions)
    for index in table.indexes:
        share = workload.spread(index.key.partition).busiest_share
        per_write = sum(a.units.get(index.name, (0.0, 0.0))[1] * a.per_s for a in actions)
        if index.kind == "GSI" and share > 0.1 and per_write:
            at = DEFAULT.ceiling_write_units / (per_write * share)
            found.append(
                f"index {index.name}: one value of {index.key.partition} takes {share:.0%} of its writes, so it "
                f"throttles at {at:,.3g} times these rates, and the table with it; spread the key over several values"
            )
        if index.name not in read and per_write:
            found.append(
                f"index {index.name}: no action reads it, and it takes {per_write / (writes + per_write):.0%} of the "
                "write units; drop it"
            )
    return found
