"""A published cost estimate redone: with its own assumptions, and with what the system really does and costs.

The estimate is that of one 35-minute session of a host and five members (capacity/data/published_session.yaml). The
second part charges the same session request by request with the model, step by step: the calls that were left out, the
units as DynamoDB counts them, today's prices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import yaml

from capacity.pricing.cost import CostLine, cost_lines
from capacity.pricing.prices import PriceList
from capacity.workloads.mesh.charges import Charges, charge
from capacity.workloads.mesh.deployed import LAYOUT
from capacity.workloads.mesh.plan import LENGTHS
from capacity.workloads.mesh.realtime import realtime
from capacity.workloads.mesh.requests import CODE, Outcome, Requests
from capacity.workloads.mesh.tables import TABLES
from capacity.workloads.mesh.uses import uses_of

Variant = Literal["websocket", "polling"]
_FILE = Path(__file__).parents[1] / "data" / "published_session.yaml"
_MICRO = Decimal("0.000001")


@dataclass(frozen=True)
class PublishedLine:
    """One line of the estimate: dollars as it prints them and as they follow from its own unit prices."""

    line: str
    count: int
    unit_usd: Decimal
    printed: Decimal | None
    exact: Decimal
    """count times the unit price that follows from the document's assumptions."""

    @property
    def follows(self) -> bool:
        """Whether the printed figure is the exact one, rounded to a millionth of a dollar."""
        return self.printed is None or self.exact.quantize(_MICRO, ROUND_HALF_UP) == self.printed


@lru_cache
def document() -> dict[str, Any]:
    """The estimate's figures."""
    found: dict[str, Any] = yaml.safe_load(_FILE.read_text(encoding="utf-8"))
    return found


def unit_price(name: str) -> Decimal:
    """Price of one call, or of one unit, as it follows from the document's unit prices."""
    figures = document()
    if name in figures["unit_usd"]:
        return Decimal(figures["unit_usd"][name])
    made_of = figures["calls"][name]["made_of"]
    return sum((Decimal(count) * Decimal(figures["unit_usd"][unit]) for unit, count in made_of.items()), Decimal(0))


def printed_price(name: str) -> Decimal:
    """Price of one call, or of one unit, as the document prints it."""
    figures = document()
    return Decimal(figures["unit_usd"][name] if name in figures["unit_usd"] else figures["calls"][name]["printed"])


def published_lines(variant: str) -> list[PublishedLine]:
    """The lines of "websocket", "polling" or "two_queries"."""
    return [
        PublishedLine(
            line=row["line"],
            count=row["count"],
            unit_usd=unit_price(row["price"]),
            printed=Decimal(row["printed"]) if "printed" in row else None,
            exact=row["count"] * unit_price(row["price"]),
        )
        for row in document()[variant]["lines"]
    ]


def total_as_printed(variant: str) -> Decimal:
    """The lines' sum with unit prices as the document prints them, to a millionth."""
    total = sum((row["count"] * printed_price(row["price"]) for row in document()[variant]["lines"]), Decimal(0))
    return total.quantize(_MICRO, ROUND_HALF_UP)


# -- the same session, request by request


def session(variant: Variant) -> Requests:
    """Every request of the session by the clients' rules: what the estimate counts, and what it leaves out."""
    figures = document()["session"]
    end_s, members = figures["minutes"] * 60.0, figures["members"]
    nodes = range(members + 1)
    rows: list[tuple[float, int, str, int]] = []  # time, node, operation, items

    def every(node: int, operation: str, period_s: float, until_s: float, items: int = 0, first_s: float = 1.0) -> None:
        rows.extend((first_s + t, node, operation, items) for t in np.arange(0.0, until_s - first_s, period_s).tolist())

    for node in nodes:
        rows.append((0.01 * node, node, "createDomain", 0))
        if node == 0:
            rows.append((0.01, node, "createGroup", 0))
            continue
        rows += [(0.1 + 0.01 * node, node, name, 0) for name in ("listGroupsByDomain", "joinGroup")]
        rows.append((0.2 + 0.01 * node, node, "listGroupStatuses", 0))
        every(node, "sendMemberHeartbeat", 120, 2041)
    every(0, "renewHeartbeat", 60, end_s)
    for node in range(figures["reporting_nodes"]):
        every(node, "reportDataByNode", 1 / figures["reports_per_s"], 1 + figures["reporting_minutes"] * 60, 2)
    batches, per_batch = figures["event_batches"], figures["events_per_batch"]
    fired = "fireEventsByNode" if variant == "websocket" else "recordEventsByNode"
    rows += [(2.5 + 12.0 * n, n % (members + 1), fired, per_batch) for n in range(batches)]
    for node in nodes:
        if variant == "websocket":
            every(node, "listGroupStatuses", 15, end_s, first_s=3.0 + node)
        else:
            every(node, "pollGroupData", 2, end_s, first_s=1.1 + 0.3 * node)
    rows.append((end_s, 0, "dissolveGroup", 0))
    rows.sort(key=lambda row: row[0])
    time_s, node_of, names, items_of = (np.array(column) for column in zip(*rows, strict=True))
    zero = np.zeros(len(rows), np.int64)
    return Requests(
        start_s=0.0,
        time_s=time_s.astype(np.float64),
        due_s=time_s.astype(np.float64),
        operation=np.array([CODE[name] for name in names]),
        domain=zero,
        group=zero,
        node=node_of.astype(np.int64),
        items=items_of.astype(np.int64),
        outcome=np.full(len(rows), int(Outcome.DONE)),
        group_domain=np.zeros(1, np.int64),
        group_host=np.zeros(1, np.int64),
        bytes_of=_BYTES,
    )


