"""Exit codes of the command line: an interface that scripts may rely on."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What a `meshcap` command's exit status means."""

    OK = 0
    """The command did its work and every threshold held."""
    USAGE = 2
    """The command line itself is not understood: an unknown verb or option."""
    INTERNAL = 70
    """A defect of meshcap itself; the message says what to report."""
    THRESHOLD_FAILED = 99
    """The run is valid and at least one threshold of `expect` did not hold."""
    BAD_CONFIGURATION = 104
    """A scenario, option, file or run directory is not what it must be; every fault is listed."""
    INTERRUPTED = 105
    """Stopped by Ctrl-C or a signal; what exists of the run directory is marked so."""
    NOT_VALID = 106
    """The load generator was the bottleneck, or the run was cut short: the run says nothing about the target."""
    TARGET_UNREACHABLE = 107
    """The target did not answer, or its table, key or permission is missing."""
    UNKNOWN = 108
    """A threshold could not be judged because its figure is unknown, such as a metric without points."""
    STOPPED = 109
    """The run stopped itself: its spend passed --max-usd, or a threshold of --abort broke (99 for one of `expect`)."""


def document() -> dict[int, str]:
    """Each code and its meaning, for the documentation."""
    return {code.value: doc for code, doc in zip(ExitCode, _meanings(), strict=True)}


def _meanings() -> list[str]:
    import ast
    import inspect
    import textwrap

    body = ast.parse(textwrap.dedent(inspect.getsource(ExitCode))).body[0]
    assert isinstance(body, ast.ClassDef)
    docs = [
        node.value.value
        for node in body.body[1:]
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    ]
    return [str(doc) for doc in docs]
