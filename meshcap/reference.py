"""docs/commands.md: every command with its arguments and options, written from the code."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer.main

from capacity.exit_codes import document
from capacity.judgement.expect import FIGURES
from meshcap.cli import app
from meshcap.published_documents import PUBLISHED


def command_page() -> str:
    """The whole page as Markdown."""
    lines = ["# Commands", "", "Written from the code by `make schemas`. Data goes to stdout, talk to stderr.", ""]
    for path, command in _commands(typer.main.get_command(app), ()):
        lines += _section(path, command)
    lines += ["## Exit codes", "", "| code | meaning |", "|---|---|"]
    lines += [f"| {code} | {meaning} |" for code, meaning in document().items()]
    lines += ["", "## Figures that a threshold may name", "", "| figure | kind | meaning |", "|---|---|---|"]
    lines += [f"| `{name}` | {kind} | {meaning} |" for name, (kind, _, _, meaning) in FIGURES.items()]
    return "\n".join(lines) + "\n"


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield path, command
        return
    for name, each in inner.items():
        yield from _commands(each, (*path, name))


def _section(path: tuple[str, ...], command: Any) -> list[str]:
    shown = [each for each in command.params if not getattr(each, "hidden", False) and each.name != "help"]
    arguments = [each for each in shown if each.param_type_name == "argument"]
    usage = " ".join(["meshcap", *path, *(each.name.upper() for each in arguments)])
    lines = [f"## {' '.join(path)}", "", f"`{usage}`", "", " ".join((command.help or "").split()), ""]
    if command.epilog:
        lines += ["```", *inspect.cleandoc(command.epilog.replace("\b\nExamples:\n", "")).splitlines(), "```", ""]
    lines += ["| argument or option | default | meaning |", "|---|---|---|"]
    for each in shown:
        name = each.name.upper() if each in arguments else ", ".join(f"`{option}`" for option in each.opts)
        default = "required" if each.required else "" if each.default in (None, False, ()) else f"`{each.default}`"
        lines.append(f"| {name} | {default} | {' '.join((each.help or '').split())} |")
    if documents := PUBLISHED.get(" ".join(path)):
        files = " or ".join(f"[{name}](../schemas/{name}.schema.json)" for name, _ in documents)
        lines += ["", f"JSON: {files}."]
    return [*lines, ""]
