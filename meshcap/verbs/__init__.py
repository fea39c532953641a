"""One file per verb, each named after it: a function `command`, or an `app` for a verb with verbs of its own."""

from __future__ import annotations

from importlib import import_module

import typer

_VERBS = (
    "plan",
    "run",
    "rerun",
    "metrics",
    "compare",
    "report",
    "runs",
    "cost",
    "heartbeat",
    "limits",
    "lint",
    "import-metrics",
    "sizing",
    "prices",
    "calc",
    "sandbox",
    "table",
    "doctor",
)


def register(app: typer.Typer) -> None:
    """Add every verb to the command. A verb imports what it needs when it runs, so that the others stay fast."""
    for name in _VERBS:
        verb = import_module(f"meshcap.verbs.{name.replace('-', '_')}")
        short = _summary(verb.__doc__ or "")
        if hasattr(verb, "app"):
            app.add_typer(verb.app, name=name, short_help=short)
        else:
            app.command(name, context_settings=getattr(verb, "CONTEXT", None), short_help=short)(verb.command)


def _summary(docstring: str) -> str:
    """What stands after the command in the first line of a verb's docstring, as a sentence of its own."""
    said = docstring.strip().splitlines()[0].split("`: ", 1)[-1]
    return said[:1].upper() + said[1:]
