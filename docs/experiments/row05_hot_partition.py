"""Row 5: 400 write units over four partitions that are asked for 50, 50, 50 and 150 a second.

Source: AWS developer guide, bp-partition-key-design (2023-02).
Published: each partition has 100; burst capacity carries the hot one first, then adaptive capacity sustains its 150 as
long as the table stays under 400 and the partition under 1,000.
Reproduced exactly: in the adaptive world nothing is ever refused; in the static one the hot partition's savings of
100 x 300 last 30,000 / 50 = 600 s, after which it gets 100.
"""

from __future__ import annotations

import chart
import numpy as np

from capacity.physics.settings import Settings
from capacity.physics.simulator import Options, Simulation, simulate

DEMAND = np.tile([50.0, 50.0, 50.0, 150.0], (1800, 1))


def world(name: str) -> Simulation:
    """Half an hour of it."""
    return simulate(DEMAND, Settings(name, 1, 400), Options(partitions=4))


def main() -> None:
    """Print the figures and draw the picture."""
    static, adaptive = world("static"), world("adaptive")
    print(f"static: the hot partition throttles from {static.first_throttle_s():.0f} s on and keeps "
          f"{static.consumed[-60:, 3].mean():.0f} a second (published: 100)")  # fmt: skip
    print(f"adaptive: {adaptive.consumed[-60:, 3].mean():.0f} a second sustained (published: 150)")

    def draw(axes):
        axes.plot(adaptive.consumed[:, 3], color=chart.TIME, label="adaptive (today)")
        axes.plot(static.consumed[:, 3], color=chart.ALARM, label="static (the deck's)")
        axes.set(
            xlabel="seconds",
            ylabel="write units per second",
            title="The hot partition: 150 asked, 100 allotted",
            ylim=0,
        )
        axes.legend(loc="lower left")

    chart.save(__file__, draw)


if __name__ == "__main__":
    main()
