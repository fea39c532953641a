"""An AppSync schema: AppSync's scalars and directives around the API's own types."""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from typing import Any

from graphql import (
    GraphQLError,
    GraphQLField,
    GraphQLScalarType,
    GraphQLSchema,
    StringValueNode,
    build_schema,
)
from graphql.utilities import value_from_ast_untyped

_PRELUDE = """
scalar AWSDateTime
directive @aws_subscribe(mutations: [String!]!) on FIELD_DEFINITION
directive @aws_api_key on OBJECT | FIELD_DEFINITION
"""

# Extended ISO 8601 with a compulsory offset. Source: AppSync developer guide, "AWS AppSync scalars" (read 2026-11).
_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d(:\d\d)?)\Z")


def is_date_time(value: Any) -> bool:
    """Whether a value is AWSDateTime text."""
    return type(value) is str and _is_date_time(value)


@lru_cache(maxsize=4096)  # a report's time is looked at when it is answered and again when it is published
def _is_date_time(value: str) -> bool:
    if not _DATE_TIME.match(value):
        return False
    try:
        datetime.fromisoformat(value[:19] if value[16] == ":" else value[:16])
    except (ValueError, IndexError):
        return False
    return True


def _parse(value: Any) -> str:
    if not is_date_time(value):
        raise GraphQLError(f"Unable to parse `{value}` as a valid DateTime Object.")
    text: str = value
    return text


def _parse_literal(node: Any, variables: Any = None) -> str:
    return _parse(node.value if isinstance(node, StringValueNode) else None)


def _serialize(value: Any) -> str:
    if not is_date_time(value):
        raise GraphQLError(f"Unable to serialize `{value}` as a valid DateTime Object.")
    text: str = value
    return text


def make_schema(types: str) -> GraphQLSchema:
    """The schema of an API from its types in schema language; raises GraphQLError for a faulty one."""
    schema = build_schema(_PRELUDE + types)
    date_time = schema.type_map["AWSDateTime"]
    assert isinstance(date_time, GraphQLScalarType)
    for name, function in (
        ("coerce_input_value", _parse),
        ("parse_value", _parse),
        ("coerce_input_literal", _parse_literal),
        ("parse_literal", _parse_literal),
        ("coerce_output_value", _serialize),
        ("serialize", _serialize),
    ):
        if hasattr(date_time, name):
            setattr(date_time, name, function)
    return schema


def publications(schema: GraphQLSchema) -> dict[str, tuple[str, ...]]:
    """Mutation field -> subscription fields that it triggers, from `@aws_subscribe`."""
    triggered: dict[str, list[str]] = {}
    if schema.subscription_type is not None:
        for name, field in schema.subscription_type.fields.items():
            for mutation in _subscribed_mutations(field):
                triggered.setdefault(mutation, []).append(name)
    return {mutation: tuple(names) for mutation, names in triggered.items()}


def _subscribed_mutations(field: GraphQLField) -> list[str]:
    directives = (field.ast_node.directives if field.ast_node is not None else None) or ()
    return [
        str(mutation)
        for directive in directives
        if directive.name.value == "aws_subscribe"
        for argument in directive.arguments or ()
        if argument.name.value == "mutations"
        for mutation in value_from_ast_untyped(argument.value)
    ]
