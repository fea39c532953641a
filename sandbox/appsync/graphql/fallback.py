"""graphql-core's executor, for documents that have no prepared form: directives, introspection, defaults and the like.

The answer has the same shape as a prepared operation's, errors in AppSync's words included.
"""

from __future__ import annotations

import re
from typing import Any

from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLObjectType,
    GraphQLResolveInfo,
    GraphQLSchema,
    OperationDefinitionNode,
    OperationType,
    default_field_resolver,
    execute_sync,
    get_named_type,
    get_nullable_type,
)

from sandbox.appsync.context import RequestInfo
from sandbox.appsync.errors import location
from sandbox.appsync.graphql.execution import Api, Outcome, Publication, resolve_root
from sandbox.appsync.graphql.projection import type_name
from sandbox.appsync.graphql.selections import Collector, Shape
from sandbox.appsync.graphql.variables import Variables


class _Reported(Exception):
    """The field's error is in the list already; the executor is only to empty the field."""


class ExecutedOperation:
    """Runs a query or mutation with graphql-core."""

    def __init__(
        self,
        api: Api,
        document: DocumentNode,
        operation: OperationDefinitionNode,
        fragments: dict[str, FragmentDefinitionNode],
        variables: Variables,
        published: frozenset[str],
    ) -> None:
        self.api = api
        self.document = document
        self.operation = operation
        self.kind = operation.operation.value
        self.fragments = fragments
        self.variables = variables
        self.published = published

    def run(self, given: dict[str, Any], request: RequestInfo) -> Outcome:
        """Raises VariableFault."""
        coerced = self.variables.coerce_fully(given)
        root = self.api.schema.get_root_type(self.operation.operation)
        errors: list[dict[str, Any]] = []
        pending: list[tuple[str, Publication]] = []
        publishes = self.published if self.operation.operation is OperationType.MUTATION else frozenset()

        def resolve(source: Any, info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
            name = info.field_name
            if info.parent_type is not root or name.startswith("__"):
                return default_field_resolver(source, info)

            def selected() -> Shape | None:
                collector = Collector(self.api.schema, self.fragments, coerced)
                inner = get_named_type(info.return_type)
                below = collector.below(list(info.field_nodes))
                return collector.shape(inner, below) if isinstance(inner, GraphQLObjectType) else None

            path = info.path.as_list()
            locations = [_locate(info.field_nodes[0])]
            resolved, value = resolve_root(self.api, name, arguments, request, path, locations, errors, selected)
            if not resolved:
                raise _Reported
            shape = selected() if name in publishes else None
            if shape is not None:
                pending.append((info.path.key, Publication(name, value, shape)))  # type: ignore[arg-type]
            return value

        result = execute_sync(
            self.api.schema,
            self.document,
            variable_values=given,
            operation_name=self.operation.name.value if self.operation.name else None,
            field_resolver=resolve,
        )
        errors.extend(
            [
                _translate(self.api.schema, error)
                for error in result.errors or ()
                if not isinstance(error.original_error, _Reported)
            ]
        )
        return Outcome(result.data, errors, [each for key, each in pending if _answered(key, result.data, errors)])


def _answered(key: str, data: dict[str, Any] | None, errors: list[dict[str, Any]]) -> bool:
    """Whether a root field has a value; where a later one emptied the whole answer, whether it was without fault."""
    if data is not None:
        return data[key] is not None
    return all(error["path"][:1] != [key] for error in errors)


_NULL = re.compile(r"Cannot return null for non-nullable field (?P<parent>\w+)\.(?P<field>\w+)\.")


def _translate(schema: GraphQLSchema, error: GraphQLError) -> dict[str, Any]:
    path = list(error.path or ())
    text = "".join(f"[{key}]" if isinstance(key, int) else f"/{key}" for key in path)
    found = _NULL.match(error.message)
    if found is not None:
        parent = schema.type_map[found["parent"]]
        assert isinstance(parent, GraphQLObjectType)
        declared = parent.fields[found["field"]].type
        kind = type_name(get_nullable_type(declared)) if isinstance(path[-1], str) else get_named_type(declared)
        message = f"Cannot return null for non-nullable type: '{kind}' within parent '{parent}' ({text})"
    else:
        message = f"Can't serialize value ({text}) : {error.message}"
    return {"path": path, "locations": None, "message": message}


def _locate(node: Any) -> dict[str, Any]:
    token = node.loc.start_token
    return location(token.line, token.column)
