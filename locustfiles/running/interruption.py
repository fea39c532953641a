"""Ctrl-C as an event instead of an exception that may strike anywhere.

Python raises KeyboardInterrupt in whatever code runs at that moment: a half-made session, a greenlet that dies of it,
or a destructor, whose exceptions are printed and dropped, so that the run went on as if nobody had asked. Here gevent's
hub takes the signal and interrupts the main greenlet, where Locust waits for it, and nothing else.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import gevent
from gevent import getcurrent


def end_on_interrupt(*, once: bool) -> None:
    """From now on the first Ctrl-C raises KeyboardInterrupt in the greenlet that calls this, which is the main one.

    Later ones are not heard, so that whoever asked may ask again until the process has ended; with `once` they have
    Python's own meaning again, and the second one cuts the end short. Does nothing where Ctrl-C is ignored.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return
    main, hub = getcurrent(), gevent.get_hub()
    watcher = hub.loop.signal(signal.SIGINT)
    watcher.start(_Interruption(main.throw, watcher.close if once else None))


def end_with_parent(parent: int) -> None:
    """End as on Ctrl-C when the process that started this one, `meshcap run` or a master, has died."""
    while os.getppid() == parent:
        gevent.sleep(0.5)
    os.kill(os.getpid(), signal.SIGINT)


class _Interruption:
    def __init__(self, throw: Callable[[BaseException], object], forget: Callable[[], object] | None) -> None:
        self._throw = throw
        self._forget = forget
        self._heard = False

    def __call__(self) -> None:
        """Runs in the hub, while the main greenlet waits."""
        if self._heard:
            return
        self._heard = True
        if self._forget is not None:
            self._forget()
            signal.signal(signal.SIGINT, signal.default_int_handler)
        self._throw(KeyboardInterrupt())
