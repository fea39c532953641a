"""Row 7, last step: a table of 1,000 write units whose index has 1.

Source: aws-samples/amazon-dynamodb-labs, content/design-patterns/ex1capacity, step 7 (read 2026-11-30).
Published: a parallel loader runs for "a few minutes", then writes to the table are refused although the table consumes
less than its 1,000; the throttle events are the index's, whose consumption lies far above its 1.
Reproduced in shape: at 200 rows a second the index's 300 saved units and a queue of 30 s x 1,000 units last
30,300 / 199 = 152 s; then the table takes what the index works off, 1 row a second. The loader's rate is not published;
at 100 to 300 rows a second the end comes after 306 to 101 s, which is what "a few minutes" allows. The queue's size is
our decision (physics rule 9); this is the only public hint of it that we know.
"""

from __future__ import annotations

import chart

from capacity.physics.backpressure import QUEUE_S, IndexQueue
from capacity.physics.placement import key_hash
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings

TABLE_UNITS = 1000.0
SECONDS = 400


def load(rows_per_s: int) -> list[tuple[int, float]]:
    """Rows admitted and index units waiting, second by second; hosts are the index's keys, 256 of them."""
    table = ThroughputResource(Settings("adaptive", 1000, TABLE_UNITS), 0.0)
    index = ThroughputResource(Settings("adaptive", 1, 1), 0.0)
    queue = IndexQueue(index, QUEUE_S * TABLE_UNITS)
    hosts = [key_hash({"S": f"host#{number}"}) for number in range(256)]
    history = []
    for second in range(SECONDS):
        admitted = 0
        for row in range(rows_per_s):
            now_s = second + row / rows_per_s
            item = key_hash({"S": f"request#{second}-{row}"})
            if table.check(now_s, "write", item) or queue.check(now_s):
                continue
            table.charge(now_s, "write", item, 1.0)
            queue.put(now_s, hosts[row % 256], 1.0)
            admitted += 1
        history.append((admitted, queue.waiting_units(second + 1.0)))
    return history


def first_refusal_s(history: list[tuple[int, float]], rows_per_s: int) -> int:
    """The first second in which a row was refused."""
    return next(second for second, (admitted, _) in enumerate(history) if admitted < rows_per_s)


def main() -> None:
    """Print the figures and draw the picture."""
    histories = {rows: load(rows) for rows in (100, 200, 300)}
    for rows, history in histories.items():
        print(f"{rows} rows a second: refused after {first_refusal_s(history, rows)} s, then "
              f"{sum(admitted for admitted, _ in history[-60:]) / 60:.1f} a second")  # fmt: skip

    def draw(axes):
        history = histories[200]
        axes.plot([admitted for admitted, _ in history], color=chart.TIME, label="rows admitted per second")
        axes.set(xlabel="seconds at 200 rows per second", ylabel="rows per second", title="1,000 WCU, index with 1 WCU")
        twin = axes.twinx()
        twin.plot([waiting / 1000 for _, waiting in history], color=chart.ALARM, label="waiting for the index")
        twin.set_ylabel("thousand units")
        axes.legend(loc="upper right")
        twin.legend(loc="center right")

    chart.save(__file__, draw)


if __name__ == "__main__":
    main()
