"""Where output goes: data to stdout, talk to stderr; colour off with NO_COLOR or when nobody looks."""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress

from rich.console import Console

from capacity.exit_codes import ExitCode

_PIPE_WIDTH = 1000  # a file or pipe has no width of its own; each row stays on one line


class _Stdout(Console):
    def on_broken_pipe(self) -> None:
        """The reader of a pipe, such as head, has seen enough: no failure, as rich's own exit code 1 would say."""
        with suppress(SystemExit):
            super().on_broken_pipe()
        sys.exit(ExitCode.OK)


out = _Stdout(soft_wrap=True, highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""What moves a terminal's cursor, sets its colours or turns the direction of writing: no name may do that."""
talk = Console(stderr=True, soft_wrap=True, highlight=False)


def data(text: str) -> None:
    """Print data on stdout exactly as it is: no wrapping, no markup. A terminal sees control characters by number."""
    out.print(visible(text) if out.is_terminal else text, markup=False)


def say(text: str) -> None:
    """Tell the user something on stderr."""
    _tell(text)


def complain(text: str) -> None:
    """Tell the user what went wrong, on stderr."""
    _tell(text, style="red")


def visible(text: str) -> str:
    """The text with control characters by their numbers, as in Python's literals."""
    return _CONTROLS.sub(lambda found: repr(found[0])[1:-1], text)


def _tell(text: str, style: str | None = None) -> None:
    try:
        talk.print(visible(text), style=style, markup=False)
    except BrokenPipeError:
        raise
    except OSError:  # stderr is a file on a full disk: what it would have said is lost, and nothing else
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - until the end, which would flush it again
