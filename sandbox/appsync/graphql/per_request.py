"""Documents without a form that serves every request: directives, defaults, variables inside literals, introspection.

They are prepared anew with each request's variables; introspection is answered by graphql-core.
"""

from __future__ import annotations

from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    GraphQLField,
    OperationDefinitionNode,
    SelectionSetNode,
    execute_sync,
)

from sandbox.appsync.context import RequestInfo
from sandbox.appsync.graphql.arguments import Build, argument_values
from sandbox.appsync.graphql.execution import Api, Outcome
from sandbox.appsync.graphql.prepared import Published, prepare_fields, run_fields
from sandbox.appsync.graphql.selections import Collector
from sandbox.appsync.graphql.variables import Variables


class PerRequestOperation:
    """Runs a query or mutation, prepared for one request at a time."""

    def __init__(
        self,
        api: Api,
        operation: OperationDefinitionNode,
        fragments: dict[str, FragmentDefinitionNode],
        variables: Variables,
        published: Published,
    ) -> None:
        self.api = api
        self.kind = operation.operation.value
        self.operation = operation
        self.fragments = fragments
        self.variables = variables
        self.published = published

    def run(self, given: dict[str, Any], request: RequestInfo) -> Outcome:
        """Raises VariableFault."""
        coerced = self.variables.coerce_fully(given)
        collector = Collector(self.api.schema, self.fragments, coerced)

        def arguments_of(declared: GraphQLField, node: FieldNode) -> Build:
            return lambda _variables: argument_values(declared, node, coerced)

        introspected = self._introspect(collector, given)
        fields = prepare_fields(self.api, self.operation, collector, self.published, arguments_of, introspected)
        assert fields is not None  # `arguments_of` answers for every field
        return run_fields(self.api, fields, {}, request)

    def _introspect(self, collector: Collector, given: dict[str, Any]) -> dict[str, Any]:
        """Response key -> answer of `__schema` and `__type`."""
        root = self.api.schema.get_root_type(self.operation.operation)
        assert root is not None
        selected = collector.collect(root, [self.operation.selection_set])
        nodes = tuple(node for each in selected.values() for node in each if node.name.value in ("__schema", "__type"))
        if not nodes:
            return {}
        alone = OperationDefinitionNode(
            operation=self.operation.operation,
            variable_definitions=self.operation.variable_definitions,
            selection_set=SelectionSetNode(selections=nodes),
        )
        document = DocumentNode(definitions=(alone, *self.fragments.values()))
        return execute_sync(self.api.schema, document, variable_values=given).data or {}
