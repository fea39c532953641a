"""Key conditions: one partition, and where given one range of sort keys within it."""

from __future__ import annotations

from typing import Any

from sandbox.dynamodb.errors import invalid, validation
from sandbox.dynamodb.expressions.bind import Binder
from sandbox.dynamodb.expressions.parse import Node
from sandbox.dynamodb.keys import BEYOND, KeyReader, partition_hash, sort_value
from sandbox.dynamodb.records import Order
from sandbox.dynamodb.values import AttributeValue

_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_PREFIX = "Invalid condition in KeyConditionExpression: "

Clause = tuple[str, str, tuple[str, ...]]
"""Attribute, operator (=, <, <=, >, >=, BETWEEN, begins_with), placeholders of the operands."""


class KeyCondition:
    """One clause per key attribute, not yet held against a table's key."""

    __slots__ = ("clauses",)

    def __init__(self, clauses: list[Clause]):
        self.clauses = {clause[0]: clause for clause in clauses}

    def bounds(self, keys: KeyReader, values: dict[str, AttributeValue]) -> tuple[int, Order, Order]:
        """Hash of the partition, and the positions low <= position < high that the condition admits."""
        clauses = self.clauses
        partition = clauses.get(keys.partition)
        if partition is None or len(clauses) != (1 if keys.sort is None or keys.sort not in clauses else 2):
            self._refuse(keys)
        assert partition is not None
        if partition[1] != "=":
            raise validation("Query key condition not supported")
        raw = _content(values[partition[2][0]], keys.partition_kind)
        hash128 = partition_hash(keys.partition, keys.partition_kind, raw, keys.index_name)
        sort = clauses.get(keys.sort) if keys.sort is not None else None
        if sort is None:
            return hash128, (hash128,), (hash128 + 1,)
        assert keys.sort is not None
        assert keys.sort_kind is not None
        _, operator, placeholders = sort
        kind = keys.sort_kind
        contents = [_content(values[placeholder], kind) for placeholder in placeholders]
        if operator == "begins_with" and not contents[0]:
            return hash128, (hash128,), (hash128 + 1,)
        operands = [sort_value(keys.sort, kind, content, keys.index_name) for content in contents]
        return hash128, *_range(hash128, operator, operands)

    def _refuse(self, keys: KeyReader) -> None:
        """Too many clauses, or one on an attribute that is no key."""
        if len(self.clauses) > keys.length:
            raise validation(
                f"The number of query conditions ({len(self.clauses)}) exceeds the number of key attributes defined "
                f"in the schema ({keys.length})"
            )
        for name in keys.attributes[: len(self.clauses)]:
            if name not in self.clauses:
                raise validation(f"Query condition missed key schema element: {name}")
        raise validation("Query key condition not supported")


def _content(value: AttributeValue, kind: str) -> Any:
    content = value.get(kind)
    if content is None:
        raise invalid("Condition parameter type does not match schema type")
    return content


def _range(hash128: int, operator: str, operands: list[Any]) -> tuple[Order, Order]:
    value = operands[0]
    if operator == "=":
        return (hash128, value), (hash128, value, BEYOND)
    if operator == "<":
        return (hash128,), (hash128, value)
    if operator == "<=":
        return (hash128,), (hash128, value, BEYOND)
    if operator == ">":
        return (hash128, value, BEYOND), (hash128 + 1,)
    if operator == ">=":
        return (hash128, value), (hash128 + 1,)
    if operator == "BETWEEN":
        return (hash128, value), (hash128, operands[1], BEYOND)
    after = _after_prefix(value)
    return (hash128, value), (hash128, after) if after is not None else (hash128 + 1,)


def _after_prefix(prefix: Any) -> Any:
    """The smallest text or bytes greater than everything that starts with `prefix`; None when there is none."""
    if type(prefix) is bytes:
        stripped = prefix.rstrip(b"\xff")
        return stripped[:-1] + bytes((stripped[-1] + 1,)) if stripped else None
    stripped = prefix.rstrip("\U0010ffff")
    if not stripped:
        return None
    code = ord(stripped[-1]) + 1
    return stripped[:-1] + chr(0xE000 if 0xD800 <= code <= 0xDFFF else code)


def bind_key_condition(tree: Node, binder: Binder) -> KeyCondition:
    """The clauses of an expression; ValidationException where it is more than key conditions allow."""
    node = binder.condition(tree, "KeyConditionExpression")
    clauses: list[Clause] = []
    _collect(node, clauses)
    names = [clause[0] for clause in clauses]
    if len(set(names)) != len(names):
        raise binder.error("KeyConditionExpressions must only contain one condition per key")
    return KeyCondition(clauses)


def _collect(node: Node, clauses: list[Clause]) -> None:
    kind = node[0]
    if kind == "and":
        _collect(node[1], clauses)
        _collect(node[2], clauses)
        return
    if kind in ("or", "not", "in"):
        raise validation(f"Invalid operator used in KeyConditionExpression: {kind.upper()}")
    if kind == "function" and node[1] != "begins_with":
        raise validation(f"Invalid operator used in KeyConditionExpression: {node[1]}")
    if kind == "compare" and node[1] == "<>":
        raise validation("Invalid operator used in KeyConditionExpression: <>")
    operands = {"compare": node[2:], "between": node[1:], "function": node[2] if kind == "function" else ()}[kind]
    if any(operand[0] == "function" for operand in operands):
        raise validation("KeyConditionExpressions cannot contain nested operations")
    paths = [operand[1] for operand in operands if operand[0] == "path"]
    operator = {"compare": node[1], "between": "BETWEEN", "function": "begins_with"}[kind]
    if kind != "compare" and operands[0][0] != "path":
        raise validation(f"{_PREFIX}{operator} operator must have the key attribute as its first operand")
    if len(paths) > 1:
        raise validation(f"{_PREFIX}Multiple attribute names used in one condition")
    if not paths:
        raise validation(f"{_PREFIX}No key attribute specified")
    if len(paths[0]) > 1:
        raise validation("KeyConditionExpressions cannot have conditions on nested attributes")
    if kind == "compare" and operands[0][0] != "path":
        operator = _MIRRORED[operator]
    placeholders = tuple(operand[1] for operand in operands if operand[0] == "value")
    clauses.append((paths[0][0], operator, placeholders))
