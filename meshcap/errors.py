"""A mistake or misfortune of the user's, told in one sentence and an exit code instead of a traceback."""

from __future__ import annotations

from capacity.exit_codes import ExitCode


class UserError(Exception):
    """What went wrong, what was expected, and an example that works."""

    def __init__(self, message: str, exit_code: ExitCode = ExitCode.BAD_CONFIGURATION) -> None:
        super().__init__(message)
        self.exit_code = exit_code
