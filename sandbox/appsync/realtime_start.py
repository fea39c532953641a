"""What a start message asks for: a document, its variables, the name of the operation."""

from __future__ import annotations

from typing import Any

import orjson


class MalformedStart(Exception):
    """The data of a start message cannot be read."""


def start_data(payload: Any) -> tuple[str, dict[str, Any], str | None]:
    """Document, variables and operation name of a start message's payload; raises MalformedStart."""
    data = payload.get("data") if isinstance(payload, dict) else None
    if not isinstance(data, str):
        raise MalformedStart("payload.data must be a JSON string with query and variables")
    try:
        content = orjson.loads(data)
    except orjson.JSONDecodeError:
        raise MalformedStart("payload.data is not JSON") from None
    if not isinstance(content, dict) or not isinstance(content.get("query"), str):
        raise MalformedStart("payload.data needs a query")
    variables = content.get("variables") or {}
    name = content.get("operationName")
    if not isinstance(variables, dict) or not (name is None or isinstance(name, str)):
        raise MalformedStart("variables must be an object and operationName text")
    return content["query"], variables, name
