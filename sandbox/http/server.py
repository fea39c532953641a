"""HTTP/1.1 on a bare asyncio protocol: httptools parses, a handler answers, nothing stands between.

A synchronous handler is answered inside the callback that parsed its request, which is what keeps the cost of a request
near ten microseconds of CPU. Requests pipelined on one connection are answered in the order they came.
"""

from __future__ import annotations

import asyncio
import email.utils
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from ssl import SSLContext

import httptools

from sandbox.http.message import Handler, Request, Response, header_lines, status_line
from sandbox.http.websocket import Upgrade, WebSocketProtocol, handshake, shed_load

__all__ = ["Handler", "HttpServer", "Limits", "Request", "Response"]

logger = logging.getLogger(__name__)

_HOUSEKEEPING_S = 1.0
_LINGER_S = 2.0
_names: dict[bytes, str] = {}


@dataclass(frozen=True)
class Limits:
    """Bounds that keep a hostile or broken client from using up the server."""

    head_bytes: int = 64 * 1024
    body_bytes: int = 16 * 1024 * 1024  # DynamoDB's own limit of a request
    bodies_in_flight_bytes: int = 256 * 1024 * 1024  # unfinished bodies of all connections together
    connections: int = 20_000
    pipelined_requests: int = 64
    request_s: float = 60.0  # from a request's first byte to its last
    websocket_message_bytes: int = 1024 * 1024
    websocket_buffered_bytes: int = 4 * 1024 * 1024  # unsent to one slow consumer, then it is cut off
    websockets_buffered_bytes: int = 256 * 1024 * 1024  # unsent to all slow consumers together


