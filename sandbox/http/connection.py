"""One client connection: requests in, answers out in the same order, no more at once than the client takes."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from sandbox.http.limits import Refused
from sandbox.http.message import Request, Response, header_lines, status_line
from sandbox.http.request_parser import RequestParser
from sandbox.http.websocket import WebSocketProtocol, handshake

if TYPE_CHECKING:
    from sandbox.http.server import HttpServer

logger = logging.getLogger(__name__)

_LINGER_S = 2.0


class HttpProtocol(asyncio.Protocol):
    """A synchronous handler is answered inside the callback that parsed its request."""

    def __init__(self, server: HttpServer) -> None:
        self.server = server
        self._transport: asyncio.Transport
        self._parser = RequestParser(server.limits, server.bodies, self._accept, self._go_on)
        self._queue: deque[tuple[Request, bool]] = deque()
        self._busy = False  # an asynchronous handler is at work
        self._write_paused = False
        self._closing = False  # nothing more is read
        self._unchanged_since_s = 0.0  # set by check_age, so that the hot path reads no clock
        self._messages_at_check = -1

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]
        peer = transport.get_extra_info("peername")
        self._parser.peer = str(peer[0]) if peer else ""
        self.server.connections.add(self)
        if len(self.server.connections) + len(self.server.websockets) > self.server.limits.connections:
            self._refuse(503, "too many connections")

    def connection_lost(self, exc: Exception | None) -> None:
        self._closing = True
        self._queue.clear()
        self._parser.release()
        self.server.connections.discard(self)

    def pause_writing(self) -> None:
        # The client does not read its answers: stop making more of them.
        self._write_paused = True
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        self._write_paused = False
        self._drain()

    def eof_received(self) -> bool:
        # A half-closed client still gets the answers to what it sent whole.
        self._closing = True
        return self._busy or bool(self._queue)

    def data_received(self, data: bytes) -> None:
        if self._closing:
            return
        try:
            upgrade = self._parser.feed(data)
        except Refused as refusal:
            self._refuse(refusal.status, refusal.reason)
            return
        if upgrade is not None and not self._closing:
            self._switch(*upgrade)

    def check_age(self, now_s: float) -> None:
        """Called about once a second: a request that trickles in for too long is refused, an idle connection closed."""
        parser, limits = self._parser, self.server.limits
        if parser.messages != self._messages_at_check or self._busy:
            self._messages_at_check = parser.messages
            self._unchanged_since_s = now_s
        elif parser.in_message:
            if now_s - self._unchanged_since_s > limits.request_s:
                self._refuse(408, f"request not complete within {limits.request_s:g} s")
        elif now_s - self._unchanged_since_s > limits.idle_s and not self._queue:
            self._transport.close()

    def close_when_answered(self) -> None:
        """Close now, or as soon as the request that is being answered has its answer."""
        self._closing = True
        self._queue.clear()
        if not self._busy:
            self._transport.close()

    def abort(self) -> None:
        """End at once."""
        self._transport.abort()

    # Answering

    def _go_on(self) -> None:
        if not self._busy and not self._queue:
            self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _accept(self, request: Request, keep_alive: bool) -> None:
        if self._busy or self._write_paused or self._queue:
            self._queue.append((request, keep_alive))
            if len(self._queue) >= self.server.limits.pipelined_requests:
                self._transport.pause_reading()
        elif not self._closing:
            self._serve(request, keep_alive)

    def _serve(self, request: Request, keep_alive: bool) -> None:
        try:
            answer = self.server.handler(request)
        except Exception:
            answer = _failure(request)
        if isinstance(answer, Response):
            self._write(request, answer, keep_alive)
        else:
            self._busy = True
            task = asyncio.ensure_future(self._serve_later(request, answer, keep_alive))
            self.server.tasks.add(task)
            task.add_done_callback(self.server.tasks.discard)

    async def _serve_later(self, request: Request, answer: Awaitable[Response], keep_alive: bool) -> None:
        try:
            response = await answer
        except Exception:
            response = _failure(request)
        self._busy = False
        if not self._transport.is_closing():
            self._write(request, response, keep_alive)
            self._drain()

    def _drain(self) -> None:
        while self._queue and not self._busy and not self._write_paused:
            self._serve(*self._queue.popleft())
        if self._transport.is_closing() or self._busy:
            return
        if self._closing and not self._queue:
            self._transport.close()
        elif not self._write_paused and len(self._queue) < self.server.limits.pipelined_requests:
            self._transport.resume_reading()

    def _write(self, request: Request, response: Response, keep_alive: bool) -> None:
        status, body = response.status, response.body
        try:
            extra = response.header_lines
            if response.headers:
                extra += header_lines(response.headers)
        except ValueError:
            logger.exception("response of %s %s", request.method, request.path)
            self._refuse(500, "internal failure")
            return
        if status == 204 or status == 304:
            length, body = b"\r\n", b""
        else:
            length = b"Content-Length: %d\r\n\r\n" % len(body)
            if request.method == "HEAD":
                body = b""
        if not keep_alive:
            extra += b"Connection: close\r\n"
        elif "connection" in request.headers:  # HTTP/1.0 has to be told; others do not mind
            extra += b"Connection: keep-alive\r\n"
        head = status_line(status, response.content_type) + self.server.date + extra + length
        if len(body) < 65536:
            self._transport.write(head + body)
        else:
            self._transport.writelines((head, body))
        if not keep_alive:
            self._queue.clear()
            self._closing = True
            self._transport.close()

    def _refuse(self, status: int, reason: str) -> None:
        """Answer an error and end the connection, but read on for a while: closing at once with unread data would
        reset the connection and the client would never see the answer."""
        self._parser.release()
        self._parser.in_message = False
        if self._closing:
            return
        self._closing = True
        if self._busy or self._queue:  # an earlier request on this connection still owes its answer
            self._queue.clear()
            if not self._busy:
                self._transport.close()
            return
        text = b'{"message":"%b"}' % reason.encode("ascii", "replace")
        self._transport.write(
            status_line(status, "application/json")
            + self.server.date
            + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(text)
            + text
        )
        if self._transport.can_write_eof():
            self._transport.write_eof()
        asyncio.get_running_loop().call_later(_LINGER_S, self._transport.abort)

    def _switch(self, request: Request, rest: bytes) -> None:
        """Hand the transport over to a WebSocket, or refuse it."""
        server = self.server
        if self._busy or self._queue or server.upgrade is None:
            self._refuse(400 if server.upgrade else 404, "no WebSocket here")
            return
        try:
            upgrade = server.upgrade(request)
        except Exception:
            upgrade = _failure(request)
        if isinstance(upgrade, Response):
            self._write(request, upgrade, keep_alive=False)
            return
        answer, subprotocol = handshake(request, upgrade)
        if isinstance(answer, Response):
            self._write(request, answer, keep_alive=False)
            return
        self._transport.write(answer)
        self._closing = True
        server.connections.discard(self)
        websocket = WebSocketProtocol(
            self._transport,
            request,
            upgrade,
            subprotocol,
            server.websockets,
            server.limits.websocket_message_bytes,
            server.limits.websocket_buffered_bytes,
        )
        self._transport.set_protocol(websocket)
        websocket.open(rest)


def _failure(request: Request) -> Response:
    logger.exception("%s %s", request.method, request.path)
    return Response(500, b'{"message":"internal failure"}')
