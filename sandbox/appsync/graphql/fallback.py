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
    OperationDefinitionNode,
    OperationType,
    default_field_resolver,
    execute_sync,
    get_named_type,
)

from sandbox.appsync.context import RequestInfo
from sandbox.appsync.errors import location
from sandbox.appsync.graphql.execution import Api, Outcome, Publication, resolve_root
from sandbox.appsync.graphql.selections import Collector
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
        pending: list[Publication] = []

        def resolve(source: Any, info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
            if info.parent_type is not root or info.field_name.startswith("__"):
                return default_field_resolver(source, info)
            node = info.field_nodes[0]
            locations = [_locate(node)]
            resolved, value = resolve_root(
                self.api, info.field_name, arguments, request, info.path.as_list(), locations, errors
            )
            if not resolved:
                raise _Reported
            inner = get_named_type(info.return_type)
            if (
                self.operation.operation is OperationType.MUTATION
                and info.field_name in self.published
                and isinstance(inner, GraphQLObjectType)
                and value is not None
            ):
                collector = Collector(self.api.schema, self.fragments, coerced)
                below = collector.below(list(info.field_nodes))
                pending.append(Publication(info.field_name, value, collector.shape(inner, below)))
            return value

        result = execute_sync(
            self.api.schema,
            self.document,
            variable_values=given,
            operation_name=self.operation.name.value if self.operation.name else None,
            field_resolver=resolve,
        )
        errors.extend(
            [_translate(error) for error in result.errors or () if not isinstance(error.original_error, _Reported)]
        )
        return Outcome(result.data, errors, pending if result.data is not None else [])


_NULL = re.compile(r"Cannot return null for non-nullable field (?P<parent>\w+)\.(?P<field>\w+)\.")


def _translate(error: GraphQLError) -> dict[str, Any]:
    path = list(error.path or ())
    text = "".join(f"[{key}]" if isinstance(key, int) else f"/{key}" for key in path)
    found = _NULL.match(error.message)
    if found is not None:
        message = f"Cannot return null for non-nullable type within parent '{found['parent']}' ({text})"
    else:
        message = f"Can't serialize value ({text}) : {error.message}"
    return {"path": path, "locations": None, "message": message}


def _locate(node: Any) -> dict[str, Any]:
    token = node.loc.start_token
    return location(token.line, token.column)
