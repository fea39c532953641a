"""How a violation of a request's shape is worded (published captures, dynamodb-conformance, 2026-10)."""

from __future__ import annotations

from typing import Any

import orjson


def violation(value: Any, path: str, constraint: str) -> str:
    """One violation in AWS's words."""
    return f"Value {_shown(value)} at '{path}' failed to satisfy constraint: {constraint}"


def length_of_keys(value: Any, path: str, constraint: str) -> str:
    """BatchGetItem names the member as the request spells it, and does not show it."""
    return f"Value at '{path[0].upper()}{path[1:].removesuffix('keys')}Keys' failed to satisfy constraint: {constraint}"


def _shown(value: Any) -> str:
    if value is None:
        return "null"
    return f"'{value}'" if isinstance(value, (str, int, float)) else f"'{as_text(value)}'"


def as_text(value: Any) -> str:
    """A value as AWS shows it inside another."""
    if isinstance(value, list):
        return "[" + ", ".join(as_text(each) for each in value) + "]"
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def path_of(parent: str, name: str) -> str:
    """The path of a member below `parent`, "" for the request itself."""
    return f"{parent}.{lower_first(name)}" if parent else lower_first(name)


def lower_first(name: str) -> str:
    """A member's name as paths spell it."""
    return name[0].lower() + name[1:]
