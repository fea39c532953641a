"""The Lambda data source: a direct Lambda resolver hands the handler AppSync's event and takes what it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from sandbox.appsync.context import Context, DataSourceError

Handler = Callable[[dict[str, Any]], Any]


class LambdaError(Exception):
    """What a handler raises; `error_type` None is reported as `Lambda:Unhandled`."""

    def __init__(self, message: str, error_type: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.error_type = error_type


class Invocations(Protocol):
    """Where invocations are counted."""

    def invoked(self, failed: bool) -> None: ...


class LambdaDataSource:
    """Runs one handler in process."""

    def __init__(self, handler: Handler, invocations: Invocations | None = None) -> None:
        self.handler = handler
        self.invocations = invocations

    def execute(self, request: Any, ctx: Context) -> None:
        failed = True
        try:
            ctx.answer(self.handler(request))
            failed = False
        except LambdaError as error:
            ctx.answer(None)
            ctx.error = DataSourceError(error.message, error.error_type or "Lambda:Unhandled")
        except Exception as error:
            if not hasattr(error, "code"):
                raise
            ctx.answer(None)
            ctx.error = DataSourceError(str(getattr(error, "message", error)), "Lambda:Unhandled")
        finally:
            if self.invocations is not None:
                self.invocations.invoked(failed)


def event(ctx: Context) -> dict[str, Any]:
    """The event of a direct Lambda resolver."""
    return {
        "arguments": ctx.args,
        "identity": None,
        "source": None,
        "request": {"headers": {**ctx.request.headers, "x-forwarded-for": ctx.request.forwarded_for}},
        "prev": None,
        "info": {"fieldName": ctx.info},
        "stash": ctx.stash,
    }
