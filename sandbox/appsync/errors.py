"""Errors as AppSync reports them: one entry of the answer's `errors` list."""

from __future__ import annotations

from typing import Any


class ResolverError(Exception):
    """What `util.error(message, type, data, errorInfo)` throws: the field becomes null, the rest is not run."""

    def __init__(self, message: str, error_type: str | None = None, data: Any = None, error_info: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.error_type = error_type
        self.data = data
        self.error_info = error_info


class EarlyReturn(Exception):
    """What `runtime.earlyReturn(value)` does: from a function's request, skip to the next function; from a pipeline's
    own request, skip the pipeline."""

    def __init__(self, value: Any = None) -> None:
        super().__init__("early return")
        self.value = value


def location(line: int, column: int) -> dict[str, Any]:
    """Where in the document, as graphql-java prints it."""
    return {"line": line, "column": column, "sourceName": None}


def resolver_error(error: ResolverError, path: list[str | int], locations: list[dict[str, Any]]) -> dict[str, Any]:
    """The entry of an error that a resolver raised or appended."""
    return {
        "path": path,
        "data": error.data,
        "errorType": error.error_type,
        "errorInfo": error.error_info,
        "locations": locations,
        "message": error.message,
    }


def request_error(message: str, locations: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """The entry of an error found before execution: a validation fault or a bad variable."""
    return {"path": None, "locations": locations, "message": message}
