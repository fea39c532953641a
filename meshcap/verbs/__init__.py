"""One file per verb, each named after it, each with a function `command`."""

from __future__ import annotations

from importlib import import_module

import typer

_VERBS = ("plan", "run", "metrics", "compare", "report", "sandbox")


def register(app: typer.Typer) -> None:
    """Add every verb to the command. A verb imports what it needs when it runs, so that the others stay fast."""
    for name in _VERBS:
        app.command(name)(import_module(f"meshcap.verbs.{name}").command)
