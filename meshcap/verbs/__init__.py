"""One file per verb, each named after it: a function `command`, or an `app` for a verb with verbs of its own."""

from __future__ import annotations

from importlib import import_module

import typer

_VERBS = (
    "plan",
    "run",
    "metrics",
    "compare",
    "report",
    "cost",
    "heartbeat",
    "limits",
    "prices",
    "calc",
    "sandbox",
    "table",
    "doctor",
)


def register(app: typer.Typer) -> None:
    """Add every verb to the command. A verb imports what it needs when it runs, so that the others stay fast."""
    for name in _VERBS:
        verb = import_module(f"meshcap.verbs.{name}")
        if hasattr(verb, "app"):
            app.add_typer(verb.app, name=name)
        else:
            app.command(name, context_settings=getattr(verb, "CONTEXT", None))(verb.command)
