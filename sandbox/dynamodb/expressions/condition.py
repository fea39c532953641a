"""Conditions and filters as functions of (item, values)."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from sandbox.dynamodb.expressions.bind import Path
from sandbox.dynamodb.expressions.parse import Node
from sandbox.dynamodb.numbers import number_value
from sandbox.dynamodb.values import AttributeValue, Item, decode_binary

Values = dict[str, AttributeValue]
Operand = Callable[[Item, Values], "AttributeValue | None"]
Condition = Callable[[Item, Values], bool]

_ORDERINGS: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_SET_MEMBERS = {"SS": "S", "NS": "N", "BS": "B"}


def compile_condition(node: Node) -> Condition:
    """A bound condition as a function; the item is {} where there is none."""
    kind = node[0]
    if kind == "and":
        left, right = compile_condition(node[1]), compile_condition(node[2])
        return lambda item, values: left(item, values) and right(item, values)
    if kind == "or":
        left, right = compile_condition(node[1]), compile_condition(node[2])
        return lambda item, values: left(item, values) or right(item, values)
    if kind == "not":
        inner = compile_condition(node[1])
        return lambda item, values: not inner(item, values)
    if kind == "compare":
        return _comparison(node[1], compile_operand(node[2]), compile_operand(node[3]))
    if kind == "between":
        of, low, high = (compile_operand(each) for each in node[1:])

        def between(item: Item, values: Values) -> bool:
            value = of(item, values)
            return ordered(low(item, values), value, operator.le) and ordered(value, high(item, values), operator.le)

        return between
    if kind == "in":
        of = compile_operand(node[1])
        options = [compile_operand(each) for each in node[2]]

        def is_in(item: Item, values: Values) -> bool:
            value = of(item, values)
            return value is not None and any(value == option(item, values) for option in options)

        return is_in
    return _function(node[1], node[2])


def compile_operand(node: Node) -> Operand:
    """A path, a placeholder or size() as a function; None where the item has no such attribute."""
    kind = node[0]
    if kind == "value":
        placeholder = node[1]
        return lambda item, values: values[placeholder]
    if kind == "path":
        return compile_path(node[1])
    of = compile_operand(node[2][0])

    def size(item: Item, values: Values) -> AttributeValue | None:
        value = of(item, values)
        if value is None:
            return None
        ((kind, content),) = value.items()
        if kind in ("N", "BOOL", "NULL"):
            return None
        return {"N": str(len(decode_binary(content)) if kind == "B" else len(content))}

    return size


def compile_path(path: Path) -> Operand:
    if len(path) == 1:
        name = str(path[0])
        return lambda item, values: item.get(name)
    return lambda item, values: value_at(item, path)


def value_at(item: Item, path: Path) -> AttributeValue | None:
    """The value at a document path; None where it leads nowhere."""
    value: Any = item.get(str(path[0]))
    for part in path[1:]:
        if value is None:
            return None
        if isinstance(part, int):
            members = value.get("L")
            value = members[part] if members is not None and part < len(members) else None
        else:
            fields = value.get("M")
            value = fields.get(part) if fields is not None else None
    return value  # type: ignore[no-any-return]


def _comparison(symbol: str, left: Operand, right: Operand) -> Condition:
    if symbol == "=":

        def equal(item: Item, values: Values) -> bool:
            value = left(item, values)
            return value is not None and value == right(item, values)

        return equal
    if symbol == "<>":
        return lambda item, values: left(item, values) != right(item, values)
    compare = _ORDERINGS[symbol]
    return lambda item, values: ordered(left(item, values), right(item, values), compare)


def ordered(left: AttributeValue | None, right: AttributeValue | None, compare: Callable[[Any, Any], bool]) -> bool:
    """Whether two values of one orderable type compare so; values of different types never do."""
    if left is None or right is None:
        return False
    for kind in ("S", "N", "B"):
        if kind in left:
            return kind in right and compare(comparable(kind, left[kind]), comparable(kind, right[kind]))
    return False


def comparable(kind: str, content: str) -> Any:
    """Content of an S, N or B value in a form that orders as DynamoDB orders it."""
    if kind == "S":
        return content
    return number_value(content) if kind == "N" else decode_binary(content)


def _function(name: str, args: tuple[Node, ...]) -> Condition:
    of = compile_operand(args[0])
    if name == "attribute_exists":
        return lambda item, values: of(item, values) is not None
    if name == "attribute_not_exists":
        return lambda item, values: of(item, values) is None
    other = compile_operand(args[1])
    if name == "attribute_type":

        def has_type(item: Item, values: Values) -> bool:
            value, wanted = of(item, values), other(item, values)
            return value is not None and wanted is not None and wanted.get("S") in value

        return has_type
    test = contains if name == "contains" else begins_with
    return lambda item, values: test(of(item, values), other(item, values))


def begins_with(value: AttributeValue | None, prefix: AttributeValue | None) -> bool:
    if value is None or prefix is None:
        return False
    if "S" in value and "S" in prefix:
        return bool(value["S"].startswith(prefix["S"]))
    if "B" in value and "B" in prefix:
        return decode_binary(value["B"]).startswith(decode_binary(prefix["B"]))
    return False


def contains(value: AttributeValue | None, part: AttributeValue | None) -> bool:
    """A substring, a member of a set, or an element of a list."""
    if value is None or part is None:
        return False
    ((kind, content),) = value.items()
    if kind == "S":
        return "S" in part and part["S"] in content
    if kind == "B":
        return "B" in part and decode_binary(part["B"]) in decode_binary(content)
    if kind == "L":
        return part in content
    member = _SET_MEMBERS.get(kind)
    return member is not None and member in part and part[member] in content
