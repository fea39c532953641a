"""Signals as a terminal's foreground process has them, whatever the test run itself was started with."""

from __future__ import annotations

import signal


def as_in_the_foreground() -> None:
    """Take Ctrl-C again: a shell starts what runs in its background with SIGINT ignored, and children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
