"""The long run of the fuzzing: `python -m tests.fuzz.long_run [INPUTS] [SURFACE ...]`; 100,000 inputs each by default.

It ends at the first broken promise with the smallest input that breaks it. What was tried goes into long_run.json,
from which docs/reliability.md is written.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.surfaces import SURFACES

RESULTS = Path(__file__).with_name("long_run.json")
SEED = 20261130


def try_surface(name: str, inputs: int) -> dict[str, object]:
    """Try one surface; what was tried, what became of it, how long it took and how large the process grew."""
    surface = SURFACES[name]
    outcomes: Counter[str] = Counter()

    @seed(SEED)
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
        "seed": SEED,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
    }


def main(inputs: int, names: list[str]) -> None:
    for name in names:
        tried = try_surface(name, inputs)
        print(f"{name}: {tried}", flush=True)
        known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps(known | {name: tried}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, sys.argv[2:] or list(SURFACES))
