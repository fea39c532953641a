"""The generator's clock: UTC epoch seconds that never step back.

Schedules need a clock that the system does not set back under them, records need times that CloudWatch understands;
this is the monotonic clock, pinned to the epoch once per process.
"""

from __future__ import annotations

import time

_EPOCH_OF_COUNTER_S = time.time() - time.perf_counter()


def now_s() -> float:
    """Seconds since the epoch."""
    return time.perf_counter() + _EPOCH_OF_COUNTER_S
