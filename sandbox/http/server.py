"""HTTP/1.1 and WebSockets on bare asyncio protocols: a parser, a handler, and nothing between.

That keeps the cost of a request near ten microseconds of CPU. Requests pipelined on one connection are answered in the
order they came.
"""

from __future__ import annotations

import asyncio
import email.utils
import time
from collections.abc import Callable
from ssl import SSLContext

from sandbox.http.connection import HttpProtocol
from sandbox.http.limits import Bodies, Limits
from sandbox.http.message import Handler, Request, Response
from sandbox.http.websocket import Upgrade, WebSocketProtocol, shed_load

__all__ = ["Handler", "HttpServer", "Limits", "Request", "Response"]

_HOUSEKEEPING_S = 1.0


class HttpServer:
    """Listens on one port.

    handler answers every request; upgrade is asked about WebSocket handshakes and gives either the handler of that
    connection or a Response that refuses it (None: no WebSockets here).
    """

    def __init__(
        self,
        handler: Handler,
        upgrade: Callable[[Request], Upgrade | Response] | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.handler = handler
        self.upgrade = upgrade
        self.limits = limits or Limits()
        self.connections: set[HttpProtocol] = set()
        self.websockets: set[WebSocketProtocol] = set()
        self.bodies = Bodies()
        self.tasks: set[asyncio.Task[None]] = set()
        self.date = b""
        self._server: asyncio.Server | None = None
        self._housekeeping: asyncio.TimerHandle | None = None

    @property
    def port(self) -> int:
        """The port that is bound (useful after binding port 0)."""
        if self._server is None:
            raise RuntimeError("the server is not started")
        return int(self._server.sockets[0].getsockname()[1])

    async def start(self, host: str = "127.0.0.1", port: int = 0, tls: SSLContext | None = None) -> None:
        """Bind and listen. Raises OSError when the address cannot be bound."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: HttpProtocol(self), host, port, ssl=tls, backlog=4096)
        self._keep_house()

    async def stop(self, grace_s: float = 1.0) -> None:
        """Stop listening, say goodbye to WebSockets (1001), let answers in progress leave, then cut what remains."""
        if self._server is None:
            return
        self._server.close()
        if self._housekeeping is not None:
            self._housekeeping.cancel()
        for websocket in list(self.websockets):
            websocket.connection.close(1001, "server is going away")
        for connection in list(self.connections):
            connection.close_when_answered()
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + grace_s
        while (self.connections or self.websockets) and loop.time() < deadline_s:
            await asyncio.sleep(0.01)
        for connection in list(self.connections):
            connection.abort()
        for websocket in list(self.websockets):
            websocket.abort()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.sleep(0)
        self._server = None

    def _keep_house(self) -> None:
        """Once a second: the Date header, requests that do not end, idle connections, consumers that do not read."""
        self.date = b"Date: " + email.utils.formatdate(usegmt=True).encode() + b"\r\n"
        now_s = time.monotonic()
        for connection in list(self.connections):
            connection.check_age(now_s)
        shed_load(self.websockets, self.limits.websockets_buffered_bytes)
        self._housekeeping = asyncio.get_running_loop().call_later(_HOUSEKEEPING_S, self._keep_house)
