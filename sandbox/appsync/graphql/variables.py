"""Variables of an operation: checked by closures compiled once per document, coerced by graphql-core when a value is
anything but plainly right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from graphql import (
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLSchema,
    Undefined,
    VariableDefinitionNode,
    type_from_ast,
)
from graphql.execution.values import VariableValues, get_variable_values

from sandbox.appsync.graphql.schema import is_date_time
from sandbox.appsync.graphql.variable_faults import variable_error

Check = Callable[[Any], bool]


class VariableFault(Exception):
    """Variables that do not fit; `errors` are the entries of the answer."""

    def __init__(self, errors: list[dict[str, Any]]) -> None:
        super().__init__(errors[0]["message"])
        self.errors = errors


class Variables:
    """The variable definitions of one operation."""

    def __init__(self, schema: GraphQLSchema, definitions: Sequence[VariableDefinitionNode]) -> None:
        self.schema = schema
        self.definitions = definitions
        self._plan: list[tuple[str, Check, bool]] = []
        self._always_slow = False
        for definition in definitions:
            declared = type_from_ast(schema, definition.type)
            check = compile_check(declared) if declared is not None else None
            if check is None or definition.default_value is not None:
                self._always_slow = True
                break
            self._plan.append((definition.variable.name.value, check, isinstance(declared, GraphQLNonNull)))

    def coerce(self, given: dict[str, Any]) -> dict[str, Any]:
        """Values by name; an omitted variable is absent. Raises VariableFault."""
        if not self._always_slow:
            values = {}
            for name, check, required in self._plan:
                if name in given:
                    value = given[name]
                    if not check(value):
                        break
                    values[name] = value
                elif required:
                    break
            else:
                return values
        return self.coerce_fully(given).coerced

    def coerce_fully(self, given: dict[str, Any]) -> VariableValues:
        """By graphql-core, with what its executor needs to know about each value."""
        values = get_variable_values(self.schema, self.definitions, given, max_errors=1)
        if isinstance(values, list):
            raise VariableFault([variable_error(self.schema, self.definitions, given)])
        return values


def compile_check(declared: Any) -> Check | None:
    """A function that says whether a JSON value is already a coerced one; None when no such shortcut exists."""
    if isinstance(declared, GraphQLNonNull):
        return compile_check_present(declared.of_type)
    present = compile_check_present(declared)
    return None if present is None else lambda value: value is None or present(value)


def compile_check_present(declared: Any) -> Check | None:
    if isinstance(declared, GraphQLList):
        member = compile_check(declared.of_type)
        return None if member is None else _list_check(member)
    if isinstance(declared, GraphQLInputObjectType):
        return _object_check(declared)
    return _LEAF_CHECKS.get(declared.name)


def _list_check(member: Check) -> Check:
    def check(value: Any) -> bool:
        if value.__class__ is not list:
            return False
        for each in value:  # noqa: SIM110 - all() over a generator costs twice as much here
            if not member(each):
                return False
        return True

    return check


def _object_check(declared: GraphQLInputObjectType) -> Check | None:
    required: list[tuple[str, Check]] = []
    optional: dict[str, Check] = {}
    for name, field in declared.fields.items():
        check = compile_check(field.type)
        if (
            check is None
            or getattr(field, "default_value", Undefined) is not Undefined
            or getattr(field, "default", None)
        ):
            return None
        if isinstance(field.type, GraphQLNonNull):
            required.append((name, check))
        else:
            optional[name] = check
    count = len(required)

    def check_object(value: Any) -> bool:
        if value.__class__ is not dict:
            return False
        for name, check in required:
            if name not in value or not check(value[name]):
                return False
        if len(value) == count:
            return True
        found = count
        for name, check in optional.items():
            if name in value:
                if not check(value[name]):
                    return False
                found += 1
        return found == len(value)

    return check_object


_LEAF_CHECKS: dict[str, Check] = {
    "String": lambda value: value.__class__ is str,
    "ID": lambda value: value.__class__ is str,
    "Boolean": lambda value: value.__class__ is bool,
    "Int": lambda value: value.__class__ is int and -2147483648 <= value <= 2147483647,
    "AWSDateTime": is_date_time,
}
