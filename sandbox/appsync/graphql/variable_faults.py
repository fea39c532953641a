"""Why variables do not fit, in the words of AppSync's engine (graphql-java): one fault, the first.

Captured wordings: aws-appsync-community issues 406 (2026-01) and 273 (2023-03), and the messages that clients quote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
    GraphQLSchema,
    Undefined,
    VariableDefinitionNode,
    type_from_ast,
)

from sandbox.appsync.errors import location, request_error

_JAVA_NAMES = {str: "String", bool: "Boolean", float: "Double", list: "ArrayList", dict: "LinkedHashMap"}
_INTEGER, _LONG = range(-(2**31), 2**31), range(-(2**63), 2**63)


class _Unfit(Exception):
    """`located` tells whether the answer says where; AppSync does not for an unknown field."""

    def __init__(self, message: str, located: bool = True) -> None:
        super().__init__(message)
        self.located = located


def variable_error(
    schema: GraphQLSchema, definitions: Sequence[VariableDefinitionNode], given: Mapping[str, Any]
) -> dict[str, Any]:
    """The entry of `errors` for variables that have been found not to fit."""
    for definition in definitions:
        name = definition.variable.name.value
        declared = type_from_ast(schema, definition.type)
        if declared is None or (name not in given and definition.default_value is not None):
            continue
        try:
            _check(name, declared, given.get(name))
        except _Unfit as fault:
            return request_error(str(fault), [_location(definition)] if fault.located else None)
    return request_error("A variable has an invalid value.", [_location(each) for each in definitions[:1]])


def _check(name: str, declared: Any, value: Any) -> None:
    """Raises _Unfit."""
    if isinstance(declared, GraphQLNonNull):
        if value is None:
            raise _Unfit(f"Variable '{name}' has coerced Null value for NonNull type '{declared}'")
        declared = declared.of_type
    if value is None:
        return
    if isinstance(declared, GraphQLList):
        for member in value if isinstance(value, list) else [value]:
            _check(name, declared.of_type, member)
    elif isinstance(declared, GraphQLInputObjectType):
        _check_object(name, declared, value)
    elif isinstance(declared, GraphQLScalarType):
        _check_scalar(name, declared, value)


def _check_object(name: str, declared: GraphQLInputObjectType, value: Any) -> None:
    if not isinstance(value, dict):
        raise _Unfit(
            f"Variable '{name}' has an invalid value. Expected type 'Map' but was '{_java_name(value)}'. "
            "Variables for input objects must be an instance of type 'Map'."
        )
    if not value.keys() <= declared.fields.keys():
        raise _Unfit(
            f"The variables input contains a field that is not defined for input object type '{declared.name}' ",
            located=False,
        )
    for member, field in declared.fields.items():
        if member in value or getattr(field, "default_value", Undefined) is Undefined:
            _check(name, field.type, value.get(member))


def _check_scalar(name: str, declared: GraphQLScalarType, value: Any) -> None:
    try:
        declared.parse_value(value)
    except GraphQLError as fault:
        if declared.name.startswith("AWS"):
            raise _Unfit(f"Variable '{name}' has an invalid value. {fault.message}") from None
        was = _java_name(value)
        raise _Unfit(
            f"Variable '{name}' has an invalid value. Expected type '{declared.name}' but was '{was}'."
        ) from None


def _java_name(value: Any) -> str:
    """The class that Java's JSON reader makes of a value."""
    if type(value) is int:
        return "Integer" if value in _INTEGER else "Long" if value in _LONG else "BigInteger"
    return _JAVA_NAMES[type(value)]


def _location(definition: VariableDefinitionNode) -> dict[str, Any]:
    token = definition.loc.start_token if definition.loc is not None else None
    return location(token.line, token.column) if token is not None else location(1, 1)
