"""What a client asks for over HTTP: a document, its variables, the name of the operation.

In the body of a POST as JSON, in the query string of a GET. Source of both and of the messages: the AppSync team's own
description (graphql-over-http issue 81, 2020-04).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl

import orjson

from sandbox.appsync.graphql.documents import UNPARSABLE
from sandbox.http.message import Request

MALFORMED = "MalformedHttpRequestException"

Asked = tuple[str, dict[str, Any], str | None]
"""Document, variables, name of the operation."""


class Refused(Exception):
    """Answered without execution."""

    def __init__(self, status: int, error_type: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.error_type = error_type


def graphql_request(request: Request) -> Asked:
    """Raises Refused."""
    return _of_members(_query_string(request.query) if request.method == "GET" else _body(request.body))


def _body(body: bytes) -> Any:
    if not body:
        raise Refused(400, MALFORMED, "Request body is empty.")
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Refused(400, MALFORMED, UNPARSABLE) from None


def _query_string(query: str) -> Any:
    members: dict[str, Any] = dict(parse_qsl(query, keep_blank_values=True))
    variables = members.get("variables")
    if variables:
        try:
            members["variables"] = orjson.loads(variables)
        except orjson.JSONDecodeError:
            raise Refused(400, MALFORMED, "Variables must be a JSON object.") from None
    else:
        members["variables"] = None
    return members


def _of_members(content: Any) -> Asked:
    text = content.get("query") if isinstance(content, dict) else None
    if not isinstance(text, str) or not text:
        raise Refused(400, MALFORMED, UNPARSABLE)
    variables = content.get("variables")
    if variables is None:
        variables = {}
    elif not isinstance(variables, dict):
        raise Refused(400, MALFORMED, "Variables must be a JSON object.")
    name = content.get("operationName")
    if name is not None and not isinstance(name, str):
        raise Refused(400, MALFORMED, "operationName must be text.")
    return text, variables, name
