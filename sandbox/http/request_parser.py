"""From bytes to requests, one connection's worth: httptools reads, limits are kept, whole requests are delivered."""

from __future__ import annotations

from collections.abc import Callable

import httptools

from sandbox.http.limits import Bodies, Limits, Refused
from sandbox.http.message import Request

_names: dict[bytes, str] = {}


def _header_name(raw: bytes) -> str:
    name = raw.decode("latin-1").lower()
    if len(_names) < 1024:
        _names[raw] = name
    return name


class RequestParser:
    """deliver(request, keep_alive) is called for each whole request, go_on() when a client waits for 100 Continue."""

    def __init__(
        self,
        limits: Limits,
        bodies: Bodies,
        deliver: Callable[[Request, bool], None],
        go_on: Callable[[], None],
    ) -> None:
        self.peer = ""
        self.messages = 0  # begun so far
        self.in_message = False
        self._limits = limits
        self._bodies = bodies
        self._deliver = deliver
        self._go_on = go_on
        self._parser = httptools.HttpRequestParser(self)
        self._websocket: Request | None = None
        self._in_head = False
        self._url = b""
        self._headers: dict[str, str] = {}
        self._head_bytes = 0
        self._body = b""
        self._body_parts: list[bytes] | None = None
        self._body_bytes = 0

    def feed(self, data: bytes) -> tuple[Request, bytes] | None:
        """Take bytes. Gives the request of a WebSocket handshake with the bytes after it, after which there is no more
        HTTP. Raises Refused."""
        while True:
            try:
                self._parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                rest = data[upgrade.args[0] :]
                if self._websocket is not None:
                    return self._websocket, rest
                # Another protocol was offered (h2c, say). Its request was delivered as plain HTTP/1.1; go on with that.
                self._parser = httptools.HttpRequestParser(self)
                if rest:
                    data = rest
                    continue
            except httptools.HttpParserError as error:
                cause = error.__context__
                raise cause if isinstance(cause, Refused) else Refused(400, "malformed HTTP request") from None
            break
        if self._in_head:  # the parser keeps an unfinished header to itself, however long it grows
            self._head_bytes += len(data)
            if self._head_bytes > self._limits.head_bytes:
                raise Refused(431, f"request head exceeds {self._limits.head_bytes} bytes")
        return None

    def release(self) -> None:
        """Forget the body that is being received."""
        if self._body_parts is not None:
            self._bodies.in_flight_bytes -= self._body_bytes
            self._body_parts = None

    # httptools calls these.

    def on_message_begin(self) -> None:
        self.in_message = self._in_head = True
        self.messages += 1
        self._url = b""
        self._headers = {}
        self._head_bytes = 0
        self._body = b""
        self._body_parts = None
        self._body_bytes = 0

    def on_url(self, url: bytes) -> None:
        self._url = self._url + url if self._url else url

    def on_header(self, raw_name: bytes, raw_value: bytes | None) -> None:
        name = _names.get(raw_name) or _header_name(raw_name)
        value = raw_value.decode("latin-1") if raw_value else ""
        self._head_bytes += len(raw_name) + len(value) + 32  # an entry has a cost too (RFC 9113, 6.5.2)
        if name in self._headers:
            value = f"{self._headers[name]}, {value}"
        self._headers[name] = value

    def on_headers_complete(self) -> None:
        self._in_head = False
        limits, headers = self._limits, self._headers
        if self._head_bytes + len(self._url) > limits.head_bytes:
            raise Refused(431, f"request head exceeds {limits.head_bytes} bytes")
        length = headers.get("content-length")
        if length is not None and int(length) > limits.body_bytes:
            raise Refused(413, f"request body of {length} bytes exceeds {limits.body_bytes} bytes")
        if "expect" in headers:
            if headers["expect"].lower() != "100-continue":
                raise Refused(417, "the only expectation supported is 100-continue")
            self._go_on()

    def on_body(self, part: bytes) -> None:
        limits, bodies = self._limits, self._bodies
        if not self._body_bytes:
            self._body = part
        else:
            if self._body_parts is None:
                self._body_parts = [self._body]
                bodies.in_flight_bytes += self._body_bytes
            self._body_parts.append(part)
            bodies.in_flight_bytes += len(part)
        self._body_bytes += len(part)
        if self._body_bytes > limits.body_bytes:
            raise Refused(413, f"request body exceeds {limits.body_bytes} bytes")
        if bodies.in_flight_bytes > limits.bodies_in_flight_bytes:
            raise Refused(503, "too many large requests at once")

    def on_message_complete(self) -> None:
        self.in_message = False
        parser = self._parser
        if self._body_parts is not None:
            self._body = b"".join(self._body_parts)
            self.release()
        target = self._url.decode("latin-1")
        if target[:1] != "/":  # absolute form, as sent to a proxy
            target = "/" + target.partition("://")[2].partition("/")[2]
        path, _, query = target.partition("?")
        method = parser.get_method().decode("latin-1")
        request = Request(method, path, query, self._headers, self._body, self.peer)
        if parser.should_upgrade() and self._headers.get("upgrade", "").lower() == "websocket":
            self._websocket = request
        else:
            self._deliver(request, parser.should_keep_alive())
