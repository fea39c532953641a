"""Row 6: 3,200 write units raised to 3,600, then to 6,000.

Source: example of Elhemali et al., USENIX ATC 2022, through public reading notes.
Published: 4 partitions x 800, then 4 x 900, then all split: 8 x 750.
Reproduced exactly. Two more steps show what the Black Belt deck warns of (slides 42-43): partitions never merge, so a
setting lowered to 800 leaves 8 x 100.
"""

from __future__ import annotations

import chart

from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings

SETTINGS = (3200, 3600, 6000, 3200, 800)


def history() -> list[tuple[int, int, float]]:
    """(setting, partitions, write units of each) after every change."""
    resource = ThroughputResource(Settings("static", 1, SETTINGS[0]), 0.0)
    steps = []
    for write_units in SETTINGS:
        resource.retune(0.0, Settings("static", 1, write_units))
        views = resource.partitions(0.0)
        steps.append((write_units, len(views), views[0].share["write"]))
    return steps


def main() -> None:
    """Print the figures and draw the picture."""
    steps = history()
    for setting, partitions, share in steps:
        print(f"{setting:,} WCU: {partitions} x {share:.0f}")

    def draw(axes):
        labels = [f"{setting:,} WCU\n{partitions} partitions" for setting, partitions, _ in steps]
        bars = axes.bar(labels, [share for _, _, share in steps], color=chart.TIME)
        axes.bar_label(bars, fmt="%.0f")
        axes.set(ylabel="write units per partition", title="Partitions split, never merge")

    chart.save(__file__, draw)


if __name__ == "__main__":
    main()
