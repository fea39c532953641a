"""A query or mutation prepared once: its arguments and its answer are built by closures, without an executor."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLField,
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

Published = Collection[str]
"""Mutations that trigger subscriptions."""

_RESOLVED = object()  # of a field that a resolver answers, not a constant


class PreparedField:
    """One root field, ready to run."""

    __slots__ = (
        "arguments", "complete", "constant", "key", "link", "locations", "name", "non_null", "path", "selected", "shape"
    )  # fmt: skip

    def __init__(self, key: str, name: str) -> None:
        self.key = key
        self.name = name
        self.path: list[str | int] = [key]
        self.link = (None, key)
        self.locations: list[dict[str, Any]] = []
        self.arguments: Build
        self.complete: Complete
        self.constant: Any = _RESOLVED
        """The answer of `__typename` and of introspection."""
        self.non_null = False
        self.selected: Callable[[], Shape | None] = _no_selection
        self.shape: Shape | None = None
        """What its publication carries; None publishes nothing."""


def prepare_fields(
    api: Api,
    operation: OperationDefinitionNode,
    collector: Collector,
    published: Published,
    arguments_of: Callable[[GraphQLField, FieldNode], Build | None],
    introspected: Mapping[str, Any],
) -> list[PreparedField] | None:
    """The root fields of a validated query or mutation; None when `arguments_of` has no answer for one of them.

    introspected: response key -> answer, for fields of introspection.
    """
    root = api.schema.get_root_type(operation.operation)
    assert root is not None
    projector = Projector(collector)
    fields = []
    for key, nodes in collector.collect(root, [operation.selection_set]).items():
        node = nodes[0]
        name = node.name.value
        field = PreparedField(key, name)
        fields.append(field)
        if name.startswith("__"):
            field.constant = root.name if name == "__typename" else introspected.get(key)
            continue
        declared = root.fields[name]
        arguments = arguments_of(declared, node)
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
    return fields


def run_fields(api: Api, fields: list[PreparedField], variables: dict[str, Any], request: RequestInfo) -> Outcome:
    """Run root fields in their order; a null at a required one ends the operation."""
    errors: list[dict[str, Any]] = []
    publications: list[Publication] = []
    data: dict[str, Any] = {}
    for field in fields:
        if field.constant is not _RESOLVED:
            data[field.key] = field.constant
            continue
        resolved, value = False, None
        try:
            arguments = field.arguments(variables)
        except GraphQLError as fault:
            errors.append({"path": field.path, "locations": field.locations, "message": fault.message})
        else:
            resolved, value = resolve_root(
                api, field.name, arguments, request, field.path, field.locations, errors, field.selected
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


class PreparedOperation:
    """Runs a query or mutation whose document was prepared once for every request."""

    def __init__(self, api: Api, kind: str, variables: Variables, fields: list[PreparedField]) -> None:
        """kind: query or mutation."""
        self.api = api
        self.kind = kind
        self.variables = variables
        self.fields = fields

    def run(self, given: dict[str, Any], request: RequestInfo) -> Outcome:
        """Raises VariableFault."""
        return run_fields(self.api, self.fields, self.variables.coerce(given), request)


def prepare(
    api: Api,
    operation: OperationDefinitionNode,
    fragments: dict[str, FragmentDefinitionNode],
    variables: Variables,
    published: Published,
) -> PreparedOperation | None:
    """The form of a validated query or mutation that serves every request, or None when there is none: with directives,
    introspection, or arguments that `compile_arguments` has no answer for."""
    if depends_on_request(operation, fragments):
        return None
    definitions = {each.variable.name.value: each for each in operation.variable_definitions or ()}

    def arguments_of(declared: GraphQLField, node: FieldNode) -> Build | None:
        return compile_arguments(declared, node, definitions)

    fields = prepare_fields(api, operation, Collector(api.schema, fragments), published, arguments_of, {})
    return None if fields is None else PreparedOperation(api, operation.operation.value, variables, fields)


def _no_selection() -> None:
    """Of a field whose type has no fields."""


def _location(node: FieldNode) -> dict[str, Any]:
    if node.loc is None:
        return location(1, 1)
    token = node.loc.start_token
    return location(token.line, token.column)


def depends_on_request(operation: OperationDefinitionNode, fragments: dict[str, FragmentDefinitionNode]) -> bool:
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
