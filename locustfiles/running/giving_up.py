"""The end of a process that cannot do what its options ask."""

from __future__ import annotations

import sys
from typing import NoReturn

from capacity.exit_codes import ExitCode


def give_up(message: str, code: ExitCode = ExitCode.BAD_CONFIGURATION) -> NoReturn:
    """Say why on stderr, without a traceback, and end the process."""
    sys.stderr.write(f"{message}\n")
    sys.exit(code)
