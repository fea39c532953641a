"""`python -m meshcap`, and where the installed command begins."""

from __future__ import annotations

import atexit
import os
import signal
import sys
from typing import NoReturn

_INTERRUPTED = 105
"""ExitCode.INTERRUPTED, which may not be loaded yet."""


def main() -> None:
    """Run the command line. Ctrl-C while the program itself is still being loaded ends it as it does later."""
    _fill_closed_streams()
    try:
        try:
            from meshcap.cli import main as run

            run()
        except KeyboardInterrupt:
            sys.stderr.write("Stopped.\n")
            _leave()
        except SystemExit as leaving:
            if leaving.code == _INTERRUPTED:
                _leave()
            raise
    except KeyboardInterrupt:  # a second one, on the way out
        _leave()


def _fill_closed_streams() -> None:
    """Give a command that was started without stdin, stdout or stderr an empty one.

    The next file that is opened would take the number of the missing stream otherwise, and be written into.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w", encoding="utf-8", closefd=False))


def _leave() -> NoReturn:
    """End with the exit code that is promised. Left to itself, Python ends by the signal and not by a code when it came
    while an extension module ran Python code, or while Python tidies up.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(_INTERRUPTED)


if __name__ == "__main__":
    main()
