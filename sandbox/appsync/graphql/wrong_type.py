"""Literals that do not fit their argument, in the words of AppSync's engine (graphql-java 13).

`argument 'data[0]' with value 'ObjectValue{...}' is missing required fields '[value]'`. Captured wordings:
aws-mobile-appsync-sdk-js issue 554 (2020-04), aws-appsync-community issue 273 (2023-03).
"""

from __future__ import annotations

from typing import Any

from graphql import (
    ArgumentNode,
    BooleanValueNode,
    EnumValueNode,
    FloatValueNode,
    GraphQLError,
    GraphQLInputObjectType,
    GraphQLList,
    GraphQLNonNull,
    GraphQLScalarType,
    IntValueNode,
    ListValueNode,
    NullValueNode,
    ObjectValueNode,
    StringValueNode,
    Undefined,
    ValidationRule,
    VariableNode,
    value_from_ast,
)

OPENING = "argument '"


class WrongTypeRule(ValidationRule):
    """Takes the place of graphql-core's rule on values where a fault is to be worded."""

    def enter_argument(self, node: ArgumentNode, *_: Any) -> None:
        argument = self.context.get_argument()
        if argument is None:
            return
        try:
            _check(argument.type, node.value, node.name.value, node.value)
        except _Unfit as fault:
            self.report_error(GraphQLError(str(fault), [node]))


class _Unfit(Exception):
    """The message is the whole sentence."""

    def __init__(self, path: str, shown: Any, why: str) -> None:
        super().__init__(f"{OPENING}{path}' with value '{as_java(shown)}' {why}")


def _check(declared: Any, value: Any, path: str, whole: Any) -> None:
    """Raises _Unfit. `whole` is the argument's value: graphql-java shows that one where an object is at fault."""
    if isinstance(value, NullValueNode):
        if isinstance(declared, GraphQLNonNull):
            raise _Unfit(path, value, "must not be null")
        return
    if isinstance(value, VariableNode):
        return
    if isinstance(declared, GraphQLNonNull):
        declared = declared.of_type
    if isinstance(declared, GraphQLList):
        if not isinstance(value, ListValueNode):
            _check(declared.of_type, value, path, whole)
            return
        for index, member in enumerate(value.values):
            _check(declared.of_type, member, f"{path}[{index}]", whole)
    elif isinstance(declared, GraphQLInputObjectType):
        _check_object(declared, value, path, whole)
    elif isinstance(declared, GraphQLScalarType) and not _is_valid(declared, value):
        raise _Unfit(path, value, f"is not a valid '{declared.name}'")


def _check_object(declared: GraphQLInputObjectType, value: Any, path: str, whole: Any) -> None:
    if not isinstance(value, ObjectValueNode):
        raise _Unfit(path, whole, "must be an object type")
    given = {field.name.value for field in value.fields}
    missing = [
        name
        for name, field in declared.fields.items()
        if name not in given
        and isinstance(field.type, GraphQLNonNull)
        and getattr(field, "default_value", Undefined) is Undefined
    ]
    if missing:
        raise _Unfit(path, whole, f"is missing required fields '[{', '.join(missing)}]'")
    for each in value.fields:
        name = each.name.value
        if name not in declared.fields:
            raise _Unfit(path, whole, f"contains a field not in '{declared.name}': '{name}'")
        _check(declared.fields[name].type, each.value, f"{path}.{name}", whole)


def _is_valid(declared: GraphQLScalarType, value: Any) -> bool:
    try:
        return value_from_ast(value, declared) is not Undefined
    except GraphQLError:
        return False


_SCALARS: dict[type, str] = {
    StringValueNode: "StringValue{{value='{0}'}}",
    IntValueNode: "IntValue{{value={0}}}",
    FloatValueNode: "FloatValue{{value={0}}}",
    EnumValueNode: "EnumValue{{name='{0}'}}",
}


def as_java(value: Any) -> str:
    """A literal as graphql-java prints its syntax tree."""
    if isinstance(value, ListValueNode):
        return f"ArrayValue{{values=[{', '.join(as_java(member) for member in value.values)}]}}"
    if isinstance(value, ObjectValueNode):
        fields = [f"ObjectField{{name='{each.name.value}', value={as_java(each.value)}}}" for each in value.fields]
        return f"ObjectValue{{objectFields=[{', '.join(fields)}]}}"
    if isinstance(value, VariableNode):
        return f"VariableReference{{name='{value.name.value}'}}"
    if isinstance(value, BooleanValueNode):
        return f"BooleanValue{{value={str(value.value).lower()}}}"
    if isinstance(value, NullValueNode):
        return "NullValue{}"
    return _SCALARS[type(value)].format(value.value)
