"""Where output goes: data to stdout, talk to stderr; colour off with NO_COLOR or when nobody looks."""

from __future__ import annotations

import sys

from rich.console import Console

_PIPE_WIDTH = 1000  # a file or pipe has no width of its own; each row stays on one line

out = Console(soft_wrap=True, highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
talk = Console(stderr=True, soft_wrap=True, highlight=False)


def data(text: str) -> None:
    """Print data on stdout exactly as it is: no wrapping, no markup."""
    out.print(text, markup=False)


def say(text: str) -> None:
    """Tell the user something on stderr."""
    talk.print(text, markup=False)


def complain(text: str) -> None:
    """Tell the user what went wrong, on stderr."""
    talk.print(text, style="red", markup=False)
