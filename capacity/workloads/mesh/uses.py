"""Billed quantities of a stream of requests, by operation and cause."""

from __future__ import annotations

import numpy as np

from capacity.pricing.cost import Use
from capacity.scenario import Scenario
from capacity.workloads.mesh.charges import READ, TABLE, Charges
from capacity.workloads.mesh.realtime import Realtime
from capacity.workloads.mesh.requests import OPERATIONS, Outcome, Requests

LAMBDA_OPERATIONS = ("createDomain", "leaveGroup", "dissolveGroup", "recordEventsByNode")
LAMBDA_GB = 128 / 1024
LAMBDA_SECONDS = 0.05
"""Duration of one Lambda call as the deployed system's cost document counts it (2026-04)."""

Mask = np.ndarray[tuple[int], np.dtype[np.bool_]]


def uses_of(
    requests: Requests,
    charges: Charges,
    live: Realtime,
    admitted: Mask,
    *,
    on_demand: bool,
    window_s: tuple[float, float] | None = None,
) -> list[Use]:
    """What the requests of a window of time (None = all) are billed for, but for provisioned capacity and storage."""
    start_s, end_s = window_s or (-np.inf, np.inf)
    inside = (requests.time_s > start_s) & (requests.time_s < end_s)  # who arrives at its very start is not in it
    uses = _appsync(requests, live, inside, window_s) + _lambda(requests, inside)
    return uses + (_dynamodb(requests, charges, inside, admitted) if on_demand else [])


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


def _appsync(requests: Requests, live: Realtime, inside: Mask, window_s: tuple[float, float] | None) -> list[Use]:
    billed = inside & (requests.outcome != Outcome.INVALID)
    counts = np.bincount(requests.operation[billed], minlength=len(OPERATIONS))
    uses = [Use("appsync.operation", float(n), name, "request") for name, n in zip(OPERATIONS, counts, strict=True)]
    published = inside[live.request]
    messages = np.bincount(
        requests.operation[live.request[published]], live.metered_messages[published], minlength=len(OPERATIONS)
    )
    uses += [
        Use("appsync.realtime_message", float(n), name, "deliveries")
        for name, n in zip(OPERATIONS, messages, strict=True)
    ]
    if window_s is None:
        uses.append(Use("appsync.realtime_message", float(live.connections), "", "WebSocket connects"))
        uses.append(Use("appsync.connection_minute", live.connection_minutes, "", "open connections"))
    else:
        minutes = live.connections * (window_s[1] - window_s[0]) / 60.0
        uses.append(Use("appsync.connection_minute", minutes, "", "open connections"))
    return uses


def _lambda(requests: Requests, inside: Mask) -> list[Use]:
    uses = []
    for name in LAMBDA_OPERATIONS:
        calls = float((inside & (requests.operation == OPERATIONS.index(name))).sum())
        uses.append(Use("lambda.request", calls, name, "Lambda call"))
        uses.append(Use("lambda.x86_gb_second", calls * LAMBDA_GB * LAMBDA_SECONDS, name, "Lambda duration"))
    return uses


def _dynamodb(requests: Requests, charges: Charges, inside: Mask, admitted: Mask) -> list[Use]:
    rows = inside[charges.request] & admitted
    shape = (len(OPERATIONS), len(charges.causes), len(charges.resources), 2)
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
        uses.append(Use(price, float(sums[operation, cause, resource, kind]), OPERATIONS[operation], where))
    return uses
