"""AttributeUpdates, the parameter that came before UpdateExpression."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.dynamodb.errors import invalid, validation
from sandbox.dynamodb.expressions.bind import Path
from sandbox.dynamodb.expressions.condition import Values
from sandbox.dynamodb.expressions.update import Update, add_to, delete_from
from sandbox.dynamodb.values import AttributeValue, Item, canonical_value

_SETS = ("SS", "NS", "BS")
MISMATCH = "Type mismatch for attribute to update"


class LegacyUpdate(Update):
    """PUT, ADD and DELETE of whole attributes."""

    __slots__ = ("clauses",)

    def __init__(self, clauses: list[tuple[str, str, AttributeValue | None]]):
        self.clauses = clauses
        self.actions = []
        self.paths: list[Path] = [(name,) for name, _, _ in clauses]

    def apply(self, item: Item, values: Values) -> Item:
        result = dict(item)
        for name, action, value in self.clauses:
            old = item.get(name)
            if action == "PUT":
                assert value is not None
                result[name] = value
            elif action == "ADD":
                assert value is not None
                if old is not None and next(iter(value)) not in old:
                    raise validation(MISMATCH)
                if "L" in value:
                    result[name] = {"L": old["L"] + value["L"]} if old is not None else value
                else:
                    result[name] = add_to(old, value)
            elif value is None:
                result.pop(name, None)
            else:
                if old is not None and next(iter(value)) not in old:
                    raise validation(MISMATCH)
                left = delete_from(old, value)
                if left is not None:
                    result[name] = left
                else:
                    result.pop(name, None)
        return result


def legacy_update(updates: Mapping[str, Mapping[str, Any]]) -> LegacyUpdate:
    """The update; ValidationException for an action that does not fit its value."""
    clauses: list[tuple[str, str, AttributeValue | None]] = []
    for name, each in updates.items():
        action = each.get("Action") or "PUT"
        value = canonical_value(each["Value"]) if each.get("Value") is not None else None
        if value is None and action != "DELETE":
            raise invalid("Only DELETE action is allowed when no attribute value is specified")
        if value is not None:
            kind = next(iter(value))
            if action == "DELETE" and kind not in _SETS:
                raise invalid(f"DELETE action with value is not supported for the type {kind}")
            if action == "ADD" and kind not in (*_SETS, "N", "L"):
                raise invalid(f"ADD action is not supported for the type {kind}")
        clauses.append((name, action, value))
    return LegacyUpdate(clauses)
