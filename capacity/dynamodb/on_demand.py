"""What an on-demand table or GSI serves: its start, its doubling, warm throughput, quotas and configured maximum.

Source: Developer Guide, on-demand capacity mode and warm throughput (read 2026-11-30); quotas 2023-02-22.
"""

from __future__ import annotations

from dataclasses import dataclass

from capacity.dynamodb.quotas import limit
from capacity.dynamodb.table import Throughput

START = Throughput(limit("dynamodb.on_demand_start_read_units"), limit("dynamodb.on_demand_start_write_units"))
"""A new table or GSI; also what it reports as its warm throughput."""

NO_PEAK = Throughput(0, 0)

QUOTA = Throughput(limit("dynamodb.table_read_units"), limit("dynamodb.table_write_units"))
"""Of one table; whether GSIs count towards their table's is unsettled in AWS's own pages."""


@dataclass(frozen=True)
class OnDemand:
    """State of one on-demand table or GSI, units per second; `maximum` is MaxRead/WriteRequestUnits, None = not set."""

    previous_peak: Throughput = NO_PEAK
    warm: Throughput = START
    quota: Throughput = QUOTA
    maximum: Throughput | None = None

    @property
    def limit(self) -> Throughput:
        """Served at once: the largest of start, warm throughput and twice the previous peak, within quota and
        maximum.
        """
        bounds = (self.quota,) if self.maximum is None else (self.quota, self.maximum)
        factor = limit("dynamodb.on_demand_peak_factor")
        return Throughput(
            min(
                max(START.read_units, self.warm.read_units, factor * self.previous_peak.read_units),
                *(bound.read_units for bound in bounds),
            ),
            min(
                max(START.write_units, self.warm.write_units, factor * self.previous_peak.write_units),
                *(bound.write_units for bound in bounds),
            ),
        )


def ramp_s(units: float, peak_units: float) -> float:
    """Shortest time until a table which serves `peak_units` at once can serve `units`, in seconds.

    Each doubling needs the peak before it to have counted, 30 minutes after it was reached. Confidence middle: AWS
    publishes "within 30 minutes"; a public ramp from 4,000 to 40,000 writes/s throttled at 60 and at 90 minutes.
    Raises ValueError unless both are positive.
    """
    if units <= 0 or peak_units <= 0:
        raise ValueError(
            f"expected positive units per second, got {units} from {peak_units}; example: ramp_s(40_000, 4_000)"
        )
    doublings = 0
    while peak_units < units:
        peak_units *= limit("dynamodb.on_demand_peak_factor")
        doublings += 1
    return doublings * limit("dynamodb.on_demand_peak_age_s")
