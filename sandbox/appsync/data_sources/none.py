"""The None data source: the request's payload is the result; nothing is called."""

from __future__ import annotations

from typing import Any

from sandbox.appsync.context import Context


class NoneDataSource:
    """Passes `{"payload": ...}` through."""

    def execute(self, request: Any, ctx: Context) -> None:
        ctx.answer(request.get("payload") if request else None)
