"""Billed quantities of a stream of requests, by operation and cause."""

from __future__ import annotations

import numpy as np

from capacity.pricing.cost import Use
from capacity.workloads.capacity_uses import Mask, on_demand_uses, within
from capacity.workloads.charge_rows import Charges
from capacity.workloads.mesh.realtime import Realtime
from capacity.workloads.mesh.requests import OPERATIONS, Outcome, Requests

LAMBDA_OPERATIONS = ("createDomain", "leaveGroup", "dissolveGroup", "recordEventsByNode")
LAMBDA_GB = 128 / 1024
LAMBDA_SECONDS = 0.05
"""Duration of one Lambda call as the deployed system's cost document counts it (2026-04)."""


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
    uses = service_uses(requests, live, window_s)
    if on_demand:
        uses += on_demand_uses(OPERATIONS, requests, charges, within(requests, window_s), admitted)
    return uses


def service_uses(requests: Requests, live: Realtime, window_s: tuple[float, float] | None = None) -> list[Use]:
    """What AppSync and Lambda bill for the requests of a window of time (None = all)."""
    inside = within(requests, window_s)
    return _appsync(requests, live, inside, window_s) + _lambda(requests, inside)


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
