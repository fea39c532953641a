"""comparison.json of the generated run, written by hand from the same rates as its forecast and its metrics."""

from __future__ import annotations

from datetime import datetime, timedelta

from capacity.judgement.comparison import (
    CallsComparison,
    Comparison,
    OperationComparison,
    ThrottleComparison,
    UnitsComparison,
    UnitsSeries,
)

SHAPE = [0.62, 1, 1, 1, 1, 1, 1, 0.02]
# (resource, kind) -> planned, sent and measured units per second of the hold
RATES = {
    ("table", "read"): (12.9, 12.8, 12.8),
    ("table", "write"): (8.6, 8.56, 8.6),
    ("GroupIdIndex", "read"): (0.0, 0.0, None),
    ("GroupIdIndex", "write"): (8.2, 8.2, 8.2),
    ("GroupNameIndex", "read"): (0.0, 0.0, None),
    ("GroupNameIndex", "write"): (0.08, 0.08, 0.08),
}


def share(actual: float | None, expected: float) -> float | None:
    """(actual - expected) / expected, zero for nothing of nothing."""
    if actual is None:
        return None
    return (actual - expected) / expected if expected else 0.0


def comparison(run_id: str, start: datetime) -> Comparison:
    """The comparison of the whole run."""
    units, series = [], []
    whole = 10 * sum(SHAPE)
    for (resource, kind), (planned, sent, measured) in RATES.items():
        known = measured is not None
        units.append(
            UnitsComparison(
                resource=resource,
                kind=kind,
                planned=planned * whole,
                sent=sent * whole,
                measured=measured * whole if known else None,
                traffic_units=(sent - planned) * whole,
                model_units=0.0 if known else None,
                unexplained_units=(measured - sent) * whole if known else None,
                traffic_error=share(sent, planned),
                model_error=share(measured, sent),
                prediction_error=share(measured, planned),
            )
        )
        series.append(
            UnitsSeries(
                resource=resource,
                kind=kind,
                period_s=10,
                start_s=[(start + timedelta(seconds=10 * n)).timestamp() for n in range(len(SHAPE))],
                planned=[10 * planned * s for s in SHAPE],
                sent=[10 * sent * s for s in SHAPE],
                measured=[10 * measured * s if known else None for s in SHAPE],
            )
        )
    index = "GroupIdIndex"
    return Comparison(
        run_id=run_id,
        start_s=start.timestamp(),
        units=units,
        series=series,
        operations=[
            OperationComparison(
                name="reportDataByNode",
                planned=520,
                sent=560,
                accepted=496,
                refused=64,
                unanswered=0,
                units_sent={"table": {"read": 280, "write": 496}, index: {"read": 0, "write": 496}},
            ),
            OperationComparison(
                name="fireEventsByNode",
                planned=520,
                sent=560,
                accepted=560,
                refused=0,
                unanswered=0,
                units_sent={"table": {"read": 280, "write": 0}},
            ),
            OperationComparison(
                name="listGroupStatuses",
                planned=37,
                sent=37,
                accepted=37,
                refused=0,
                unanswered=0,
                units_sent={"table": {"read": 18.5, "write": 0}},
            ),
        ],
        calls=[
            CallsComparison(name="GetItem", sent=1120, measured=1120),
            CallsComparison(name="PutItem", sent=496, measured=498),
            CallsComparison(name="Query", sent=37, measured=None),
        ],
        throttles=[
            ThrottleComparison(
                resource=resource,
                kind=kind,
                forecast=61 if (resource, kind) == (index, "write") else 0,
                measured=58 if (resource, kind) == (index, "write") else 0,
                forecast_first_s=40.4 if (resource, kind) == (index, "write") else None,
                measured_first_s=41.3 if (resource, kind) == (index, "write") else None,
                resolution_s=1.0 if (resource, kind) == (index, "write") else None,
            )
            for resource, kind in RATES
        ],
        first_throttle_error_s=0.9,
        notes=[],
    )
