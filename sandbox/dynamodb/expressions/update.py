"""Update expressions: from an item to the next one. The item given is never changed."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Any

from sandbox.dynamodb.errors import invalid, validation
from sandbox.dynamodb.expressions.bind import Binder, Path
from sandbox.dynamodb.expressions.condition import Operand, Values, compile_operand, value_at
from sandbox.dynamodb.expressions.parse import Node
from sandbox.dynamodb.expressions.projection import check_overlap
from sandbox.dynamodb.numbers import number_value, plain_text
from sandbox.dynamodb.values import AttributeValue, Item, canonical_value

_EXACT = Context(prec=200)
_NAMES = {
    "S": "STRING",
    "N": "NUMBER",
    "B": "BINARY",
    "BOOL": "BOOLEAN",
    "NULL": "NULL",
    "L": "LIST",
    "M": "MAP",
    "SS": "STRING SET",
    "NS": "NUMBER SET",
    "BS": "BINARY SET",
}
_SETS = ("SS", "NS", "BS")

WRONG_TYPE = "An operand in the update expression has an incorrect data type"
NO_PATH = "The document path provided in the update expression is invalid for update"
MISSING = "The provided expression refers to an attribute that does not exist in the item"


class Update:
    """A bound update expression: `paths` in the order written, `apply` makes the next item."""

    __slots__ = ("actions", "paths")

    def __init__(self, tree: Node, binder: Binder):
        binder.parameter = "UpdateExpression"
        binder._check_functions(tree, update=True)
        sections: set[str] = set()
        self.actions: list[tuple[str, Path, Operand | None, str | None]] = []
        for section, clauses in tree:
            if section in sections:
                raise binder.error(f'The "{section}" section can only be used once in an update expression;')
            sections.add(section)
            for clause in clauses:
                self._bind(section, clause, binder)
        self.paths = [action[1] for action in self.actions]
        check_overlap(self.paths, binder)

    def _bind(self, section: str, clause: Node, binder: Binder) -> None:
        if section == "REMOVE":
            self.actions.append((section, binder.path(clause), None, None))
            return
        path = binder.path(clause[0])
        if section == "SET":
            self.actions.append((section, path, _compile(binder.operand(clause[1], update=True)), None))
            return
        if clause[1][0] != "value":
            raise binder.error(f'Syntax error; token: "{_first(clause[1])}", near: "{_first(clause[1])}"')
        value = binder.value(clause[1][1])
        kind = next(iter(value))
        if kind not in _SETS and not (section == "ADD" and kind == "N"):
            raise binder.error(
                f"Incorrect operand type for operator or function; operator: {section}, "
                f"operand type: {_NAMES[kind]}, typeSet: ALLOWED_FOR_{section}_OPERAND"
            )
        placeholder = clause[1][1]
        self.actions.append((section, path, None, placeholder))

    def apply(self, item: Item, values: Values) -> Item:
        """The next item. Every right-hand side sees the item as it was; ValidationException where AWS refuses."""
        computed: list[AttributeValue | None] = []
        for section, path, operand, placeholder in self.actions:
            if section == "SET":
                assert operand is not None
                value = operand(item, values)
                if value is None:
                    raise validation(MISSING)
                computed.append(value)
            elif placeholder is not None:
                combine = add_to if section == "ADD" else delete_from
                computed.append(combine(value_at(item, path), values[placeholder]))
            else:
                computed.append(None)
        result = dict(item)
        owned: set[int] = set()
        removals: list[Path] = []
        for (_, path, _, _), value in zip(self.actions, computed, strict=True):
            if value is None:
                removals.append(path)
            else:
                _assign(result, path, value, owned)
        # From the back, so that removing one list element does not move the next one.
        for path in sorted(
            removals, key=lambda path: [part if isinstance(part, int) else -1 for part in path], reverse=True
        ):
            _remove(result, path, owned)
        return result


def _first(node: Node) -> str:
    return str(node[1][0]) if node[0] == "path" else str(node[1])


def _compile(node: Node) -> Operand:
    kind = node[0]
    if kind in ("plus", "minus"):
        left, right = _compile(node[1]), _compile(node[2])
        sign = 1 if kind == "plus" else -1
        return lambda item, values: _sum(left(item, values), right(item, values), sign)
    if kind == "function":
        first, second = _compile(node[2][0]), _compile(node[2][1])
        if node[1] == "if_not_exists":

            def if_not_exists(item: Item, values: Values) -> AttributeValue | None:
                value = first(item, values)
                return value if value is not None else second(item, values)

            return if_not_exists

        def list_append(item: Item, values: Values) -> AttributeValue:
            one, two = first(item, values), second(item, values)
            if one is None or two is None:
                raise validation(MISSING)
            if "L" not in one or "L" not in two:
                raise validation(WRONG_TYPE)
            return {"L": one["L"] + two["L"]}

        return list_append
    return compile_operand(node)


def _sum(left: AttributeValue | None, right: AttributeValue | None, sign: int) -> AttributeValue:
    if left is None or right is None:
        raise validation(MISSING)
    if "N" not in left or "N" not in right:
        raise validation(WRONG_TYPE)
    one, two = number_value(left["N"]), number_value(right["N"])
    if type(one) is int and type(two) is int:
        total = one + sign * two
        if -(10**38) < total < 10**38:
            return {"N": str(total)}
    return {"N": plain_text(_EXACT.add(Decimal(one), Decimal(sign * two)))}


def add_to(old: AttributeValue | None, value: AttributeValue) -> AttributeValue:
    ((kind, content),) = value.items()
    if old is None:
        return value
    if kind not in old:
        raise validation(WRONG_TYPE)
    if kind == "N":
        return _sum(old, value, 1)
    return canonical_value({kind: list(dict.fromkeys([*old[kind], *content]))})


def delete_from(old: AttributeValue | None, value: AttributeValue) -> AttributeValue | None:
    """What is left of the set; None when nothing is, and for a missing attribute."""
    ((kind, content),) = value.items()
    if old is None:
        return None
    if kind not in old:
        raise validation(WRONG_TYPE)
    gone = set(content)
    left = [member for member in old[kind] if member not in gone]
    return {kind: left} if left else None


def _container(item: Item, path: Path, owned: set[int]) -> Any:
    """The map or list that holds the last part of `path`, copied on the way so that the old item stays as it was."""
    holder: Any = item
    for part in path[:-1]:
        value = _get(holder, part)
        if value is None:
            raise validation(NO_PATH)
        content = value.get("M")
        kind = "M"
        if content is None:
            content, kind = value.get("L"), "L"
        if content is None:
            raise validation(NO_PATH)
        if id(content) not in owned:
            content = dict(content) if kind == "M" else list(content)
            owned.add(id(content))
            holder[part] = {kind: content}
        holder = content
    if isinstance(path[-1], int) != isinstance(holder, list):
        raise validation(NO_PATH)
    return holder


def _get(holder: Any, part: str | int) -> Any:
    if isinstance(part, int) != isinstance(holder, list):
        raise validation(NO_PATH)
    if isinstance(part, int):
        return holder[part] if part < len(holder) else None
    return holder.get(part)


def _assign(item: Item, path: Path, value: AttributeValue, owned: set[int]) -> None:
    holder, last = _container(item, path, owned), path[-1]
    if isinstance(holder, list) and isinstance(last, int) and last >= len(holder):
        holder.append(value)
    else:
        holder[last] = value


def _remove(item: Item, path: Path, owned: set[int]) -> None:
    holder, last = _container(item, path, owned), path[-1]
    if isinstance(holder, list):
        if isinstance(last, int) and last < len(holder):
            del holder[last]
    else:
        holder.pop(last, None)


def check_key_untouched(paths: list[Path], key_names: tuple[str, ...]) -> None:
    for path in paths:
        if path[0] in key_names:
            raise invalid(f"Cannot update attribute {path[0]}. This attribute is part of the key")
