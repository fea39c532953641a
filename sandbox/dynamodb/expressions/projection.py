"""Projections: the parts of an item that a read asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.dynamodb.expressions.bind import Binder, Path, path_text
from sandbox.dynamodb.expressions.condition import value_at
from sandbox.dynamodb.expressions.parse import Node
from sandbox.dynamodb.values import AttributeValue, Item

Projection = Callable[[Item], Item]


def bind_paths(nodes: Node, binder: Binder, parameter: str = "ProjectionExpression") -> list[Path]:
    """The resolved paths; two that are equal or contain each other are refused."""
    binder.parameter = parameter
    paths = [binder.path(node) for node in nodes]
    check_overlap(paths, binder)
    return paths


def check_overlap(paths: list[Path], binder: Binder) -> None:
    for position, one in enumerate(paths):
        for two in paths[position + 1 :]:
            shorter = min(len(one), len(two))
            if one[:shorter] == two[:shorter]:
                raise binder.error(
                    "Two document paths overlap with each other; must remove or rewrite one of these paths; "
                    f"path one: {path_text(one)}, path two: {path_text(two)}"
                )
            for depth in range(1, shorter):
                if one[:depth] == two[:depth] and isinstance(one[depth], int) != isinstance(two[depth], int):
                    raise binder.error(
                        "Two document paths conflict with each other; must remove or rewrite one of these paths; "
                        f"path one: {path_text(one)}, path two: {path_text(two)}"
                    )


def compile_projection(paths: list[Path]) -> Projection:
    """A function that cuts an item down to `paths`."""
    if all(len(path) == 1 for path in paths):
        names = tuple(dict.fromkeys(str(path[0]) for path in paths))
        return lambda item: {name: item[name] for name in names if name in item}
    return lambda item: project(item, paths)


def project(item: Item, paths: list[Path]) -> Item:
    """The parts of `item` at `paths`; list elements keep their order and close up."""
    tree: dict[Any, Any] = {}
    for path in paths:
        value = value_at(item, path)
        if value is None:
            continue
        branch = tree
        for part in path[:-1]:
            branch = branch.setdefault(part, {})
        branch[path[-1]] = _Leaf(value)
    return {name: _grown(branch) for name, branch in tree.items()}


class _Leaf:
    __slots__ = ("value",)

    def __init__(self, value: AttributeValue):
        self.value = value


def _grown(branch: Any) -> AttributeValue:
    if isinstance(branch, _Leaf):
        return branch.value
    if isinstance(next(iter(branch)), int):
        return {"L": [_grown(branch[position]) for position in sorted(branch)]}
    return {"M": {name: _grown(child) for name, child in branch.items()}}
