"""One port for everything: which service a request is meant for."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from sandbox.access import KeyHolders
from sandbox.http.message import Request, Response
from sandbox.http.websocket import Upgrade

Answer = Response | Awaitable[Response]

_NOT_FOUND = Response(404, b'{"message":"Not Found"}')
_WRONG_METHOD = Response(405, b'{"message":"Method Not Allowed"}', headers=(("Allow", "GET, HEAD"),))
_GRAPHQL_PATHS = ("/graphql", "/graphql/realtime")
CLOUDWATCH_TARGET = "GraniteServiceVersion20100801."
CLOUDWATCH_PATH = "/service/GraniteServiceVersion20100801/operation/"


class Service(Protocol):
    """Anything that answers requests."""

    def handle(self, request: Request) -> Answer: ...


class Router:
    """dynamodb, appsync and cloudwatch answer their protocols; pages maps further GET paths to handlers.

    access: None on loopback, where any AWS credentials do and pages are open.
    """

    def __init__(
        self,
        dynamodb: Service,
        appsync: Service,
        realtime: Upgrade,
        cloudwatch: Service,
        pages: Mapping[str, Callable[[Request], Answer]],
        switch_faults: Callable[[Request], Answer],
        access: KeyHolders | None = None,
    ) -> None:
        self._dynamodb = dynamodb.handle
        self._appsync = appsync.handle
        self._cloudwatch = cloudwatch.handle
        self._realtime = realtime
        self._pages = pages
        self._switch_faults = switch_faults
        self._access = access

    def __call__(self, request: Request) -> Answer:
        path = request.path
        if path == "/graphql":
            return self._appsync(request)
        if path == "/_sandbox/faults" and request.method == "POST":
            return self._switch_faults(request)
        if request.method == "POST":
            refusal = self._access.aws_request(request) if self._access is not None else None
            if refusal is not None:
                return refusal
            headers = request.headers
            if path == "/":
                target = headers.get("x-amz-target")
                if target is not None:
                    return (self._cloudwatch if target.startswith(CLOUDWATCH_TARGET) else self._dynamodb)(request)
                if headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
                    return self._cloudwatch(request)
                return self._dynamodb(request)
            if path.startswith(CLOUDWATCH_PATH):
                return self._cloudwatch(request)
        page = self._pages.get(path)
        if page is None:
            return _NOT_FOUND
        if request.method not in ("GET", "HEAD"):
            return _WRONG_METHOD
        refusal = self._access.page(request) if self._access is not None else None
        return refusal if refusal is not None else page(request)

    def upgrade(self, request: Request) -> Upgrade | Response:
        """Who talks on a WebSocket of this path."""
        return self._realtime if request.path in _GRAPHQL_PATHS else _NOT_FOUND