class _Refused(Exception):
    """Ends the parsing of a request which is answered with an error status."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


def _header_name(raw: bytes) -> str:
    name = raw.decode("latin-1").lower()
    if len(_names) < 1024:
        _names[raw] = name
    return name


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
        self.bodies_in_flight_bytes = 0
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
        self.date = b"Date: " + email.utils.formatdate(usegmt=True).encode() + b"\r\n"
        now_s = time.monotonic()
        for connection in list(self.connections):
            connection.check_age(now_s)
        shed_load(self.websockets, self.limits.websockets_buffered_bytes)
        self._housekeeping = asyncio.get_running_loop().call_later(_HOUSEKEEPING_S, self._keep_house)


class HttpProtocol(asyncio.Protocol):
    """One client connection."""

    def __init__(self, server: HttpServer) -> None:
        self.server = server
        self._limits = server.limits
        self._transport: asyncio.Transport
        self._parser = httptools.HttpRequestParser(self)
        self._peer = ""
        self._queue: deque[tuple[Request, bool]] = deque()
        self._busy = False  # an asynchronous handler is at work
        self._write_paused = False
        self._closing = False  # nothing more is read
        self._url = b""
        self._headers: dict[str, str] = {}
        self._body = b""
        self._body_parts: list[bytes] | None = None
        self._body_bytes = 0
        self._head_bytes = 0
        self._in_message = False
        self._in_head = False
        self._message_since_s = 0.0  # set by housekeeping, so that the hot path reads no clock
        self._messages = 0
        self._messages_at_check = -1
        self._websocket: Request | None = None

    # ---- transport -------------------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport  # type: ignore[assignment]
        peer = transport.get_extra_info("peername")
        self._peer = str(peer[0]) if peer else ""
        self.server.connections.add(self)
        if len(self.server.connections) + len(self.server.websockets) > self._limits.connections:
            self._refuse(503, "too many connections")

    def connection_lost(self, exc: Exception | None) -> None:
        self._closing = True
        self._queue.clear()
        self._release_body()
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
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._switch(data[upgrade.args[0] :])
            return
        except httptools.HttpParserError as error:
            if not self._closing:
                cause = error.__context__
                if isinstance(cause, _Refused):
                    self._refuse(cause.status, str(cause))
                else:
                    self._refuse(400, "malformed HTTP request")
            return
        if self._in_head:  # the parser keeps an unfinished header to itself, however long it grows
            self._head_bytes += len(data)
            if self._head_bytes > self._limits.head_bytes:
                self._refuse(431, f"request head exceeds {self._limits.head_bytes} bytes")

    def check_age(self, now_s: float) -> None:
        """Called about once a second: a request that trickles in for too long is refused."""
        if not self._in_message or self._messages != self._messages_at_check:
            self._messages_at_check = self._messages
            self._message_since_s = now_s
        elif now_s - self._message_since_s > self._limits.request_s:
            self._refuse(408, f"request not complete within {self._limits.request_s:g} s")

    def close_when_answered(self) -> None:
        """Close now, or as soon as the request that is being answered has its answer."""
        self._closing = True
        self._queue.clear()
        if not self._busy:
            self._transport.close()

    def abort(self) -> None:
        self._transport.abort()

    # ---- parser callbacks ------------------------------------------------------------------------------------------

    def on_message_begin(self) -> None:
        self._in_message = self._in_head = True
        self._messages += 1
        self._url = b""
        self._headers = {}
        self._body = b""
        self._body_parts = None
        self._body_bytes = 0
        self._head_bytes = 0

    def on_url(self, url: bytes) -> None:
        self._url = self._url + url if self._url else url

    def on_header(self, raw_name: bytes, raw_value: bytes | None) -> None:
        name = _names.get(raw_name) or _header_name(raw_name)
        value = raw_value.decode("latin-1") if raw_value else ""
        self._head_bytes += len(raw_name) + len(value) + 32  # as HTTP/2 counts (RFC 9113, 6.5.2): an entry has a cost
        if name in self._headers:
            value = f"{self._headers[name]}, {value}"
        self._headers[name] = value

    def on_headers_complete(self) -> None:
        self._in_head = False
        limits = self._limits
        if self._head_bytes + len(self._url) > limits.head_bytes:
            raise _Refused(431, f"request head exceeds {limits.head_bytes} bytes")
        headers = self._headers
        length = headers.get("content-length")
        if length is not None and int(length) > limits.body_bytes:
            raise _Refused(413, f"request body of {length} bytes exceeds {limits.body_bytes} bytes")
        if "expect" in headers:
            if headers["expect"].lower() != "100-continue":
                raise _Refused(417, f"expectation {headers['expect'][:80]!r} is not supported, only 100-continue is")
            if not self._busy and not self._queue:
                self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")

    def on_body(self, part: bytes) -> None:
        if not self._body_bytes:
            self._body = part
            self._body_bytes = len(part)
            if self._body_bytes > self._limits.body_bytes:
                raise _Refused(413, f"request body exceeds {self._limits.body_bytes} bytes")
            return
        parts = self._body_parts
        if parts is None:
            parts = self._body_parts = [self._body]
            self.server.bodies_in_flight_bytes += self._body_bytes
        parts.append(part)
        self._body_bytes += len(part)
        self.server.bodies_in_flight_bytes += len(part)
        if self._body_bytes > self._limits.body_bytes:
            raise _Refused(413, f"request body exceeds {self._limits.body_bytes} bytes")
        if self.server.bodies_in_flight_bytes > self._limits.bodies_in_flight_bytes:
            raise _Refused(503, "too many large requests at once")

    def on_message_complete(self) -> None:
        self._in_message = False
        parser = self._parser
        if self._body_parts is not None:
            self._body = b"".join(self._body_parts)
            self._release_body()
        target = self._url.decode("latin-1")
        if target[:1] != "/":  # absolute form, as sent to a proxy
            target = "/" + target.partition("://")[2].partition("/")[2]
        path, _, query = target.partition("?")
        method = parser.get_method().decode("latin-1")
        request = Request(method, path, query, self._headers, self._body, self._peer)
        if parser.should_upgrade() and self._headers.get("upgrade", "").lower() == "websocket":
            self._websocket = request
            return
        keep_alive = parser.should_keep_alive()
        if self._busy or self._write_paused or self._queue:
            self._queue.append((request, keep_alive))
            if len(self._queue) >= self._limits.pipelined_requests:
                self._transport.pause_reading()
        else:
            self._serve(request, keep_alive)

    def _release_body(self) -> None:
        if self._body_parts is not None:
            self.server.bodies_in_flight_bytes -= self._body_bytes
            self._body_parts = None

    # ---- answering -------------------------------------------------------------------------------------------------

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
        elif not self._write_paused and len(self._queue) < self._limits.pipelined_requests:
            self._transport.resume_reading()

    def _write(self, request: Request, response: Response, keep_alive: bool) -> None:
        status = response.status
        body = response.body
        try:
            extra = header_lines(response.headers) if response.headers else b""
        except ValueError:
            logger.exception("response of %s %s", request.method, request.path)
            self._refuse(500, "internal failure")
            return
        if status == 204 or status == 304:
            length = b"\r\n"
            body = b""
        else:
            length = b"Content-Length: %d\r\n\r\n" % len(body)
            if request.method == "HEAD":
                body = b""
        if not keep_alive:
            extra += b"Connection: close\r\n"
        elif "connection" in request.headers and self._parser.get_http_version() == "1.0":
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
        self._release_body()
        self._in_message = False
        if self._closing:
            return
        self._closing = True
        if self._busy or self._queue:  # an earlier request on this connection still owes its answer
            self._queue.clear()
            self._transport.close() if not self._busy else None
            return
        text = f'{{"message":"{reason}"}}'.replace("\\", "").encode("ascii", "replace")
        self._transport.write(
            status_line(status, "application/json")
            + self.server.date
            + b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(text)
            + text
        )
        if self._transport.can_write_eof():
            self._transport.write_eof()
        asyncio.get_running_loop().call_later(_LINGER_S, self._transport.abort)

    # ---- upgrade ---------------------------------------------------------------------------------------------------

    def _switch(self, rest: bytes) -> None:
        request = self._websocket
        self._websocket = None
        if request is None:
            # Some other protocol was offered (h2c, say): its request was answered as plain HTTP/1.1, go on with that.
            self._parser = httptools.HttpRequestParser(self)
            if rest:
                self.data_received(rest)
            return
        if self._busy or self._queue or self.server.upgrade is None:
            self._refuse(400 if self.server.upgrade else 404, "no WebSocket here")
            return
        try:
            upgrade = self.server.upgrade(request)
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
        self.server.connections.discard(self)
        websocket = WebSocketProtocol(
            self._transport,
            request,
            upgrade,
            subprotocol,
            self.server.websockets,
            self._limits.websocket_message_bytes,
            self._limits.websocket_buffered_bytes,
        )
        self._transport.set_protocol(websocket)
        websocket.open(rest)


def _failure(request: Request) -> Response:
    logger.exception("%s %s", request.method, request.path)
    return Response(500, b'{"message":"internal failure"}')
