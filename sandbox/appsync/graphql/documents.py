"""Documents: parsed and validated once per distinct text, then kept as statements.

`Documents.statement` gives what runs; a text that cannot run raises a fault which says how the request is answered.
"""

from __future__ import annotations

import threading
from typing import Any

from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    OperationDefinitionNode,
    OperationType,
    parse,
)
from graphql.execution.values import VariableValues

from sandbox.appsync.graphql.arguments import argument_values
from sandbox.appsync.graphql.execution import Api
from sandbox.appsync.graphql.per_request import PerRequestOperation
from sandbox.appsync.graphql.prepared import PreparedOperation, depends_on_request, prepare
from sandbox.appsync.graphql.schema import publications
from sandbox.appsync.graphql.selections import Collector
from sandbox.appsync.graphql.subscription import SubscriptionSelection
from sandbox.appsync.graphql.validation import validation_errors
from sandbox.appsync.graphql.variables import Variables

MAX_TOKENS = 15_000  # AppSync quota "query length"
UNPARSABLE = "Unable to parse GraphQL query."
_MAX_CACHED = 1_000
_MAX_CACHED_CHARACTERS = 20_000


class MalformedDocument(Exception):
    """Not GraphQL at all, or no operation to run: the request is refused with status 400 and this message."""


class InvalidDocument(Exception):
    """GraphQL that does not fit the schema; `errors` are the entries of the answer."""

    def __init__(self, errors: list[dict[str, Any]]) -> None:
        super().__init__(errors[0]["message"])
        self.errors = errors


class SubscriptionStatement:
    """A subscription operation: arguments are bound when somebody subscribes."""

    def __init__(
        self,
        api: Api,
        operation: OperationDefinitionNode,
        fragments: dict[str, FragmentDefinitionNode],
        variables: Variables,
    ) -> None:
        self.api = api
        self.operation = operation
        self.fragments = fragments
        self.variables = variables
        # With @skip or @include the selection depends on each subscriber's variables; otherwise all share one.
        self._varies = depends_on_request(operation, fragments)
        self._shared: SubscriptionSelection | None = None

    def bind(self, given: dict[str, Any]) -> tuple[SubscriptionSelection, dict[str, Any]]:
        """The selection and the filter arguments. Raises VariableFault, and GraphQLError for a bad argument."""
        values = self.variables.coerce_fully(given)
        key, nodes, collector = self._root(values)
        root = self.api.schema.subscription_type
        assert root is not None
        arguments = argument_values(root.fields[nodes[0].name.value], nodes[0], values)
        if self._varies:
            return SubscriptionSelection(self.api, key, nodes, collector), arguments
        if self._shared is None:
            self._shared = SubscriptionSelection(self.api, key, nodes, collector)
        return self._shared, arguments

    def _root(self, values: VariableValues) -> tuple[str, list[Any], Collector]:
        collector = Collector(self.api.schema, self.fragments, values)
        root = self.api.schema.subscription_type
        assert root is not None
        fields = collector.collect(root, [self.operation.selection_set])
        if len(fields) != 1:
            raise GraphQLError("A subscription must select exactly one field.")
        key, nodes = next(iter(fields.items()))
        if nodes[0].name.value.startswith("__"):
            raise GraphQLError("A subscription must select a field of the Subscription type.")
        return key, nodes, collector


Statement = PreparedOperation | PerRequestOperation | SubscriptionStatement


class Documents:
    """The statements of one API, by text and operation name."""

    def __init__(self, api: Api) -> None:
        self.api = api
        self.publications = publications(api.schema)
        self._published = frozenset(self.publications)
        self._statements: dict[tuple[str, str | None], Statement] = {}
        self._lock = threading.Lock()

    def statement(self, text: str, operation_name: str | None) -> Statement:
        """Raises MalformedDocument or InvalidDocument."""
        key = (text, operation_name)
        statement = self._statements.get(key)
        if statement is None:
            statement = self._compile(text, operation_name)
            if len(text) <= _MAX_CACHED_CHARACTERS:
                with self._lock:  # requests may run in threads
                    if len(self._statements) >= _MAX_CACHED:  # the oldest leaves
                        del self._statements[next(iter(self._statements))]
                    self._statements[key] = statement
        return statement

    def _compile(self, text: str, operation_name: str | None) -> Statement:
        try:
            document = parse(text, max_tokens=MAX_TOKENS)
            faults = validation_errors(self.api.schema, document)
        except (GraphQLError, RecursionError):
            raise MalformedDocument(UNPARSABLE) from None
        operation = _operation(document, operation_name)
        if faults:
            raise InvalidDocument(faults)
        fragments = {each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)}
        if self.api.schema.get_root_type(operation.operation) is None:
            raise MalformedDocument(f"Schema is not configured for {operation.operation.value}s.")
        variables = Variables(self.api.schema, operation.variable_definitions or ())
        if operation.operation is OperationType.SUBSCRIPTION:
            return SubscriptionStatement(self.api, operation, fragments, variables)
        prepared = prepare(self.api, operation, fragments, variables, self._published)
        return prepared or PerRequestOperation(self.api, operation, fragments, variables, self._published)


def _operation(document: DocumentNode, name: str | None) -> OperationDefinitionNode:
    operations = [each for each in document.definitions if isinstance(each, OperationDefinitionNode)]
    if not operations:
        raise MalformedDocument(UNPARSABLE)
    if name:
        for operation in operations:
            if operation.name is not None and operation.name.value == name:
                return operation
        raise MalformedDocument(f"Unknown operation named '{name}'.")
    if len(operations) > 1:
        raise MalformedDocument("Missing operation name.")
    return operations[0]
