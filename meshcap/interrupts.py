"""Ctrl-C while a process is being started: held back until we know the process, so that it is never left behind."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_HELD = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Hold interrupts back for the block, and raise KeyboardInterrupt after it if one came.

    Handlers are ours alone: a process that is started within gets the system's default ones.
    """
    came: list[int] = []

    def hold(number: int, frame: Any) -> None:
        came.append(number)

    before = {number: signal.signal(number, hold) for number in _HELD if signal.getsignal(number) is not signal.SIG_IGN}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if came:
        raise KeyboardInterrupt
