"""Signals as a terminal's foreground process has them, whatever the test run itself was started with."""

from __future__ import annotations

import signal


def as_in_the_foreground() -> None:
    """Take Ctrl-C and a closed terminal again: a background shell and nohup ignore them, and children inherit that."""
    for name in ("SIGINT", "SIGHUP"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
