"""From expression text to a tree of small tuples, cached per text."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer
from lark.exceptions import UnexpectedInput

from sandbox.dynamodb.errors import validation

MAX_BYTES = 4096

Node = tuple[Any, ...]
"""("path", ("a", 0, "#b")), ("value", ":v"), ("function", name, args), ("compare", operator, left, right),
("between", x, low, high), ("in", x, options), ("and"|"or", left, right), ("not", x), ("plus"|"minus", left, right)."""

_HERE = Path(__file__).parent
RESERVED_WORDS = frozenset(
    line for line in (_HERE / "reserved_words.txt").read_text().splitlines() if line and not line.startswith("#")
)
FUNCTIONS = frozenset(
    (
        *("attribute_exists", "attribute_not_exists", "attribute_type", "begins_with", "contains", "size"),
        *("if_not_exists", "list_append"),
    )
)
_TOKEN = re.compile(r"[#:]?[A-Za-z0-9_]+|<=|>=|<>|\s+|.", re.DOTALL)


class _Tree(Transformer[Token, Any]):
    def path_start(self, children: list[Token]) -> str:
        return str(children[0])

    path_name = path_start

    def index(self, children: list[Token]) -> int:
        return int(children[0])

    def path(self, children: list[str | int]) -> Node:
        return ("path", tuple(children))

    def value(self, children: list[Token]) -> Node:
        return ("value", str(children[0]))

    def function(self, children: list[Any]) -> Node:
        return ("function", str(children[0]), tuple(children[1:]))

    def parentheses(self, children: list[Node]) -> Node:
        return ("parentheses", children[0])

    def compare(self, children: list[Any]) -> Node:
        return ("compare", str(children[1]), children[0], children[2])

    def between(self, children: list[Any]) -> Node:
        return ("between", children[0], children[2], children[4])

    def in_(self, children: list[Any]) -> Node:
        return ("in", children[0], tuple(children[2:]))

    def and_(self, children: list[Any]) -> Node:
        return ("and", children[0], children[2])

    def or_(self, children: list[Any]) -> Node:
        return ("or", children[0], children[2])

    def not_(self, children: list[Any]) -> Node:
        return ("not", children[1])

    def plus(self, children: list[Any]) -> Node:
        return ("plus", children[0], children[2])

    def minus(self, children: list[Any]) -> Node:
        return ("minus", children[0], children[2])

    def assignment(self, children: list[Any]) -> Node:
        return (children[0], children[1])

    def pair(self, children: list[Any]) -> Node:
        return (children[0], children[1])

    def set(self, children: list[Any]) -> Node:
        return ("SET", tuple(children[1:]))

    def remove(self, children: list[Any]) -> Node:
        return ("REMOVE", tuple(children[1:]))

    def add(self, children: list[Any]) -> Node:
        return ("ADD", tuple(children[1:]))

    def delete(self, children: list[Any]) -> Node:
        return ("DELETE", tuple(children[1:]))

    def condition(self, children: list[Any]) -> Node:
        return children[0]  # type: ignore[no-any-return]

    def update(self, children: list[Any]) -> Node:
        return tuple(children)

    projection = update


@lru_cache(maxsize=1)
def _parsers() -> dict[str, Lark]:
    grammar = (_HERE / "grammar.lark").read_text()
    return {start: Lark(grammar, parser="lalr", start=start) for start in ("condition", "update", "projection")}


@lru_cache(maxsize=4096)
def parse(start: str, parameter: str, text: str) -> Node:
    """The tree of `text`; `start`: condition, update or projection. ValidationException names `parameter`."""
    if not text:
        raise validation(f"Invalid {parameter}: The expression can not be empty;")
    size = len(text.encode())
    if size > MAX_BYTES:
        raise validation(
            f"Invalid {parameter}: Expression size has exceeded the maximum allowed size; expression size: {size}"
        )
    try:
        tree: Node = _Tree().transform(_parsers()[start].parse(text))
    except UnexpectedInput as error:
        raise validation(f"Invalid {parameter}: Syntax error; {_near(text, error)}") from None
    return tree


def _near(text: str, error: UnexpectedInput) -> str:
    """AWS's description of a syntax error: the offending token, and it with both its neighbours."""
    at = error.pos_in_stream if error.pos_in_stream is not None and error.pos_in_stream >= 0 else len(text)
    if isinstance(getattr(error, "token", None), Token) and error.token.type == "$END":  # type: ignore[attr-defined]
        at = len(text)
    spans = [match.span() for match in _TOKEN.finditer(text) if not match.group().isspace()]
    before = [span for span in spans if span[1] <= at]
    here = next((span for span in spans if span[0] <= at < span[1]), None)
    if here is None:
        start = before[-1][0] if before else 0
        return f'token: "<EOF>", near: "{text[start:].rstrip()}"'
    after = next((span for span in spans if span[0] >= here[1]), here)
    start = before[-1][0] if before else here[0]
    return f'token: "{text[here[0] : here[1]]}", near: "{text[start : after[1]]}"'
