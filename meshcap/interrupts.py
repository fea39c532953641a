"""Ctrl-C while processes of ours are at work: noted where it would otherwise strike code that is half-done."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_HEARD = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextmanager
def interrupts_counted() -> Iterator[list[int]]:
    """Give a list to which every interrupt of the block is appended, instead of raising KeyboardInterrupt.

    Handlers are ours alone: a process that is started within gets the system's default ones.
    """
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)

    before = {
        number: signal.signal(number, note) for number in _HEARD if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Hold interrupts back for the block, and raise KeyboardInterrupt after it if one came."""
    with interrupts_counted() as came:
        yield
    if came:
        raise KeyboardInterrupt
