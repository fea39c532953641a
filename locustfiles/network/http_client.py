"""A small HTTP/1.1 client for many small POSTs to one address, each answered whole before the connection is used again.

One POST and its answer over loopback cost FastHttpUser's session 170 to 240 microseconds of CPU and this client 29 to
45, which is what a bare socket costs (busy machine, 2026-11-30): it writes a prepared head, and the hub hands the
answer straight to the greenlet that waits for it. It is a Locust user's client all the same: whoever sends fires
Locust's request event.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

import gevent
from gevent import getcurrent

from locustfiles.network.stream import Stream
from locustfiles.running.clock import now_s

CONNECT_TIMEOUT_S, ANSWER_TIMEOUT_S = 10.0, 30.0
MAX_ANSWER_BYTES = 8 << 20  # AppSync evaluates at most 5 MB per handler


class BadAnswer(OSError):
    """The answer is not HTTP, or not one that this client reads."""


@dataclass(slots=True)
class HttpAnswer:
    """An answer. `head` is its first line and headers, looked up with `header`."""

    status: int
    head: bytes
    lower_head: bytes
    content: bytes
    received_s: float

    def header(self, name: bytes) -> str | None:
        """The value of a header; `name` in lower case."""
        return _header(self.head, self.lower_head, name)


class HttpClient:
    """Keep-alive connections to one URL, as many as requests are under way at once."""

    def __init__(self, url: str, headers: dict[str, str], tls: ssl.SSLContext) -> None:
        parts = urlsplit(url)
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._head = f"POST {path} HTTP/1.1\r\nHost: {parts.netloc}\r\n{lines}Content-Length: ".encode("latin-1")
        self._parts = parts
        self._tls = tls if parts.scheme == "https" else None
        self._idle: list[_Connection] = []

    def post(self, body: bytes) -> HttpAnswer:
        """Send and wait for the answer. Raises OSError, TimeoutError among them, when none comes."""
        connection = self._idle.pop() if self._idle else self._connect()
        answer = connection.exchange(b"%s%d\r\n\r\n%s" % (self._head, len(body), body))
        if connection.is_reusable:
            self._idle.append(connection)
        return answer

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()

    def _connect(self) -> _Connection:
        connection = _Connection(self._idle)
        connection.open(self._parts, self._tls)
        return connection


class _Connection:
    """One connection and at most one request on it."""

    def __init__(self, idle: list[_Connection]) -> None:
        self._idle = idle
        self._stream = Stream(self._on_data, self._on_end)
        self._waiting: Any = None
        self._buffer = b""
        self._keep_alive = True

    @property
    def is_reusable(self) -> bool:
        return self._keep_alive and self._stream.is_open

    def open(self, parts: SplitResult, tls: ssl.SSLContext | None) -> None:
        self._stream.open(parts.hostname or "", parts.port or (443 if tls else 80), tls, CONNECT_TIMEOUT_S)

    def close(self) -> None:
        self._stream.close()

    def exchange(self, request: bytes) -> HttpAnswer:
        self._stream.write(request)
        self._waiting = getcurrent()
        timeout = gevent.get_hub().loop.timer(ANSWER_TIMEOUT_S)
        timeout.start(self._on_timeout)
        try:
            result = gevent.get_hub().switch()
        except BaseException:  # the waiting greenlet was killed: the answer, if it comes, belongs to nobody
            self._waiting = None
            self._stream.close()
            raise
        finally:
            timeout.stop()
            timeout.close()
        if isinstance(result, HttpAnswer):
            return result
        self._stream.close()
        raise result

    def _on_data(self, data: bytes) -> None:
        received_s = now_s()
        self._buffer = self._buffer + data if self._buffer else data
        try:
            answer = self._read(received_s)
        except (BadAnswer, ValueError) as fault:
            self._hand_over(fault if isinstance(fault, BadAnswer) else BadAnswer(f"the answer is no HTTP: {fault}"))
            return
        if answer is not None:
            self._hand_over(answer)

    def _read(self, received_s: float) -> HttpAnswer | None:
        head, separator, rest = self._buffer.partition(b"\r\n\r\n")
        if len(self._buffer) > MAX_ANSWER_BYTES:
            raise BadAnswer(f"the answer has more than {MAX_ANSWER_BYTES:,} bytes")
        if not separator:
            return None
        if not head.startswith(b"HTTP/1."):
            raise BadAnswer(f"the answer begins with {head[:20]!r}")
        status, lower_head = int(head[9:12]), head.lower()
        length = _header(head, lower_head, b"content-length")
        if length is not None:
            if len(rest) < int(length):
                return None
            content, self._buffer = rest[: int(length)], rest[int(length) :]
        elif b"\r\ntransfer-encoding: chunked" in lower_head:
            chunks = _unchunk(rest)
            if chunks is None:
                return None
            content, self._buffer = chunks
        elif status in (204, 304):
            content, self._buffer = b"", rest
        else:
            raise BadAnswer("the answer says neither its length nor that it is chunked")
        if b"\r\nconnection: close" in lower_head or head.startswith(b"HTTP/1.0"):
            self._keep_alive = False
        return HttpAnswer(status, head, lower_head, content, received_s)

    def _on_timeout(self) -> None:
        self._hand_over(TimeoutError(f"no answer within {ANSWER_TIMEOUT_S:g} s"))

    def _on_end(self, reason: str) -> None:
        if self in self._idle:
            self._idle.remove(self)
        self._hand_over(ConnectionResetError(reason))

    def _hand_over(self, result: HttpAnswer | OSError) -> None:
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            waiting.switch(result)
        elif not isinstance(result, OSError):  # bytes that nobody asked for
            self._stream.close()


def _header(head: bytes, lower_head: bytes, name: bytes) -> str | None:
    start = lower_head.find(b"\r\n" + name + b":")
    if start < 0:
        return None
    start += len(name) + 3
    end = head.find(b"\r\n", start)
    return head[start : end if end >= 0 else len(head)].strip().decode("latin-1")


def _unchunk(data: bytes) -> tuple[bytes, bytes] | None:
    """The content of chunks and what follows them; None when they are not all there yet."""
    content, position = b"", 0
    while True:
        end = data.find(b"\r\n", position)
        if end < 0:
            return None
        size = int(data[position:end].split(b";")[0], 16)
        start = end + 2
        if len(data) < start + size + 2:
            return None
        content += data[start : start + size]
        position = start + size + 2
        if size == 0:
            trailer_end = data.find(b"\r\n\r\n", end)  # trailers, if any, end with an empty line
            return content, data[trailer_end + 4 :] if data[start : start + 2] != b"\r\n" else data[position:]
