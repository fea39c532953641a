"""The shape of requests: types, required members, lengths, ranges, patterns, enums; checked before any look-up.

The rules come from botocore's own description of the service (dynamodb/2012-08-10), the wording from published captures
(dynamodb-conformance, 2026-10). All violations of one request, at most ten, are counted in one message, as on AWS.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import botocore.loaders

from sandbox.dynamodb.errors import DynamoDBError, validation
from sandbox.dynamodb.report_order import ENUM_ORDER, MEMBER_ORDER
from sandbox.dynamodb.violations import as_text, length_of_keys, lower_first, path_of, violation

Violations = list[str]
Check = Callable[[Any, str, Violations], None]
"""Adds violations found in a value at a path; raises TypeError for a value of another JSON type."""

MOST_VIOLATIONS = 10
_TABLE_NAME = {"type": "string", "min": 1, "max": 255, "pattern": "[a-zA-Z0-9_.-]+"}
_ARN = re.compile(r"arn:aws[a-z-]*:dynamodb:[a-z0-9-]*:\d*:table/([a-zA-Z0-9_.-]+)\Z")
_OPAQUE = frozenset(("AttributeValue",))
"""Attribute values are walked once, where they are brought to canonical form."""

_OVERRIDES: dict[str, dict[str, Any]] = {
    # The model allows ARNs of 1 to 1024 characters; a bare name is held to these limits (captured 2026-06).
    "TableArn": _TABLE_NAME,
    # Not in the model, refused by the service.
    "KeySchema": {"max": 2},
    **{name: {"enum": list(values)} for name, values in ENUM_ORDER.items()},
}


class RequestShape:
    """Checks one operation's input."""

    __slots__ = ("members", "order", "required")

    def __init__(self, required: tuple[str, ...], members: dict[str, Check], order: tuple[str, ...]):
        self.required = required
        self.members = members
        self.order = order

    def check(self, request: dict[str, Any]) -> None:
        """ValidationException with every violation; TypeError for a value of another JSON type."""
        violations: Violations = []
        members = self.members
        for name, value in request.items():
            check = members.get(name)
            if check is not None and value is not None:
                check(value, name, violations)
        for name in self.required:
            if request.get(name) is None:
                violations.append(violation(None, path_of("", name), "Member must not be null"))
        if violations:
            raise violations_error(sorted(violations, key=self._place))

    def _place(self, violation: str) -> int:
        """Where the service reports the violated member."""
        member = violation.partition("' at '")[2] or violation.partition(" at '")[2]
        member = member.partition("'")[0].partition(".")[0]
        return self.order.index(member) if member in self.order else len(self.order)


def violations_error(violations: Violations) -> DynamoDBError:
    shown = violations[:MOST_VIOLATIONS]
    plural = "" if len(shown) == 1 else "s"
    return validation(f"{len(shown)} validation error{plural} detected: {'; '.join(shown)}")


@lru_cache(maxsize=1)
def service_model() -> dict[str, Any]:
    """botocore's description of DynamoDB."""
    model: dict[str, Any] = botocore.loaders.Loader().load_service_model("dynamodb", "service-2")
    return model


@lru_cache(maxsize=1)
def streams_model() -> dict[str, Any]:
    model: dict[str, Any] = botocore.loaders.Loader().load_service_model("dynamodbstreams", "service-2")
    return model


@lru_cache(maxsize=128)
def request_shape(operation: str, streams: bool = False) -> RequestShape:
    """The compiled shape of an operation's input."""
    model = streams_model() if streams else service_model()
    shapes = model["shapes"]
    input_shape = shapes[model["operations"][operation]["input"]["shape"]]
    compiled: dict[str, Check] = {}
    members = {
        name: _compile(member["shape"], shapes, compiled, lower_first(name))
        for name, member in input_shape["members"].items()
    }
    required = input_shape.get("required", ())
    if operation == "CreateTable":  # the model leaves them open, for tables made from a backup
        required = ("AttributeDefinitions", "TableName", "KeySchema")
    order = MEMBER_ORDER.get(operation, MEMBER_ORDER["any"])
    return RequestShape(tuple(required), members, order)


