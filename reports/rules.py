"""The rules of the throughput physics that rest on evidence of differing strength, as their source states them."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from capacity.physics import parameters

_EVIDENCE = re.compile(r"(?P<meaning>.*?)\s*\((?P<source>[^()]*\b(?P<confidence>high|middle|low)\b[^()]*)\)")


@dataclass(frozen=True)
class Rule:
    """A number that AWS does not let you set: its name, value, meaning, source and confidence."""

    name: str
    value: float
    meaning: str
    source: str
    confidence: str


@cache
def rules() -> tuple[Rule, ...]:
    """Return the parameters of the physics with the evidence that stands beside each of them in its source."""
    body = next(
        node
        for node in ast.parse(inspect.getsource(parameters)).body
        if isinstance(node, ast.ClassDef) and node.name == "Parameters"
    ).body
    found = []
    for field, text in pairwise(body):
        if not (isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name)):
            continue
        if not (isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)):
            continue
        match = _EVIDENCE.match(" ".join(str(text.value.value).split()))
        if match is None:
            continue
        source = re.sub(r"[;,]?\s*\b(high|middle|low)\b", "", match["source"], count=1).strip(" ;,")
        value = float(getattr(parameters.DEFAULT, field.target.id))
        found.append(Rule(field.target.id, value, match["meaning"], source, match["confidence"]))
    return tuple(found)
