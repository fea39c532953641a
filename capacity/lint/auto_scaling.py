"""Provisioned throughput that nothing adjusts: the burst bank alone stands between a busy hour and throttles."""

from __future__ import annotations

from collections.abc import Iterator

from capacity.dynamodb.burst import bank_units, lasts_s
from capacity.dynamodb.table import Throughput
from capacity.lint.finding import Finding
from capacity.lint.subject import Subject
from capacity.physics.parameters import KINDS
from capacity.pricing.prices import HOURS_PER_MONTH

NAME = "auto-scaling"
TITLE = "Provisioned without auto scaling"


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for a table, naming each of its throughputs that doesn't scale."""
    table, described = subject.table, subject.described
    if table.throughput is None or "auto scaling" not in described.knows:
        return
    settings: list[tuple[str | None, Throughput]] = [(None, table.throughput)]
    settings += [(index.name, index.throughput) for index in subject.global_indexes if index.throughput is not None]
    fixed = [
        (name, kind, throughput.read_units if kind == "read" else throughput.write_units)
        for name, throughput in settings
        for kind in KINDS
        if (name, kind) not in described.scaling
    ]
    if not fixed:
        return
    usd = sum(
        subject.prices.cost_usd(f"dynamodb.provisioned.{kind}_unit_hour", units * HOURS_PER_MONTH)
        for _, kind, units in fixed
    )
    name, _, units = fixed[0]
    shown = [f"{kind}s of {name or 'the table'} ({units:,.0f})" for name, kind, units in fixed]
    yield subject.finding(
        NAME,
        "warning",
        name,
        f"nothing scales {', '.join(shown)}: at twice its setting the first has {bank_units(units):,.0f} units saved, "
        f"which last {lasts_s(units, 2 * units):,.0f} s, then half is refused; idle, they cost {usd:,.2f} USD a month "
        f"all the same ({subject.prices.region}).",
        "Add a ScalableTarget and a target-tracking policy of 70 % to each, or bill on demand.",
        lasts_s_at_twice=lasts_s(units, 2 * units),
        fixed_throughputs=len(fixed),
        usd_per_month=usd,
    )
