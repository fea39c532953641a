"""How fast the capacity simulator is: beside a plain numpy copy, and for a whole year.

Goals: one kind of bucket at 10,000 partitions for an hour, at least 0.15 of the partition-seconds per second that numpy
copies of the same array in the same run; a year of one-second steps at 100 partitions in under 15 s. Ours and the copy
run in turn, several rounds, medians. For people on stderr, one JSON object per result on stdout.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from capacity.physics.settings import Settings
from capacity.physics.simulator import Options, simulate_stretches

ROUNDS = 5
DAY_S = 86_400
HOUR_S = 3_600


def seconds_of(work: Callable[[], object]) -> float:
    """CPU time of one call; it has one thread, and other work on the machine must not count."""
    start_s = time.process_time()
    work()
    return time.process_time() - start_s


def report(
    case: str, unit: str, ours: float, peer: str, peers: float | None, goal: float | None, met: bool | None
) -> None:
    """One result: JSON on stdout, a sentence on stderr."""
    ratio = ours / peers if peers else None
    print(
        json.dumps(
            {
                "benchmark": "simulate", "case": case, "unit": unit, "ours": round(ours, 3), "peer": peer,
                "peers": peers and round(peers, 3), "ratio": ratio and round(ratio, 3), "goal": goal, "met": met,
            }
        ),
        flush=True,
    )  # fmt: skip
    print(f"{case}: {ours:,.1f} {unit}" + (f", {ratio:.2f} of {peer}" if ratio else ""), file=sys.stderr)


def year() -> None:
    """365 days of a daily wave over 100 partitions, some hot, busier on some days; two per cent is throttled."""
    rng = np.random.default_rng(1)
    wave = 60.0 + 50.0 * np.sin(np.arange(DAY_S) / DAY_S * 2.0 * np.pi)
    day = (wave[:, None] * rng.uniform(0.5, 1.2, 100)).astype(np.float32)
    demand = np.empty_like(day)
    totals = {"asked": 0.0, "consumed": 0.0}

    def days() -> Iterator[NDArray[np.float32]]:
        for busy in rng.uniform(0.85, 1.15, 365):
            np.multiply(day, np.float32(busy), out=demand)
            yield np.floor(demand, out=demand)

    def simulate() -> None:
        for stretch in simulate_stretches(days(), 100, Settings("static", 1, 100 * 100)):
            totals["asked"] += float(stretch.demand.sum(dtype=np.float32))
            totals["consumed"] += float(stretch.consumed.sum(dtype=np.float32))

    took_s = seconds_of(simulate)
    share = 1.0 - totals["consumed"] / totals["asked"]
    print(f"a year: {share:.1%} throttled, single precision, a day at a time", file=sys.stderr)
    report("a year of seconds at 100 partitions", "s CPU", took_s, "15 s", 15.0, 1.0, took_s < 15.0)
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    report("peak memory of that year", "MiB resident", peak_mib, "none", None, None, None)


def hour(dtype: type, world: Settings, case: str, goal: float | None, request_units: float | None = 1.0) -> None:
    """An hour at 10,000 partitions, ten minutes at a time; numpy copies the whole array into one already there."""
    partitions = 10_000
    rng = np.random.default_rng(2)
    demand = rng.integers(0, 200, (HOUR_S, partitions), dtype=np.uint8).astype(dtype)
    target = np.empty_like(demand)
    elements = demand.size

    def copy() -> None:
        np.copyto(target, demand)

    def simulate() -> None:
        chunks = (demand[start_s : start_s + 600] for start_s in range(0, HOUR_S, 600))
        for _ in simulate_stretches(chunks, partitions, world, Options(request_units=request_units)):
            pass

    rounds = [(seconds_of(simulate), seconds_of(copy)) for _ in range(ROUNDS)]
    ours = elements / statistics.median(took[0] for took in rounds) / 1e6
    copied = elements / statistics.median(took[1] for took in rounds) / 1e6
    met = None if goal is None else ours / copied >= goal
    report(case, "million partition-seconds per CPU second", ours, f"numpy copy, {dtype.__name__}", copied, goal, met)


def main() -> None:
    """Run every case."""
    year()
    static = Settings("static", 1, 90 * 10_000)
    hour(np.float32, static, "an hour, 10,000 partitions, one-unit requests, single precision", 0.15)
    hour(np.float64, static, "an hour, 10,000 partitions, one-unit requests, exact", 0.15)
    hour(np.float64, static, "an hour, 10,000 partitions, continuous flow, exact", 0.15, None)
    adaptive = Settings("adaptive", 1, 110 * 10_000)
    hour(np.float64, adaptive, "an hour, 10,000 partitions, adaptive, unthrottled, exact", None)
    short = Settings("adaptive", 1, 90 * 10_000)
    hour(np.float64, short, "an hour, 10,000 partitions, adaptive, table throttled, exact", None)


if __name__ == "__main__":
    main()
