"""forecast.json of the generated run: what a model could have said about it, written by hand."""

from __future__ import annotations

from capacity.forecasting.forecast import (
    CostForecast,
    DeliveryForecast,
    Forecast,
    OperationForecast,
    ResourceForecast,
    ThroughputForecast,
    Units,
)
from capacity.pricing.cost import CostLine
from capacity.workloads.limit_use import LimitUse

SHAPE = [0.6, 1, 1, 1, 1, 1, 1, 0.0]
# Resource -> (read, write) units per second of the hold, and its provisioned (read, write).
PLANNED = {
    "table": ((12.9, 8.6), (40.0, 20.0)),
    "GroupIdIndex": ((0.0, 8.2), (5.0, 5.0)),
    "GroupNameIndex": ((0.0, 0.08), (5.0, 5.0)),
}


def throughput(rate: float, provisioned: float, *, throttled: bool = False) -> ThroughputForecast:
    """Reads or writes of a resource at a steady rate; a bank of 300 s that a larger rate spends."""
    bank = 300 * provisioned if not throttled else 130.0
    left: list[float] = []
    full = bank
    for share in SHAPE:
        bank = max(0.0, min(full, bank + 10 * (provisioned - rate * share)))
        left.append(round(bank, 3))
    return ThroughputForecast(
        units=sum(10 * rate * share for share in SHAPE),
        units_per_step=[10 * rate * share for share in SHAPE],
        peak_units_per_s=rate * 1.5,
        provisioned_units_per_s=provisioned,
        burst_left_units=left,
        throttled=61 if throttled else 0,
        throttled_per_step=[0, 0, 0, 0, 15, 23, 23, 0] if throttled else [0] * len(SHAPE),
        throttled_per_s=[0] * 40 + [1] * 5 + [2] * 5 + 2 * ([2] * 7 + [3] * 3) + [0] * 6 if throttled else [],
        first_throttle_s=40.4 if throttled else None,
        first_throttle_limit="ProvisionedThroughput" if throttled else None,
    )


def line(service: str, operation: str, cause: str, price: str, quantity: float, unit: str, usd: float) -> CostLine:
    """One line of the bill."""
    return CostLine(
        service=service, operation=operation, cause=cause, price=price, quantity=quantity, unit=unit, usd=usd
    )


def forecast(digest: str) -> Forecast:
    """The forecast of the whole run."""
    run = [
        line("AppSync", "reportDataByNode", "request", "appsync.operation", 520, "operations", 0.00208),
        line("AppSync", "reportDataByNode", "deliveries", "appsync.realtime_message", 2080, "messages", 0.00416),
        line("AppSync", "fireEventsByNode", "request", "appsync.operation", 520, "operations", 0.00208),
        line("AppSync", "fireEventsByNode", "deliveries", "appsync.realtime_message", 2080, "messages", 0.00416),
        line(
            "DynamoDB", "", "provisioned table, writes", "dynamodb.provisioned.write_unit_hour", 0.42, "hours", 0.000312
        ),
        line("Lambda", "leaveGroup", "Lambda call", "lambda.request", 6, "requests", 0.0000012),
    ]
    month = [part.model_copy(update={"quantity": part.quantity * 41_000, "usd": part.usd * 41_000}) for part in run]
    return Forecast(
        scenario_digest=digest,
        layout="deployed",
        region="ap-northeast-1",
        world="adaptive",
        start_s=0,
        duration_s=76,
        burst_step_s=10,
        hold_from_s=10,
        hold_until_s=70,
        requests=1166,
        operations=[
            OperationForecast(
                name="reportDataByNode",
                requests=520,
                requests_per_s=[8] * 65,
                units={"table": Units(read=260, write=520), "GroupIdIndex": Units(read=0, write=520)},
                units_per_step={
                    "table": {"read": [40.0] * 7, "write": [80.0] * 7},
                    "GroupIdIndex": {"read": [0.0] * 7, "write": [80.0] * 7},
                },
            ),
            OperationForecast(
                name="fireEventsByNode",
                requests=520,
                requests_per_s=[8] * 65,
                units={"table": Units(read=260, write=0)},
                units_per_step={"table": {"read": [40.0] * 7, "write": [0.0] * 7}},
            ),
        ],
        resources=[
            ResourceForecast(
                name=name,
                read=throughput(rates[0], provisioned[0]),
                write=throughput(rates[1], provisioned[1], throttled=name == "GroupIdIndex"),
                partitions=1,
            )
            for name, (rates, provisioned) in PLANNED.items()
        ],
        limits=[
            LimitUse(
                name="provisioned throughput",
                resource="GroupIdIndex",
                kind="write",
                limit=5,
                peak=12,
                unit="units/s",
                used=2.4,
                reached_s=3,
                source="the scenario",
            ),
            LimitUse(
                name="provisioned throughput",
                resource="table",
                kind="write",
                limit=20,
                peak=17,
                unit="units/s",
                used=0.85,
                reached_s=None,
                source="the scenario",
            ),
            LimitUse(
                name="one partition key DOMAIN#{domain}",
                resource="table",
                kind="write",
                limit=1000,
                peak=13,
                unit="units/s",
                used=0.013,
                reached_s=None,
                source="Developer Guide, partitions, 2026-11",
            ),
            LimitUse(
                name="request tokens, one per request",
                resource="AppSync",
                kind="",
                limit=10000,
                peak=24,
                unit="tokens/s",
                used=0.0024,
                reached_s=None,
                source="AWS general reference, AppSync quotas, 2026-11",
            ),
        ],
        deliveries=DeliveryForecast(publications=1040, deliveries=4160, connections=8, connection_minutes=9.6),
        cost=CostForecast(
            run_usd=sum(part.usd for part in run),
            monthly_usd=sum(part.usd for part in month),
            run=run,
            month=month,
            region="ap-northeast-1",
            prices_in_force_from="2024-11-01",
            prices_as_of="2026-09-06",
            unverified=["lambda.request"],
        ),
        assumptions=["a refused request is not repeated"],
    )
