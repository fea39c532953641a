"""Validation faults in the words that AppSync's engine (graphql-java) uses.

A client that reads messages sees `Validation error of type FieldUndefined: Field 'x' in type 'Query' is undefined @
'x'`. Faults without a known counterpart keep graphql-core's sentence after the same opening. Wording: graphql-java 13,
as quoted in public AppSync answers (read 2026-11).
"""

from __future__ import annotations

import re
from typing import Any

from graphql import (
    DocumentNode,
    FieldNode,
    GraphQLError,
    GraphQLSchema,
    ValuesOfCorrectTypeRule,
    Visitor,
    specified_rules,
    validate,
    visit,
)

from sandbox.appsync.errors import location, request_error
from sandbox.appsync.graphql.wrong_type import OPENING, WrongTypeRule

MAX_ERRORS = 20

_WORDS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(pattern), kind, words)
    for pattern, kind, words in (
        (
            r"Cannot query field '(?P<a>\w+)' on type '(?P<b>\w+)'",
            "FieldUndefined",
            "Field '{a}' in type '{b}' is undefined",
        ),
        (r"Unknown argument '(?P<a>\w+)' on field", "UnknownArgument", "Unknown field argument {a}"),
        (
            r"Argument '[\w.]+\((?P<a>\w+):\)' of type '[^']+' is required",
            "MissingFieldArgument",
            "Missing field argument {a}",
        ),
        (r"Variable '\$(?P<a>\w+)' is not defined", "UndefinedVariable", "Undefined variable {a}"),
        (r"Variable '\$(?P<a>\w+)' is never used", "UnusedVariable", "Unused variable {a}"),
        (
            r"Variable '\$(?P<a>\w+)' of type '(?P<b>[^']+)' used in position expecting type '(?P<c>[^']+)'",
            "VariableTypeMismatch",
            "Variable type '{b}' doesn't match expected type '{c}'",
        ),
        (
            r"Field '(?P<a>\w+)' of type '(?P<b>[^']+)' must have a selection of subfields",
            "SubSelectionRequired",
            "Sub selection required for type {b} of field {a}",
        ),
        (
            r"Field '(?P<a>\w+)' must not have a selection since type '(?P<b>[^']+)' has no subfields",
            "SubSelectionNotAllowed",
            "Sub selection not allowed on leaf type {b} of field {a}",
        ),
        (r"Unknown type '(?P<a>\w+)'", "UnknownType", "Unknown type {a}"),
        (r"Unknown fragment '(?P<a>\w+)'", "UndefinedFragment", "Undefined fragment {a}"),
        (r"Fragment '(?P<a>\w+)' is never used", "UnusedFragment", "Unused fragment {a}"),
        (r"Unknown directive '@(?P<a>\w+)'", "UnknownDirective", "Unknown directive {a}"),
    )
)  # fmt: skip


_RULES = [rule for rule in specified_rules if rule is not ValuesOfCorrectTypeRule] + [WrongTypeRule]


def validation_errors(schema: GraphQLSchema, document: DocumentNode) -> list[dict[str, Any]]:
    """Entries of `errors` for what is wrong with a document; none for a valid one."""
    faults = validate(schema, document, max_errors=MAX_ERRORS)
    if not faults:
        return []
    worded = validate(schema, document, _RULES, MAX_ERRORS)  # the same faults, those of literals in AppSync's words
    return [_entry(document, fault) for fault in worded or faults]


def _entry(document: DocumentNode, fault: GraphQLError) -> dict[str, Any]:
    text = _worded(fault.message)
    if text is None:
        return request_error(f"Validation error: {fault.message}", _locations(fault))
    where = _where(document, fault)
    return request_error(f"{text} @ '{where}'" if where else text, _locations(fault))


def _worded(message: str) -> str | None:
    if message.startswith(OPENING):
        return f"Validation error of type WrongType: {message}"
    for pattern, kind, words in _WORDS:
        found = pattern.match(message)
        if found is not None:
            return f"Validation error of type {kind}: {words.format(**found.groupdict())}"
    return None


def _locations(fault: GraphQLError) -> list[dict[str, Any]]:
    return [location(each.line, each.column) for each in fault.locations or ()]


def _where(document: DocumentNode, fault: GraphQLError) -> str:
    """Field names from the operation down to the faulty node."""
    target = fault.nodes[-1] if fault.nodes else None  # a faulty variable names its definition first, its use last
    path: list[str] = []
    found: list[str] = []

    class Search(Visitor):
        def enter(self, node: Any, *_: Any) -> Any:
            if isinstance(node, FieldNode):
                path.append(node.name.value)
            if node is target:
                found.extend(path)
                return self.BREAK
            return None

        def leave(self, node: Any, *_: Any) -> None:
            if isinstance(node, FieldNode):
                path.pop()

    visit(document, Search())
    return "/".join(found)
