"""Resolvers: pairs of `request(ctx)` and `response(ctx)` around a data source, single (unit) or chained (pipeline).

Source: AppSync developer guide, "JavaScript resolvers overview" (read 2026-11).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from sandbox.appsync.context import Context
from sandbox.appsync.errors import EarlyReturn

RequestHandler = Callable[[Context], Any]
ResponseHandler = Callable[[Context], Any]

MAX_FUNCTIONS = 10


class DataSource(Protocol):
    """Runs a request object and leaves `ctx.result` or `ctx.error`."""

    def execute(self, request: Any, ctx: Context) -> None: ...


class Resolver(Protocol):
    """Gives a field its value, or raises ResolverError."""

    def resolve(self, ctx: Context) -> Any: ...


class Function:
    """One request/response pair; a unit resolver is exactly one of them."""

    __slots__ = ("data_source", "name", "request", "response")

    def __init__(
        self, name: str, data_source: DataSource, request: RequestHandler, response: ResponseHandler | None = None
    ) -> None:
        self.name = name
        self.data_source = data_source
        self.request = request
        self.response = response or _pass_result

    def resolve(self, ctx: Context) -> Any:
        try:
            request = self.request(ctx)
        except EarlyReturn as early:
            return early.value
        ctx.error = None
        self.data_source.execute(request, ctx)
        return self.response(ctx)


UnitResolver = Function


class PipelineResolver:
    """before -> functions -> after; each function's output is the next one's `ctx.prev.result`.

    Raises ValueError for more than ten functions, AppSync's limit.
    """

    __slots__ = ("after", "before", "functions")

    def __init__(
        self,
        functions: Sequence[Function],
        before: Callable[[Context], Any] | None = None,
        after: ResponseHandler | None = None,
    ) -> None:
        if not 1 <= len(functions) <= MAX_FUNCTIONS:
            raise ValueError(f"a pipeline has 1 to {MAX_FUNCTIONS} functions, got {len(functions)}")
        self.functions = tuple(functions)
        self.before = before
        self.after = after

    def resolve(self, ctx: Context) -> Any:
        prev = ctx.prev
        if self.before is not None:
            try:
                prev.result = self.before(ctx)
            except EarlyReturn as early:
                return early.value
        for function in self.functions:
            prev.result = function.resolve(ctx)
        if self.after is None:
            return prev.result
        ctx.result = prev.result  # the last function's output has both names there
        return self.after(ctx)


def _pass_result(ctx: Context) -> Any:
    ctx.raise_error()
    return ctx.result
