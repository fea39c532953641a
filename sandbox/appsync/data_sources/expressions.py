"""Expressions of AppSync request objects, `{expression, expressionNames, expressionValues}`, into a DynamoDB call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def put_expression(call: dict[str, Any], member: str, given: Mapping[str, Any]) -> None:
    """Set `call[member]`; names and values join those of the call's other expressions."""
    call[member] = given["expression"]
    names = given.get("expressionNames")
    if names:
        call["ExpressionAttributeNames"] = {**call.get("ExpressionAttributeNames", {}), **names}
    values = given.get("expressionValues")
    if values:
        call["ExpressionAttributeValues"] = {**call.get("ExpressionAttributeValues", {}), **values}
