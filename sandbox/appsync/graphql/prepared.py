"""A query or mutation prepared once: its arguments and its answer are built by closures, without an executor."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    GraphQLNonNull,
    GraphQLObjectType,
    OperationDefinitionNode,
    OperationType,
    Visitor,
    get_named_type,
    visit,
)

from sandbox.appsync.context import RequestInfo
from sandbox.appsync.errors import location
from sandbox.appsync.graphql.arguments import Build, compile_arguments
from sandbox.appsync.graphql.execution import Api, Outcome, Publication, resolve_root
from sandbox.appsync.graphql.projection import Complete, NullAtNonNull, Projector
from sandbox.appsync.graphql.selections import Collector, Shape
from sandbox.appsync.graphql.variables import Variables


class PreparedField:
    """One root field, ready to run."""

    __slots__ = (
        "arguments", "complete", "key", "link", "locations", "name", "non_null", "path", "selected", "shape", "typename"
    )  # fmt: skip

    def __init__(self, key: str, name: str) -> None:
        self.key = key
        self.name = name
        self.path: list[str | int] = [key]
        self.link = (None, key)
        self.locations: list[dict[str, Any]] = []
        self.arguments: Build
        self.complete: Complete
        self.non_null = False
        self.shape: Shape | None = None
        """What its publication carries; None publishes nothing."""
        self.selected: Callable[[], Shape | None] = _no_selection
        self.typename: str | None = None


class PreparedOperation:
    """Runs a query or mutation whose document needs nothing that only an executor does."""

    def __init__(self, api: Api, kind: str, variables: Variables, fields: list[PreparedField]) -> None:
        """kind: query or mutation."""
        self.api = api
        self.kind = kind
        self.variables = variables
        self.fields = fields

    def run(self, given: dict[str, Any], request: RequestInfo) -> Outcome:
        """Raises VariableFault."""
        variables = self.variables.coerce(given)
        errors: list[dict[str, Any]] = []
        publications: list[Publication] = []
        data: dict[str, Any] = {}
        for field in self.fields:
            if field.typename is not None:
                data[field.key] = field.typename
                continue
            resolved, value = resolve_root(
                self.api,
                field.name,
                field.arguments(variables),
                request,
                field.path,
                field.locations,
                errors,
                field.selected,
            )
            if not resolved:
                if field.non_null:
                    return Outcome(None, errors, publications)
                data[field.key] = None
                continue
            try:
                completed = data[field.key] = field.complete(value, errors, field.link)
            except NullAtNonNull:
                return Outcome(None, errors, publications)
            if field.shape is not None and completed is not None:
                publications.append(Publication(field.name, value, field.shape))
        return Outcome(data, errors, publications)


def prepare(
    api: Api,
    operation: OperationDefinitionNode,
    fragments: dict[str, FragmentDefinitionNode],
    variables: Variables,
    published: frozenset[str] | set[str],
) -> PreparedOperation | None:
    """The prepared form of a validated query or mutation, or None when graphql-core must run it: directives,
    introspection, or arguments that `compile_arguments` leaves to it.

    `published`: mutations that trigger subscriptions.
    """
    if needs_executor(operation, fragments):
        return None
    root = api.schema.get_root_type(operation.operation)
    assert root is not None
    collector = Collector(api.schema, fragments)
    projector = Projector(collector)
    definitions = {each.variable.name.value: each for each in operation.variable_definitions or ()}
    fields = []
    for key, nodes in collector.collect(root, [operation.selection_set]).items():
        node = nodes[0]
        name = node.name.value
        field = PreparedField(key, name)
        fields.append(field)
        if name == "__typename":
            field.typename = root.name
            continue
        declared = root.fields[name]
        arguments = compile_arguments(declared, node, definitions)
        if arguments is None:
            return None
        below = collector.below(nodes)
        field.locations = [_location(node)]
        field.arguments = arguments
        field.complete = projector.complete(declared.type, below, root.name)
        field.non_null = isinstance(declared.type, GraphQLNonNull)
        inner = get_named_type(declared.type)
        if isinstance(inner, GraphQLObjectType):
            field.selected = partial(collector.shape, inner, below)
            if operation.operation is OperationType.MUTATION and name in published:
                field.shape = field.selected()
    return PreparedOperation(api, operation.operation.value, variables, fields)


def _no_selection() -> None:
    """Of a field whose type has no fields."""


def _location(node: FieldNode) -> dict[str, Any]:
    if node.loc is None:
        return location(1, 1)
    token = node.loc.start_token
    return location(token.line, token.column)


def needs_executor(operation: OperationDefinitionNode, fragments: dict[str, FragmentDefinitionNode]) -> bool:
    """Whether a directive or an introspection field occurs anywhere."""
    found = False

    class Search(Visitor):
        def enter_directive(self, *_: Any) -> None:
            nonlocal found
            found = True

        def enter_field(self, node: FieldNode, *_: Any) -> None:
            nonlocal found
            if node.name.value in ("__schema", "__type"):
                found = True

    visit(operation, Search())
    for fragment in fragments.values():
        visit(fragment, Search())
    return found
