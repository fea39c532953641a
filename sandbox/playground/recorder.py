"""The last requests, noted only while somebody looks, so that a load run pays nothing for the page."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from sandbox.http.message import Request, Response

_KEPT = 20
_WATCHED_S = 5.0
_FIELD = re.compile(rb"\{\s*(?:\w+\s*:\s*)?(\w+)")
_OPERATION_NAME = re.compile(rb'"operationName"\s*:\s*"(\w{1,80})"')


class Recorder:
    """Stands before a handler while somebody looks. install: makes the server call what it is given; clock: epoch
    seconds."""

    def __init__(
        self,
        handler: Callable[[Request], Any],
        install: Callable[[Callable[[Request], Any]], None],
        clock: Callable[[], float],
    ) -> None:
        self._install = install
        self._handler = handler
        self._clock = clock
        self._watched_until_s = 0.0
        self._requests: deque[dict[str, Any]] = deque(maxlen=_KEPT)

    def look(self) -> list[dict[str, Any]]:
        """The last requests, newest first; from now on they are noted for a few seconds."""
        self._watched_until_s = self._clock() + _WATCHED_S
        self._install(self.record)
        return list(reversed(self._requests))

    def record(self, request: Request) -> Any:
        """Handle a request and note it."""
        if self._clock() > self._watched_until_s:
            self._install(self._handler)
            self._requests.clear()
            return self._handler(request)
        started_s = time.perf_counter()
        answer = self._handler(request)
        if request.method == "POST":  # pages are not worth noting
            self._requests.append(
                {
                    "time_s": self._clock(),
                    "service": _service(request),
                    "operation": _operation(request),
                    "status": answer.status if isinstance(answer, Response) else None,
                    "took_ms": (time.perf_counter() - started_s) * 1000,
                    "request_bytes": len(request.body),
                    "response_bytes": len(answer.body) if isinstance(answer, Response) else None,
                }
            )
        return answer


def _service(request: Request) -> str:
    if request.path == "/graphql":
        return "AppSync"
    target = request.headers.get("x-amz-target", "")
    return "DynamoDB" if target.startswith("DynamoDB") else "CloudWatch"


def _operation(request: Request) -> str:
    """The field or operation that was asked for, as far as a glance tells."""
    if request.path == "/graphql":
        body = request.body[:4000]
        named = _OPERATION_NAME.search(body)
        # The first brace opens the JSON body, the second the selection.
        field = _FIELD.search(body, body.find(b"{", 1))
        found = field or named
        return found.group(1).decode("ascii", "replace") if found else "?"
    target = request.headers.get("x-amz-target") or request.path.rpartition("/")[2]
    return target.rpartition(".")[2][:60] or "?"
