"""The long run of the fuzzing: `python -m tests.fuzz.long_run [INPUTS] [SURFACE ...]`; 100,000 more of each by default.

It goes in rounds, each with a seed of its own that no earlier run had, and ends at the first broken promise with the
smallest input that breaks it. What was tried is added up in long_run.json, from which docs/reliability.md is written;
a run that is stopped keeps the rounds that it has finished.
"""

from __future__ import annotations

import fcntl
import json
import resource
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.surfaces import SURFACES

RESULTS = Path(__file__).with_name("long_run.json")
FIRST_SEED = 20261130
ROUND = 5_000
"""Inputs of one round: Hypothesis remembers those of a round, so more of them would cost more memory each."""


def try_surface(name: str, inputs: int, with_seed: int) -> dict[str, Any]:
    """One round: what was tried, what became of it, how long it took and how large the process grew."""
    surface = SURFACES[name]
    outcomes: Counter[str] = Counter()

    @seed(with_seed)
    @settings(
        max_examples=inputs,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(surface.inputs())
    def check(value: object) -> None:
        outcomes[surface.check(value)] += 1

    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started_s = time.monotonic()
    check()
    return {
        "inputs": sum(outcomes.values()),
        "read": outcomes["read"],
        "refused": outcomes["refused"],
        "seconds": round(time.monotonic() - started_s),
        "grown_mib": round((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib) / 1024),
        "seed": with_seed,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }


def added(known: dict[str, Any] | None, tried: dict[str, Any]) -> dict[str, Any]:
    """What all rounds of a surface come to: counts and seconds added, the most growth, the last seed and date."""
    if known is None:
        return tried
    sums = {name: known[name] + tried[name] for name in ("inputs", "read", "refused", "seconds")}
    return tried | sums | {"grown_mib": max(known["grown_mib"], tried["grown_mib"])}


def results() -> dict[str, Any]:
    """What has been tried so far, by surface."""
    return dict(json.loads(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else {}


def _add(name: str, tried: dict[str, Any]) -> None:
    with RESULTS.with_suffix(".lock").open("w") as lock:  # another process may be at another surface
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = results()
        known[name] = added(known.get(name), tried)
        RESULTS.write_text(json.dumps(known, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def main(inputs: int, names: list[str]) -> None:
    pa.set_cpu_count(1)  # threads cost more than they save on files of a few rows
    for name in names:
        left = inputs
        while left > 0:
            last_seed = results().get(name, {}).get("seed", FIRST_SEED - 1)
            tried = try_surface(name, min(left, ROUND), last_seed + 1)
            _add(name, tried)
            left -= ROUND
            print(f"{name}: {tried}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, sys.argv[2:] or list(SURFACES))
