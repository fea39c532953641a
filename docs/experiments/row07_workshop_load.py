"""Row 7: a loader writes log rows into a table of 5 write units, in batches of 100 rows.

Source: aws-samples/amazon-dynamodb-labs, content/design-patterns/ex1capacity (f133ce0, 2026-05-08), and an older print
of the same workshop that lists every batch (public copies of 2018-2019). A row costs one unit; the loader is a closed
loop: a row that is refused is sent again until it is admitted.

The text gives no pause between loading 500 rows (step 2) and 2,000 rows (step 3), and says that the result depends on
it. It is the one free figure of each run below; everything else follows.

* Older print: 500 rows took 3.8 s, 2,000 rows 171.3 s: 0.45 to 0.59 s a batch through row 1,100, 5.4 s for the twelfth
  batch, then 20.0 s a batch. Reproduced with a pause of 25 s: the twelfth batch is the first slow one, then 20.0 s
  each, 171 s in all.
* Present print: 500 rows took 17.6 s, 2,000 rows "75 or 134 s". 134 s is reproduced with a pause of 49 s.
* 75 s is not: the bank holds 1,500 units, the other 500 take 100 s at 5 a second, a third more than published. AWS lets
  more through than rate plus 300 s on small tables (physics rule 7), which this model leaves out on the careful side.
* The 7.3 s of one batch while the fresh table still had more than 1,000 units cannot come from the table; not
  reproduced.
* At 100 units 2,000 rows took 17.1 s, which is the loader's own pace: nothing throttles. Reproduced.
"""

from __future__ import annotations

from dataclasses import dataclass

import chart

from capacity.physics.placement import key_hash
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings

RETRY_S = 0.05  # mean pause of the SDK's first retries


@dataclass(frozen=True)
class Load:
    """One call of the loader."""

    rows: int
    batch_s: float
    """Pace of 100 rows while nothing throttles, as printed."""
    pause_s: float = 0.0
    """Before it."""


def load(resource: ThroughputResource, now_s: float, run: Load) -> list[float]:
    """Seconds that each batch of 100 rows took."""
    now_s += run.pause_s
    batches, batch_start_s = [], now_s
    for row in range(1, run.rows + 1):
        hash128 = key_hash({"S": f"request#{row}"})
        while resource.check(now_s, "write", hash128):
            now_s += RETRY_S
        resource.charge(now_s, "write", hash128, 1.0)
        now_s += run.batch_s / 100.0
        if row % 100 == 0:
            batches.append(now_s - batch_start_s)
            batch_start_s = now_s
    return batches


def workshop(*runs: Load, write_units: float = 5.0) -> list[list[float]]:
    """Batches of each run, one after the other on one fresh table."""
    resource = ThroughputResource(Settings("adaptive", 5, write_units), 0.0)
    now_s, results = 0.0, []
    for run in runs:
        results.append(load(resource, now_s, run))
        now_s += run.pause_s + sum(results[-1])
    return results


def older_print() -> list[float]:
    """The 2,000 rows of the older print, 25 s after the 500."""
    return workshop(Load(500, 0.76), Load(2000, 0.53, pause_s=25.0))[1]


def present_print(pause_s: float) -> list[float]:
    """The 2,000 rows of the present print."""
    return workshop(Load(500, 3.52), Load(2000, 0.49, pause_s=pause_s))[1]


def raised() -> list[float]:
    """2,000 rows ten seconds after the drained table was raised to 100 units."""
    resource = ThroughputResource(Settings("adaptive", 5, 5), 0.0)
    resource.charge(0.0, "write", 0, 1500.0)
    resource.retune(30.0, Settings("adaptive", 100, 100))
    return load(resource, 40.0, Load(2000, 0.857))


def main() -> None:
    """Print the figures and draw the picture."""
    older = older_print()
    print(f"older print: {sum(older):.1f} s (published 171.3), batches {', '.join(f'{batch:.1f}' for batch in older)}")
    print(f"present print: {sum(present_print(48.6)):.1f} s (published 133.8)")
    print(f"present print, bank full: {sum(present_print(1000.0)):.1f} s (published 75.1: not reproduced)")
    print(f"at 100 units: {sum(raised()):.1f} s (published 17.1)")
    published = [0.49, 0.45, 0.45, 0.45, 0.45, 0.58, 0.58, 0.60, 0.59, 0.59, 0.59, 5.45, 19.99, 20.03, 19.98, 20.04,
                 19.94, 20.00, 20.00, 20.00]  # fmt: skip

    def draw(axes):
        rows = range(100, 2001, 100)
        axes.plot(rows, published, "o", color=chart.QUIET, label="published, older print")
        axes.step(rows, older, where="mid", color=chart.TIME, label="reproduced")
        axes.set(
            xlabel="rows loaded", ylabel="seconds per 100 rows", title="2,000 rows into 5 WCU, 25 s after 500 rows"
        )
        axes.legend(loc="upper left")

    chart.save(__file__, draw)


if __name__ == "__main__":
    main()
