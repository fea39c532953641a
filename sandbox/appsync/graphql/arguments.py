"""Arguments of a field: literals coerced once, variables filled in at each run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphql import (
    FieldNode,
    GraphQLError,
    GraphQLField,
    GraphQLNonNull,
    NonNullTypeNode,
    NullValueNode,
    Undefined,
    VariableDefinitionNode,
    VariableNode,
    Visitor,
    get_argument_values,
    value_from_ast,
    visit,
)
from graphql.execution.values import VariableValues

Build = Callable[[dict[str, Any]], dict[str, Any]]


def compile_arguments(
    field: GraphQLField, node: FieldNode, definitions: dict[str, VariableDefinitionNode]
) -> Build | None:
    """A function from variable values to arguments; None when a rule applies that only an executor knows: a variable
    inside a literal, a nullable variable for a required argument, a default on an argument.
    """
    constants: dict[str, Any] = {}
    from_variables: list[tuple[str, str]] = []
    given = {argument.name.value: argument.value for argument in node.arguments or ()}
    for name, argument in field.args.items():
        if argument.default_value is not Undefined or getattr(argument, "default", None):
            return None
        value = given.get(name)
        if value is None:
            continue
        if isinstance(value, VariableNode):
            definition = definitions[value.name.value]
            if isinstance(argument.type, GraphQLNonNull) and not isinstance(definition.type, NonNullTypeNode):
                return None
            from_variables.append((name, value.name.value))
        elif isinstance(value, NullValueNode):
            constants[name] = None
        elif _mentions_variable(value):
            return None
        else:
            constants[name] = value_from_ast(value, argument.type)
            if constants[name] is Undefined:
                return None
    if not from_variables:
        return lambda _variables: dict(constants)

    def build(variables: dict[str, Any]) -> dict[str, Any]:
        arguments = constants.copy()
        for name, variable in from_variables:
            if variable in variables:
                arguments[name] = variables[variable]
        return arguments

    return build


def argument_values(field: GraphQLField, node: FieldNode, variables: VariableValues) -> dict[str, Any]:
    """Arguments of one request. Raises GraphQLError, in graphql-java's words, when a variable that may be null is null
    where the argument may not."""
    try:
        return get_argument_values(field, node, variables)
    except GraphQLError:
        for given in node.arguments or ():
            name, value = given.name.value, given.value
            declared = field.args[name].type
            null = isinstance(value, VariableNode) and variables.coerced.get(value.name.value) is None
            if null and isinstance(declared, GraphQLNonNull):
                text = f"Argument '{name}' has coerced Null value for NonNull type '{declared}'"
                raise GraphQLError(text, [node]) from None
        raise


def _mentions_variable(value: Any) -> bool:
    found = False

    class Search(Visitor):
        def enter_variable(self, *_: Any) -> None:
            nonlocal found
            found = True

    visit(value, Search())
    return found
