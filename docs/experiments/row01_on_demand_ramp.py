"""Row 1: a new on-demand table, ramps from 0 to 40,000 writes a second over 60, 90, 120 and 150 minutes.

Source: Yan Cui, "Understanding the scaling behaviour of DynamoDB OnDemand tables", 2019-03 (read in part).
Published: a new table takes up to 4,000 writes a second; the 60-minute ramp throttles heavily, 90 minutes less but
still a lot, slower ramps less and less.
Reproduced in shape: 4,000 at first, and the share refused falls from ramp to ramp. Not reproduced: amounts, for which
the text gives no figures (the total of 217 million writes covers experiments that it does not list).
"""

from __future__ import annotations

import chart
import numpy as np

from capacity.physics.placement import even_bounds
from capacity.physics.settings import Settings
from capacity.physics.simulator import Options, Simulation, simulate

RAMPS_MIN = (60, 90, 120, 150)
PEAK = 40_000.0
KEYS = 64  # stand for UUIDs: even over the key space


def ramp(minutes: int) -> Simulation:
    """One ramp."""
    seconds = minutes * 60
    per_key = np.linspace(0.0, PEAK, seconds) / KEYS
    demand = np.repeat(per_key[:, None], KEYS, axis=1)
    positions = [(hash128 + (1 << 120), b"") for hash128, _ in even_bounds(KEYS)]
    return simulate(demand, Settings("on_demand"), Options(request_units=None, positions=positions))


def refused_share(result: Simulation) -> float:
    """Share of the writes that were refused."""
    return float(result.throttled.sum() / result.demand.sum())


def main() -> None:
    """Print the figures and draw the picture."""
    results = {minutes: ramp(minutes) for minutes in RAMPS_MIN}
    for minutes, result in results.items():
        first_s = result.first_throttle_s()
        rate = float(result.demand[int(first_s)].sum())
        print(f"{minutes} min: {refused_share(result):.0%} refused, first at {rate:,.0f} writes a second, "
              f"{result.partitions} partitions in the end")  # fmt: skip

    def draw(axes):
        for minutes, colour in zip(RAMPS_MIN, ("#dc2626", "#f59e0b", "#10b981", "#2563eb"), strict=True):
            result = results[minutes]
            time_min = np.arange(len(result.demand)) / 60
            axes.plot(time_min, result.demand.sum(axis=1) / 1000, color=colour, linestyle=":")
            axes.plot(time_min, result.consumed.sum(axis=1) / 1000, color=colour, label=f"{minutes} min")
        axes.set(xlabel="minutes", ylabel="thousand writes per second", title="Asked for (dotted) and admitted")
        axes.legend(title="ramp")

    chart.save(__file__, draw)


if __name__ == "__main__":
    main()
