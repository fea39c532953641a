"""The Lambda data source: a direct Lambda resolver hands the handler AppSync's event and takes what it returns."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Protocol

from sandbox.appsync.context import EXECUTION_LIMIT_S, TIMED_OUT, Context, DataSourceError

Handler = Callable[[dict[str, Any]], Any]


class LambdaError(Exception):
    """What a handler raises; `error_type` None is reported as `Lambda:Unhandled`."""

    def __init__(self, message: str, error_type: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.error_type = error_type


class Function(Protocol):
    """The Lambda function that handlers belong to: admits and counts executions."""

    def begin(self) -> float | None: ...

    def end(self, duration_s: float, failed: bool) -> None: ...


class LambdaDataSource:
    """Runs one handler in process. What `function` says it takes is left to the answer to wait for.

    Once the request is past AppSync's 30 seconds the field fails; what the handler did stays done. Type and message of
    that error: aws-appsync-community #386 (2025-02).
    """

    def __init__(
        self, handler: Handler, function: Function | None = None, timer: Callable[[], float] = time.perf_counter
    ) -> None:
        self.handler = handler
        self.function = function
        self.timer = timer

    def execute(self, request: Any, ctx: Context) -> None:
        delay_s = 0.0
        if self.function is not None:
            admitted = self.function.begin()
            if admitted is None:
                ctx.answer(None)
                ctx.error = DataSourceError("Rate Exceeded.", "Lambda:TooManyRequestsException")
                return
            delay_s = admitted
            ctx.request.delay_s += delay_s
        started_s = self.timer()
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
            if self.function is not None:
                self.function.end(delay_s + self.timer() - started_s, failed)
        if ctx.request.delay_s > EXECUTION_LIMIT_S:
            ctx.request.delay_s = EXECUTION_LIMIT_S
            ctx.answer(None)
            ctx.error = DataSourceError(TIMED_OUT, "Lambda:ExecutionTimeoutException")


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
