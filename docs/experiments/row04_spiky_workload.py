"""Row 4: 150 read units, idle for five minutes, then 200 a second.

Source: re:Post knowledge centre, dynamodb-spiky-workloads-short-intervals (read 2026-11-30).
Published: 45,000 units are saved; at 200 a second they last 45,000 / 50 = 900 s.
Reproduced exactly by the live resource with requests spread over each second. The simulator sends a second's requests
at its start, before its refill, so it meets the end three seconds (200 / 50 - 1) earlier.
"""

from __future__ import annotations

import chart
import numpy as np

from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings
from capacity.physics.simulator import Options, simulate

PROVISIONED = Settings("adaptive", read_units=150, write_units=1)
DEMAND = 200  # units per second
START_S = 1_900_000_000.0


def saved_after_idling() -> float:
    """Units in the bank after five idle minutes that followed a drained one."""
    resource = ThroughputResource(PROVISIONED, START_S)
    resource.charge(START_S, "read", 0, 45_000.0)
    return resource.limits(START_S + 300.0, "read")[0][2]


def lasts_s() -> float:
    """Seconds until the first refusal, requests spread evenly."""
    resource = ThroughputResource(PROVISIONED, START_S)
    sent = 0
    while not resource.check(START_S + sent / DEMAND, "read", 0):
        resource.charge(START_S + sent / DEMAND, "read", 0, 1.0)
        sent += 1
    return sent / DEMAND


def simulated():
    """Twenty minutes in one-second steps."""
    return simulate(np.full((1200, 1), float(DEMAND)), PROVISIONED, Options(kind="read", partitions=1))


def main() -> None:
    """Print the figures and draw the picture."""
    result = simulated()
    print(f"saved after five idle minutes: {saved_after_idling():,.0f} units (published: 45,000)")
    print(f"they last {lasts_s():.1f} s (published: 900); in one-second steps {result.first_throttle_s():.0f} s")

    def draw(axes):
        axes.plot(result.table_level / 1000, color=chart.TIME, label="saved, thousand units")
        axes.axvline(900, color=chart.QUIET, linestyle=":", label="published end, 900 s")
        twin = axes.twinx()
        twin.plot(result.throttled[:, 0], color=chart.ALARM, label="throttled, units per second")
        axes.set(
            xlabel="seconds at 200 units per second", ylabel="thousand units", title="150 RCU at 200 units per second"
        )
        twin.set_ylabel("units per second")
        axes.legend(loc="center left")
        twin.legend(loc="center right")

    chart.save(__file__, draw)


if __name__ == "__main__":
    main()
