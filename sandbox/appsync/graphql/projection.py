"""Turns a resolver's value into the answer that a selection asks for, by closures compiled once per document.

Nulls propagate as the GraphQL specification says (2021-10, section 6.4.4): a null or unserialisable value at a non-null
position empties the nearest nullable parent, and is reported once with its path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphql import (
    GraphQLLeafType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLOutputType,
    SelectionSetNode,
)

from sandbox.appsync.graphql.selections import Collector, Shape

Errors = list[dict[str, Any]]
Link = tuple[Any, str | int]
"""A path as a linked list, newest element outermost: `((None, "listNodes"), 0)`. None is the root."""

Complete = Callable[[Any, Errors, Any], Any]


class NullAtNonNull(Exception):
    """Raised towards the nearest nullable parent; the error has been reported already."""


class _Never:
    """A type that no value has: sends a field to its `complete` function."""


_EXACT: dict[str, type] = {"String": str, "ID": str, "Boolean": bool, "Float": float}


class Projector:
    """Compiles selections of one operation."""

    def __init__(self, collector: Collector) -> None:
        self.collector = collector

    def complete(
        self,
        declared: GraphQLOutputType,
        selections: list[SelectionSetNode],
        parent: str,
        shape: Shape | None = None,
    ) -> Complete:
        """The function that completes a value of the declared type.

        `shape` restricts it to fields that a publication carries; None is everything. `parent`: name of the type that
        has the field, for error messages.
        """
        if isinstance(declared, GraphQLNonNull):
            return _non_null(
                self._nullable(declared.of_type, selections, parent, shape, True), declared.of_type, parent
            )
        return self._nullable(declared, selections, parent, shape, False)

    def _nullable(
        self,
        declared: GraphQLOutputType,
        selections: list[SelectionSetNode],
        parent: str,
        shape: Shape | None,
        strict: bool,
    ) -> Complete:
        if isinstance(declared, GraphQLList):
            return _list(self.complete(declared.of_type, selections, parent, shape), strict)
        if isinstance(declared, GraphQLObjectType):
            return _object(self._plan(declared, selections, shape), strict)
        assert isinstance(declared, GraphQLLeafType)
        return _leaf(declared, strict)

    def _plan(
        self, declared: GraphQLObjectType, selections: list[SelectionSetNode], shape: Shape | None
    ) -> list[tuple[str, Any, type, Complete]]:
        """(response key, field name, type that needs no completion, completion) of each field."""
        available = None if shape is None else dict(shape)
        plan: list[tuple[str, Any, type, Complete]] = []
        for key, nodes in self.collector.collect(declared, selections).items():
            name = nodes[0].name.value
            if name == "__typename":
                plan.append((key, name, _Never, _constant(declared.name)))
                continue
            kind = declared.fields[name].type
            inner = None if available is None else available.get(name)
            complete = self.complete(kind, self.collector.below(nodes), declared.name, inner)
            if available is not None and name not in available:
                plan.append((key, _ABSENT, _Never, complete))
                continue
            leaf = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
            exact = _EXACT.get(getattr(leaf, "name", ""), _Never)
            plan.append((key, name, exact, complete))
        return plan


_ABSENT = object()  # a key that no value has: the field arrives as null


def _constant(value: Any) -> Complete:
    return lambda _value, _errors, _path: value


def _object(plan: list[tuple[str, Any, type, Complete]], strict: bool) -> Complete:
    def project(value: Any, errors: Errors, path: Any) -> Any:
        if value is None:
            return None
        if value.__class__ is not dict:
            _report(errors, path, f"Can't resolve value ({_text(path)}) : type mismatch error, expected type OBJECT")
            if strict:
                raise NullAtNonNull
            return None
        get = value.get
        out = {}
        for key, name, exact, complete in plan:
            field = get(name)
            out[key] = field if field.__class__ is exact else complete(field, errors, (path, key))
        return out

    if strict:
        return project

    def project_or_null(value: Any, errors: Errors, path: Any) -> Any:
        try:
            return project(value, errors, path)
        except NullAtNonNull:
            return None

    return project_or_null


def _list(complete: Complete, strict: bool) -> Complete:
    def each(value: Any, errors: Errors, path: Any) -> Any:
        if value is None:
            return None
        if value.__class__ is not list:
            _report(errors, path, f"Can't resolve value ({_text(path)}) : type mismatch error, expected type LIST")
            if strict:
                raise NullAtNonNull
            return None
        try:
            return [complete(member, errors, (path, index)) for index, member in enumerate(value)]
        except NullAtNonNull:
            if strict:
                raise
            return None

    return each


def _leaf(declared: GraphQLLeafType, strict: bool) -> Complete:
    serialize = declared.serialize

    def complete(value: Any, errors: Errors, path: Any) -> Any:
        if value is None:
            return None
        try:
            return serialize(value)
        except Exception as fault:
            _report(errors, path, f"Can't serialize value ({_text(path)}) : {fault}")
            if strict:
                raise NullAtNonNull from None
            return None

    return complete


def _non_null(complete: Complete, declared: GraphQLOutputType, parent: str) -> Complete:
    def required(value: Any, errors: Errors, path: Any) -> Any:
        if value is None:
            _report(
                errors,
                path,
                f"Cannot return null for non-nullable type: '{_type_name(declared)}' "
                f"within parent '{parent}' ({_text(path)})",
            )
            raise NullAtNonNull
        return complete(value, errors, path)

    return required


def _type_name(declared: Any) -> str:
    return _type_name(declared.of_type) if isinstance(declared, GraphQLList | GraphQLNonNull) else str(declared)


def path_list(path: Any) -> list[str | int]:
    """A linked path as the list that an error carries."""
    found: list[str | int] = []
    while path is not None:
        path, key = path
        found.append(key)
    found.reverse()
    return found


def _text(path: Any) -> str:
    return "".join(f"[{key}]" if isinstance(key, int) else f"/{key}" for key in path_list(path))


def _report(errors: Errors, path: Any, message: str) -> None:
    errors.append({"path": path_list(path), "locations": None, "message": message})