def _compile(shape_name: str, shapes: dict[str, Any], compiled: dict[str, Check], top: str | None = None) -> Check:
    """The check of one shape; `top` fixes the path of a member of the request itself, which keeps hot paths short."""
    rules = dict(shapes[shape_name])
    rules.update(_OVERRIDES.get(shape_name, {}))
    kind = rules["type"]
    if kind == "string":
        return _string(rules, top, is_table=shape_name == "TableArn")
    if kind in ("integer", "long", "double"):
        return _number(rules, top, whole=kind != "double")
    if kind == "boolean":
        return _boolean
    if kind in ("timestamp", "blob"):
        return lambda value, path, violations: None
    if shape_name in _OPAQUE:
        return _object
    if kind == "map" and rules["value"]["shape"] in _OPAQUE:
        return _object
    if shape_name in compiled:
        return compiled[shape_name]
    holder: list[Check] = []

    def recursive(value: Any, path: str, violations: Violations) -> None:
        holder[0](value, path, violations)

    compiled[shape_name] = recursive
    if kind == "list":
        member = _compile(rules["member"]["shape"], shapes, compiled)
        check = _list(rules, member, top, length_of_keys if shape_name == "KeyList" else violation)
    elif kind == "map":
        key = dict(shapes[rules["key"]["shape"]])
        key.update(_OVERRIDES.get(rules["key"]["shape"], {}))
        of_lists = shapes[rules["value"]["shape"]] if shapes[rules["value"]["shape"]]["type"] == "list" else {}
        check = _map(rules, key, _compile(rules["value"]["shape"], shapes, compiled), top, of_lists)
    else:
        members = {name: _compile(member["shape"], shapes, compiled) for name, member in rules["members"].items()}
        check = _structure(tuple(rules.get("required", ())), members, top)
    holder.append(check)
    return check


def _string(rules: dict[str, Any], top: str | None, is_table: bool) -> Check:
    low, high = rules.get("min", 0), rules.get("max", 1 << 62)
    enum: list[str] = rules.get("enum", [])
    pattern = re.compile(rules["pattern"] + r"\Z") if "pattern" in rules else None
    allowed = frozenset(enum) if enum else None
    names: set[str] = set()

    def check(value: Any, path: str, violations: Violations) -> None:
        if type(value) is not str:
            raise TypeError(value)
        if allowed is not None:
            if value not in allowed:
                where = top or path
                violations.append(violation(value, where, f"Member must satisfy enum value set: [{', '.join(enum)}]"))
            return
        if value in names:
            return
        where = top or path
        before = len(violations)
        if is_table and _ARN.match(value):
            return
        if pattern is not None and not pattern.match(value) and value:
            violations.append(
                violation(value, where, f"Member must satisfy regular expression pattern: {rules['pattern']}")
            )
        if len(value) < low:
            violations.append(violation(value, where, f"Member must have length greater than or equal to {low}"))
        elif len(value) > high:
            violations.append(violation(value, where, f"Member must have length less than or equal to {high}"))
        if pattern is not None and len(violations) == before and len(names) < 1024:
            names.add(value)

    return check


def _number(rules: dict[str, Any], top: str | None, whole: bool) -> Check:
    low, high = rules.get("min"), rules.get("max")

    def check(value: Any, path: str, violations: Violations) -> None:
        if type(value) not in (int, float):
            raise TypeError(value)
        number = int(value) if whole else value
        if low is not None and number < low:
            violations.append(violation(number, top or path, f"Member must have value greater than or equal to {low}"))
        elif high is not None and number > high:
            violations.append(violation(number, top or path, f"Member must have value less than or equal to {high}"))

    return check


