"""`python -m meshcap`, and where the installed command begins."""

from __future__ import annotations

import signal
import sys


def main() -> None:
    """Run the command line. Ctrl-C while the program itself is still being loaded ends it as it does later."""
    try:
        from meshcap.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(105)  # ExitCode.INTERRUPTED, which may not be loaded yet
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # one that comes now would kill Python while it tidies up


if __name__ == "__main__":
    main()
