"""Turns a resolver's value into the answer that a selection asks for, by closures compiled once per document.

Nulls propagate as the GraphQL specification says (2021-10, section 6.4.4): a null or unserialisable value at a non-null
position empties the nearest nullable parent. Each is reported with its path, several of one object too, as AppSync does
(aws-appsync-community issue 247, 2022-09).
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
        refuse: Refuse | None = None
        if isinstance(declared, GraphQLNonNull):
            declared = declared.of_type
            refuse = _refusal(declared, parent)
        if isinstance(declared, GraphQLList):
            return _list(self.complete(declared.of_type, selections, parent, shape), refuse)
        if isinstance(declared, GraphQLObjectType):
            return _object(self._plan(declared, selections, shape), refuse)
        assert isinstance(declared, GraphQLLeafType)
        return _leaf(declared, refuse)

    def _plan(self, declared: GraphQLObjectType, selections: list[SelectionSetNode], shape: Shape | None) -> Plan:
        available = None if shape is None else dict(shape)
        plan: Plan = []
        for key, nodes in self.collector.collect(declared, selections).items():
            name = nodes[0].name.value
            if name == "__typename":
                plan.append((key, name, _Never, False, _constant(declared.name)))
                continue
            kind = declared.fields[name].type
            nullable = not isinstance(kind, GraphQLNonNull)
            inner = None if available is None else available.get(name)
            complete = self.complete(kind, self.collector.below(nodes), declared.name, inner)
            if available is not None and name not in available:
                plan.append((key, _ABSENT, _Never, nullable, complete))
                continue
            leaf = kind.of_type if isinstance(kind, GraphQLNonNull) else kind
            exact = _EXACT.get(getattr(leaf, "name", ""), _Never)
            plan.append((key, name, exact, nullable, complete))
        return plan


Plan = list[tuple[str, Any, type, bool, Complete]]
"""Response key, field name, type that needs no completion, whether null will do, and the completion of each field."""

Refuse = Callable[[Errors, Any], Any]
"""Reports a null at a non-null position and raises NullAtNonNull."""

_ABSENT = object()  # a key that no value has: the field arrives as null


def _constant(value: Any) -> Complete:
    return lambda _value, _errors, _path: value


def _object(plan: Plan, refuse: Refuse | None) -> Complete:
    def project(value: Any, errors: Errors, path: Any) -> Any:
        if value.__class__ is not dict:
            return _unfit(value, "OBJECT", refuse, errors, path)
        get = value.get
        out = {}
        whole = True
        for key, name, exact, nullable, complete in plan:
            field = get(name)
            if field.__class__ is exact:
                out[key] = field
            elif nullable and field is None:
                out[key] = None
            else:
                try:
                    out[key] = complete(field, errors, (path, key))
                except NullAtNonNull:
                    whole = False  # its siblings may be at fault, too
        if whole:
            return out
        raise NullAtNonNull

    return project if refuse is not None else _or_null(project)


def _list(complete: Complete, refuse: Refuse | None) -> Complete:
    def each(value: Any, errors: Errors, path: Any) -> Any:
        if value.__class__ is not list:
            return _unfit(value, "LIST", refuse, errors, path)
        out = []
        whole = True
        for index, member in enumerate(value):
            try:
                out.append(complete(member, errors, (path, index)))
            except NullAtNonNull:
                whole = False
        if whole:
            return out
        raise NullAtNonNull

    return each if refuse is not None else _or_null(each)


def _leaf(declared: GraphQLLeafType, refuse: Refuse | None) -> Complete:
    serialize = declared.serialize

    def complete(value: Any, errors: Errors, path: Any) -> Any:
        if value is None:
            return None if refuse is None else refuse(errors, path)
        try:
            return serialize(value)
        except Exception as fault:
            _report(errors, path, f"Can't serialize value ({_text(path)}) : {fault}")
            if refuse is not None:
                raise NullAtNonNull from None
            return None

    return complete


def _or_null(complete: Complete) -> Complete:
    """Takes the null of a required member upon itself."""

    def nullable(value: Any, errors: Errors, path: Any) -> Any:
        try:
            return complete(value, errors, path)
        except NullAtNonNull:
            return None

    return nullable


def _unfit(value: Any, expected: str, refuse: Refuse | None, errors: Errors, path: Any) -> None:
    if value is None:
        if refuse is not None:
            refuse(errors, path)
        return
    _report(errors, path, f"Can't resolve value ({_text(path)}) : type mismatch error, expected type {expected}")
    if refuse is not None:
        raise NullAtNonNull


def _refusal(declared: GraphQLOutputType, parent: str) -> Refuse:
    name = type_name(declared)

    def refuse(errors: Errors, path: Any) -> None:
        text = f"Cannot return null for non-nullable type: '{name}' within parent '{parent}' ({_text(path)})"
        _report(errors, path, text)
        raise NullAtNonNull

    return refuse


def type_name(declared: Any) -> str:
    """The name of a type that must not be null; a list has none, and AppSync prints it as `null`."""
    return "null" if isinstance(declared, GraphQLList) else str(declared)


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