def _boolean(value: Any, path: str, violations: Violations) -> None:
    if type(value) is not bool:
        raise TypeError(value)


def _object(value: Any, path: str, violations: Violations) -> None:
    if type(value) is not dict:
        raise TypeError(value)


def _list(rules: dict[str, Any], member: Check, top: str | None, worded: Callable[[Any, str, str], str]) -> Check:
    low, high = rules.get("min", 0), rules.get("max", 1 << 62)

    def check(value: Any, path: str, violations: Violations) -> None:
        if type(value) is not list:
            raise TypeError(value)
        where = top or path
        if len(value) < low:
            violations.append(worded(value, where, f"Member must have length greater than or equal to {low}"))
        elif len(value) > high:
            violations.append(worded(value, where, f"Member must have length less than or equal to {high}"))
        for position, each in enumerate(value, 1):
            if each is None:
                violations.append(violation(None, f"{where}.{position}.member", "Member must not be null"))
            else:
                member(each, f"{where}.{position}.member", violations)

    return check


def _map(rules: dict[str, Any], key: dict[str, Any], member: Check, top: str | None, lists: dict[str, Any]) -> Check:
    """`lists`: rules of the values where they are lists; the service holds their length against the whole map."""
    low, high = rules.get("min", 0), rules.get("max", 1 << 62)
    key_low, key_high, key_pattern = key.get("min", 0), key.get("max", 1 << 62), key.get("pattern")
    pattern = re.compile(key_pattern + r"\Z") if key_pattern else None
    is_table = key_pattern is not None and key_high == _TABLE_NAME["max"]
    list_low, list_high = lists.get("min", 0), lists.get("max", 1 << 62)

    def check(value: Any, path: str, violations: Violations) -> None:
        if type(value) is not dict:
            raise TypeError(value)
        where = top or path
        if len(value) < low:
            violations.append(
                f"Value at '{where[0].upper()}{where[1:]}' failed to satisfy constraint: "
                f"Member must have length greater than or equal to {low}"
            )
        elif len(value) > high:
            violations.append(violation(value, where, f"Member must have length less than or equal to {high}"))
        for name in value:
            if not key_low <= len(name) <= key_high or (pattern is not None and not pattern.match(name)):
                if is_table and _ARN.match(name):
                    continue
                rule = (
                    f"Member must have length less than or equal to {key_high}, "
                    f"Member must have length greater than or equal to {3 if is_table else key_low}"
                )
                if key_pattern:
                    rule += f", Member must satisfy regular expression pattern: {key_pattern}"
                violations.append(violation(value, where, f"Map keys must satisfy constraint: [{rule}]"))
                break
        for name, each in value.items():
            if each is None:
                violations.append(violation(None, f"{where}.{name}.member", "Member must not be null"))
                continue
            if lists and type(each) is list and not list_low <= len(each) <= list_high:
                shown = ", ".join(f"{name}={as_text(content)}" for name, content in value.items())
                rule = (
                    f"[Member must have length less than or equal to {list_high}, "
                    f"Member must have length greater than or equal to {list_low}]"
                )
                violations.append(
                    f"Value '{{{shown}}}' at '{where}' failed to satisfy constraint: "
                    f"Map value must satisfy constraint: {rule}"
                )
                continue
            member(each, f"{where}.{name}.member", violations)

    return check


def _structure(required: tuple[str, ...], members: dict[str, Check], top: str | None) -> Check:
    paths = {name: lower_first(name) for name in members}

    def check(value: Any, path: str, violations: Violations) -> None:
        if type(value) is not dict:
            raise TypeError(value)
        where = top or path
        for name, each in value.items():
            member = members.get(name)
            if member is not None and each is not None:
                member(each, f"{where}.{paths[name]}", violations)
        for name in required:
            if value.get(name) is None:
                violations.append(violation(None, f"{where}.{paths[name]}", "Member must not be null"))

    return check
