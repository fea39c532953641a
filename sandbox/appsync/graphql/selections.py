"""What a document selects: fields collected over fragments and directives, and which fields a mutation makes public."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLIncludeDirective,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLSkipDirective,
    InlineFragmentNode,
    SelectionSetNode,
    get_named_type,
)
from graphql.execution.values import get_directive_values

Fields = dict[str, list[FieldNode]]
"""Response key -> the field's nodes; several are merged into one."""

Shape = frozenset[tuple[str, Any]]
"""Selected fields by name (not alias), each with the shape below it, or None for a leaf."""

Fragments = Mapping[str, FragmentDefinitionNode]


class Collector:
    """Collects the selections of one operation. Mesh-like schemas only: every composite type is an object type.

    `variables`: values for `@skip` and `@include`.
    """

    def __init__(self, schema: GraphQLSchema, fragments: Fragments, variables: Any = None) -> None:
        self.schema = schema
        self.fragments = fragments
        self.variables = variables

    def collect(self, parent: GraphQLObjectType, selections: list[SelectionSetNode]) -> Fields:
        """Fields selected on `parent`, in document order."""
        fields: Fields = {}
        seen: set[str] = set()
        for selection_set in selections:
            self._add(parent, selection_set, fields, seen)
        return fields

    def below(self, nodes: list[FieldNode]) -> list[SelectionSetNode]:
        """The selection sets under one response key."""
        return [node.selection_set for node in nodes if node.selection_set is not None]

    def shape(self, parent: GraphQLObjectType, selections: list[SelectionSetNode]) -> Shape:
        """The fields that a mutation's own selection makes available to subscribers."""
        merged: dict[str, list[FieldNode]] = {}
        for nodes in self.collect(parent, selections).values():
            merged.setdefault(nodes[0].name.value, []).extend(nodes)
        shape: set[tuple[str, Any]] = set()
        for name, nodes in merged.items():
            if name == "__typename":
                continue
            inner = get_named_type(parent.fields[name].type)
            shape.add((name, self.shape(inner, self.below(nodes)) if isinstance(inner, GraphQLObjectType) else None))
        return frozenset(shape)

    def _add(self, parent: GraphQLObjectType, selection_set: SelectionSetNode, fields: Fields, seen: set[str]) -> None:
        for node in selection_set.selections:
            if node.directives and not self._included(node):
                continue
            if isinstance(node, FieldNode):
                key = node.alias.value if node.alias else node.name.value
                fields.setdefault(key, []).append(node)
            elif isinstance(node, InlineFragmentNode):
                if node.type_condition is None or node.type_condition.name.value == parent.name:
                    self._add(parent, node.selection_set, fields, seen)
            elif isinstance(node, FragmentSpreadNode):
                name = node.name.value
                fragment = self.fragments.get(name)
                if fragment is not None and name not in seen and fragment.type_condition.name.value == parent.name:
                    seen.add(name)
                    self._add(parent, fragment.selection_set, fields, seen)

    def _included(self, node: Any) -> bool:
        skip = get_directive_values(GraphQLSkipDirective, node, self.variables)
        if skip is not None and skip["if"] is True:
            return False
        include = get_directive_values(GraphQLIncludeDirective, node, self.variables)
        return include is None or include["if"] is not False
