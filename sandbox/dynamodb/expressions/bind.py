"""Names and values of a request put into parsed expressions: what is used, what is missing, what is forbidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.dynamodb.errors import DynamoDBError, validation
from sandbox.dynamodb.expressions.parse import FUNCTIONS, RESERVED_WORDS, Node

Path = tuple[str | int, ...]

MAX_OPERATORS = 300
MAX_IN_OPERANDS = 100
MAX_PATH_DEPTH = 32

_CONDITION_FUNCTIONS = {
    "attribute_exists": 1,
    "attribute_not_exists": 1,
    "attribute_type": 2,
    "begins_with": 2,
    "contains": 2,
}
_OPERAND_FUNCTIONS = {"size": 1, "if_not_exists": 2, "list_append": 2}
_COUNT = {**_CONDITION_FUNCTIONS, **_OPERAND_FUNCTIONS}
_KIND_ORDER = "B,NULL,SS,BOOL,L,BS,N,NS,S,M"
_KINDS = frozenset(_KIND_ORDER.split(","))


class Binder:
    """Resolves one request's expressions. `kinds`: placeholder of each value -> its type such as S."""

    def __init__(self, names: Mapping[str, str] | None, values: Mapping[str, Any] | None):
        self.names = names or {}
        self.values = values or {}
        self.used_names: set[str] = set()
        self.used_values: set[str] = set()
        self.parameter = ""
        self.operators = 0

    def error(self, text: str) -> DynamoDBError:
        return validation(f"Invalid {self.parameter}: {text}")

    def path(self, node: Node) -> Path:
        """A path with its aliases replaced; nothing in it may be a reserved word."""
        resolved: list[str | int] = []
        for part in node[1]:
            if isinstance(part, str):
                if part[0] == "#":
                    name = self.names.get(part)
                    if name is None:
                        raise self.error(
                            "An expression attribute name used in the document path is not defined; "
                            f"attribute name: {part}"
                        )
                    self.used_names.add(part)
                    part = name
                elif part.upper() in RESERVED_WORDS:
                    raise self.error(f"Attribute name is a reserved keyword; reserved keyword: {part}")
            resolved.append(part)
        if len(resolved) > MAX_PATH_DEPTH:
            raise self.error(f"The document path has too many nesting elements; nesting elements: {len(resolved)}")
        return tuple(resolved)

    def value(self, placeholder: str) -> Any:
        """The value of a placeholder, marked as used."""
        if placeholder not in self.values:
            raise self.error(
                f"An expression attribute value used in expression is not defined; attribute value: {placeholder}"
            )
        self.used_values.add(placeholder)
        return self.values[placeholder]

    def check_unused(self) -> None:
        for what, given, used in (
            ("ExpressionAttributeNames", self.names, self.used_names),
            ("ExpressionAttributeValues", self.values, self.used_values),
        ):
            unused = [key for key in given if key not in used]
            if unused:
                raise validation(f"Value provided in {what} unused in expressions: keys: {{{', '.join(unused)}}}")

    # Structure of conditions

    def condition(self, node: Node, parameter: str, *, outer: bool = True) -> Node:
        """The node with names resolved, parentheses removed, and every use of operators and functions checked."""
        if outer:
            self.parameter = parameter
            self.operators = 0
            self._check_functions(node, update=False)
            _check_parentheses(node, self)
        kind = node[0]
        if kind == "parentheses":
            return self.condition(node[1], parameter, outer=False)
        if kind in ("and", "or"):
            self._count_operator()
            return (
                kind,
                self.condition(node[1], parameter, outer=False),
                self.condition(node[2], parameter, outer=False),
            )
        if kind == "not":
            self._count_operator()
            return (kind, self.condition(node[1], parameter, outer=False))
        if kind == "compare":
            self._count_operator()
            left, right = self.operand(node[2]), self.operand(node[3])
            if left[0] == "path" and left == right:
                raise self.error(
                    "The first operand must be distinct from the remaining operands for this operator or function; "
                    f"operator: {node[1]}, first operand: {path_text(left[1])}"
                )
            if node[1] not in ("=", "<>"):
                for side in (left, right):
                    self._check_kind(side, ("S", "N", "B"), f"operator or function: {node[1]}")
            return ("compare", node[1], left, right)
        if kind == "between":
            self._count_operator()
            operands = tuple(self.operand(each) for each in node[1:])
            for side in operands:
                self._check_kind(side, ("S", "N", "B"), "operator or function: BETWEEN")
            return ("between", *operands)
        if kind == "in":
            self._count_operator()
            if len(node[2]) > MAX_IN_OPERANDS:
                raise self.error(
                    f"The IN operator is provided with too many operands; number of operands: {len(node[2])}"
                )
            return ("in", self.operand(node[1]), tuple(self.operand(each) for each in node[2]))
        if kind == "function":
            if node[1] not in _CONDITION_FUNCTIONS:
                raise self._not_allowed(node[1])
            self._count_operator()
            return self._function(node)
        raise self.error('Syntax error; token: "<EOF>", near: "' + _node_text(node) + '"')

    def operand(self, node: Node, *, update: bool = False) -> Node:
        """A value, a path, or a function that yields a value."""
        kind = node[0]
        if kind == "parentheses":
            return self.operand(node[1], update=update)
        if kind == "path":
            return ("path", self.path(node))
        if kind == "value":
            self.value(node[1])
            return node
        if kind in ("plus", "minus"):
            if not update:
                raise self.error('Syntax error; token: "' + ("+" if kind == "plus" else "-") + '"')
            left, right = self.operand(node[1], update=True), self.operand(node[2], update=True)
            for side in (left, right):
                self._check_kind(side, ("N",), f"operator or function: {'+' if kind == 'plus' else '-'}")
            return (kind, left, right)
        if kind == "function":
            allowed = ("if_not_exists", "list_append") if update else ("size",)
            if node[1] not in allowed:
                raise self._not_allowed(node[1])
            return self._function(node, update=update)
        raise self.error(f'Syntax error; token: "{kind.upper()}"')

    def _function(self, node: Node, update: bool = False) -> Node:
        _, name, args = node
        if len(args) != _COUNT[name]:
            raise self.error(
                "Incorrect number of operands for operator or function; "
                f"operator or function: {name}, number of operands: {len(args)}"
            )
        resolved = tuple(self.operand(each, update=update) for each in args)
        if name in ("attribute_exists", "attribute_not_exists", "if_not_exists") and resolved[0][0] != "path":
            raise self.error(f"Operator or function requires a document path; operator or function: {name}")
        where = f"operator or function: {name}"
        if name in ("contains", "begins_with") and resolved[0] == resolved[1]:
            raise self.error(
                "The first operand must be distinct from the remaining operands for this operator or function; "
                f"operator: {name}, first operand: {path_text(resolved[0][1])}"
            )
        if name == "begins_with":
            for each in resolved:
                self._check_kind(each, ("S", "B"), where)
        elif name == "list_append":
            for each in resolved:
                self._check_kind(each, ("L",), where)
        elif name == "size":
            self._check_kind(resolved[0], ("S", "B", "SS", "NS", "BS", "L", "M"), where)
        elif name == "attribute_type":
            self._check_attribute_type(resolved[1])
        return ("function", name, resolved)

    def _check_attribute_type(self, operand: Node) -> None:
        self._check_kind(operand, ("S",), "operator or function: attribute_type")
        if operand[0] == "value":
            kind = self.values[operand[1]]["S"]
            if kind not in _KINDS:
                raise self.error(f"Invalid attribute type name found; type: {kind}, valid types: {{{_KIND_ORDER}}}")

    def _check_kind(self, node: Node, allowed: tuple[str, ...], where: str) -> None:
        """A constant operand, or size(), must be of a type that the operator takes."""
        if node[0] == "value":
            kind = next(iter(self.values[node[1]]))
        elif node[0] == "function" and node[1] == "size":
            kind = "N"
        else:
            return
        if kind not in allowed:
            raise self.error(f"Incorrect operand type for operator or function; {where}, operand type: {kind}")

    def _count_operator(self) -> None:
        self.operators += 1
        if self.operators > MAX_OPERATORS:
            raise self.error(
                "The expression contains too many operators; number of operators: "
                f"{self.operators}, maximum: {MAX_OPERATORS}"
            )

    def _check_functions(self, node: Any, update: bool) -> None:
        if isinstance(node, tuple) and node and node[0] != "path":
            if node[0] == "function" and node[1] not in FUNCTIONS:
                raise self.error(f"Invalid function name; function: {node[1]}")
            for each in node:
                self._check_functions(each, update)

    def _not_allowed(self, name: str) -> DynamoDBError:
        return self.error(f"The function is not allowed to be used this way in an expression; function: {name}")


def _check_parentheses(node: Any, binder: Binder) -> None:
    if isinstance(node, tuple) and node and node[0] != "path":
        if len(node) == 2 and node[0] == "parentheses" and node[1][0] == "parentheses":
            raise binder.error("The expression has redundant parentheses;")
        for each in node:
            _check_parentheses(each, binder)


def path_text(path: Path) -> str:
    """`[a, b, [0]]`, as AWS prints document paths."""
    return "[" + ", ".join(f"[{part}]" if isinstance(part, int) else part for part in path) + "]"


def _node_text(node: Node) -> str:
    if node[0] == "path":
        return ".".join(str(part) for part in node[1])
    return str(node[1])
