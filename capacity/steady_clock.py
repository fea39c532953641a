"""UTC epoch seconds that never step: the system's clock may be set while a run is on, by hand, by NTP or by a host.

Schedules and token buckets need a clock that nobody sets back under them, records need times that CloudWatch
understands. This is a monotonic clock, one that goes on while the machine sleeps where the system has it, pinned to the
epoch once per process. A process that lives through a step keeps the time that it started with.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial


def _counter() -> Callable[[], float]:
    for name in ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC"):  # Linux; macOS, where it counts sleep too
        number = getattr(time, name, None)
        if number is not None:
            return partial(time.clock_gettime, number)
    return time.monotonic


_count_s = _counter()
_EPOCH_OF_COUNTER_S = time.time() - _count_s()


def now_s() -> float:
    """Seconds since the epoch."""
    return _count_s() + _EPOCH_OF_COUNTER_S
