"""Row 15: one 400 KB put (400 write units) into a table of 5 write units.

Source: paritysuite/dynamodb-conformance, pull request 43 (2026-06-19).
Published: it succeeds on a fresh table, out of burst capacity, and is throttled once the burst is spent.
Reproduced exactly: 1,500 units are saved. Of one put a second three are paid for, the fourth is admitted out of the
rest and leaves a debt, the fifth is refused: 1,600 units are spent, and 1,500 + 5 a second reach that after 20 s.
(Within one second the third put would already exhaust the partition's 1,000 units a second, which no burst lifts.)
"""

from __future__ import annotations

import chart

from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings

PUT_UNITS = 400.0


def puts(count: int) -> list[bool]:
    """Whether each of ``count`` puts, one a second, is admitted."""
    resource = ThroughputResource(Settings("adaptive", 5, 5), 0.0)
    answers = []
    for second in range(count):
        admitted = not resource.check(second, "write", 0)
        if admitted:
            resource.charge(second, "write", 0, PUT_UNITS)
        answers.append(admitted)
    return answers


def refused_until_s() -> float:
    """When the next put is admitted after four of them, to a hundredth of a second after the first."""
    resource = ThroughputResource(Settings("adaptive", 5, 5), 0.0)
    for second in range(4):
        resource.charge(second, "write", 0, PUT_UNITS)
    return next(step / 100 for step in range(300, 100_000) if not resource.check(step / 100, "write", 0))


def levels() -> list[tuple[float, float]]:
    """(second, units saved) of a table that is sent one such put every ten seconds, refused or not."""
    resource = ThroughputResource(Settings("adaptive", 5, 5), 0.0)
    points = []
    for second in range(0, 301):
        if second % 10 == 0 and not resource.check(second, "write", 0):
            resource.charge(second, "write", 0, PUT_UNITS)
        points.append((second, resource.limits(second, "write")[0][2]))
    return points


def main() -> None:
    """Print the figures and draw the picture."""
    print("five puts, one a second:", ", ".join("admitted" if answer else "refused" for answer in puts(5)))
    print(f"the next one is admitted {refused_until_s():.2f} s after the first")

    def draw(axes):
        seconds, units = zip(*levels(), strict=True)
        axes.plot(seconds, units, color=chart.TIME)
        axes.axhline(0, color=chart.QUIET, linewidth=0.8)
        axes.set(
            xlabel="seconds, one 400-unit put every ten", ylabel="write units saved", title="5 WCU and 400 KB puts"
        )

    chart.save(__file__, draw)


if __name__ == "__main__":
    main()
