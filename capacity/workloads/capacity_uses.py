"""Billed capacity of a stream of requests, by operation and cause: request units, or provisioned unit hours."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from capacity.pricing.cost import Use
from capacity.scenario import Scenario
from capacity.workloads.charge_rows import READ, TABLE, Charges
from capacity.workloads.stream import RequestStream

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


def within(requests: RequestStream, window_s: tuple[float, float] | None) -> Mask:
    """Which requests lie in a window of time (None = all); who arrives at its very start is not in it."""
    start_s, end_s = window_s or (-np.inf, np.inf)
    inside: Mask = (requests.time_s > start_s) & (requests.time_s < end_s)
    return inside


def provisioned_uses(scenario: Scenario, hours: float) -> list[Use]:
    """Capacity unit hours of a provisioned table and its indexes; none on demand."""
    billing = scenario.billing
    if billing.table is None:
        return []
    uses = []
    for name, given in ((TABLE, billing.table), *billing.indexes.items()):
        cause = "provisioned " + ("table" if name == TABLE else f"index {name}")
        uses.append(Use("dynamodb.provisioned.read_unit_hour", given.read_units * hours, "", f"{cause}, reads"))
        uses.append(Use("dynamodb.provisioned.write_unit_hour", given.write_units * hours, "", f"{cause}, writes"))
    return uses


def on_demand_uses(
    operations: Sequence[str], requests: RequestStream, charges: Charges, inside: Mask, admitted: Mask
) -> list[Use]:
    """Request units of an on-demand table, by operation, table or index, and cause."""
    rows = inside[charges.request] & admitted
    shape = (len(operations), len(charges.causes), len(charges.resources), 2)
    index = np.ravel_multi_index(
        (requests.operation[charges.request[rows]], charges.cause[rows], charges.resource[rows], charges.kind[rows]),
        shape,
    )
    sums = np.bincount(index, charges.units[rows], minlength=int(np.prod(shape))).reshape(shape)
    uses = []
    for operation, cause, resource, kind in zip(*np.nonzero(sums), strict=True):
        name = charges.resources[resource]
        where = charges.causes[cause] if name == TABLE else f"index {name}: {charges.causes[cause]}"
        price = "dynamodb.on_demand.read_unit" if kind == READ else "dynamodb.on_demand.write_unit"
        uses.append(Use(price, float(sums[operation, cause, resource, kind]), operations[operation], where))
    return uses