_BYTES: Mapping[str, float] = {
    **LENGTHS, "domain": 12.0, "group": 36.0, "group_name": 12.0, "node": 36.0, "variables": 2.0, "value": 16.0,
    "payload": 32.0,
}  # fmt: skip
"""An address, UUIDs and short values; no figure here depends on them, for every item stays below 1 KB."""


@dataclass(frozen=True)
class RealSession:
    """The session as the model sees it."""

    requests: Requests
    charges: Charges
    lines: list[CostLine]

    @property
    def usd(self) -> float:
        """Dollars of the session."""
        return sum(line.usd for line in self.lines)

    def calls(self, operation: str) -> int:
        """How often an operation is called."""
        return int((self.requests.operation == CODE[operation]).sum())

    def usd_of(self, operation: str, price: str = "") -> float:
        """Dollars of one operation, or of what of it is paid under prices beginning with `price`."""
        return sum(line.usd for line in self.lines if line.operation == operation and line.price.startswith(price))


def real_session(variant: Variant, prices: PriceList) -> RealSession:
    """The session charged by the rules, at the given prices."""
    requests = session(variant)
    charges = charge(requests, LAYOUT, TABLES["deployed"])
    live = realtime(requests, np.array([variant == "websocket"]))
    uses = uses_of(requests, charges, live, np.ones(len(charges.units), bool), on_demand=True)
    return RealSession(requests, charges, cost_lines([use for use in uses if use.quantity], prices))


@dataclass(frozen=True)
class Step:
    """One correction of the estimate and what it changes, in dollars of the session."""

    what: str
    usd: float


def corrections(variant: Variant, old: PriceList, new: PriceList) -> list[Step]:
    """From the printed total to the real one, one assumption after the other.

    `old` holds the prices the estimate uses, `new` those to end with.
    """
    published = float(total_as_printed(variant))
    exact = float(sum(line.exact for line in published_lines(variant)))
    real = real_session(variant, old)
    counted = {row.line: row for row in published_lines(variant)}
    left_out = sum(
        _estimate_of(name, real.calls(name) - counted[name].count if name in counted else real.calls(name))
        for name in dict.fromkeys(line.operation for line in real.lines if line.operation)
    )
    deliveries = sum(line.usd for line in real.lines if line.price == "appsync.realtime_message")
    delivered = sum(float(row.exact) for name, row in counted.items() if name.startswith("deliveries"))
    indexes = sum(line.usd for line in real.lines if line.cause.startswith("index "))
    reads = sum(line.usd for line in real.lines if line.price == "dynamodb.on_demand.read_unit")
    estimated_reads = _estimated_reads(real)
    newest = real_session(variant, new).usd
    steps = [
        Step("as printed", published),
        Step("a poll costs $0.000007705 by its own parts, not $0.0000077", exact - published),
        Step("calls that it leaves out, at its own prices", left_out),
        Step(
            "deliveries reach all six nodes, the sender included, and connecting is a message", deliveries - delivered
        ),
        Step("reads are eventual: half a unit per 4 KB of all rows together, not one per row", reads - estimated_reads),
        Step("index writes", indexes),
    ]
    so_far = sum(step.usd for step in steps)
    steps.append(Step("the rest: deletes as they are made, Lambda durations", real.usd - so_far))
    steps.append(Step("prices since November 2024", newest - real.usd))
    return steps


def _estimate_of(name: str, calls: int) -> float:
    """Dollars that the document's own price per call gives to calls it does not count; a listing is one read there."""
    if name == "listGroupsByDomain":
        return calls * float(unit_price("operation") + unit_price("read"))
    return calls * float(unit_price(name))


def _estimated_reads(real: RealSession) -> float:
    """Dollars of reads in the estimate once every call is counted."""
    made_of = {name: row["made_of"].get("read", 0) for name, row in document()["calls"].items()}
    made_of["listGroupsByDomain"] = 1
    units = sum(real.calls(name) * int(reads) for name, reads in made_of.items())
    return float(units * unit_price("read"))
