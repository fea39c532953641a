"""What a handler receives and gives back: one HTTP request, one HTTP response."""

from __future__ import annotations

import http
from collections.abc import Awaitable, Callable
from functools import lru_cache


class Request:
    """One whole HTTP request.

    method: upper-case verb. path: without the query, percent-encoding untouched. query: the text after "?", undecoded,
    "" when absent. headers: lower-case names; a repeated header is joined with ", ". body: bytes as sent. peer: address
    of the client.
    """

    __slots__ = ("body", "headers", "method", "path", "peer", "query")

    def __init__(
        self, method: str, path: str, query: str, headers: dict[str, str], body: bytes = b"", peer: str = ""
    ) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.peer = peer

    def __repr__(self) -> str:
        return f"Request({self.method} {self.path}, {len(self.body)} bytes)"


class Response:
    """One whole HTTP response; Content-Length, Date and Connection are the server's business.

    header_lines: further headers in the form of the wire, from who answers often and knows what is in them.
    """

    __slots__ = ("body", "content_type", "header_lines", "headers", "status")

    def __init__(
        self,
        status: int,
        body: bytes = b"",
        content_type: str = "application/json",
        headers: tuple[tuple[str, str], ...] = (),
        header_lines: bytes = b"",
    ) -> None:
        self.status = status
        self.body = body
        self.content_type = content_type
        self.headers = headers
        self.header_lines = header_lines

    def __repr__(self) -> str:
        return f"Response({self.status}, {self.content_type}, {len(self.body)} bytes)"


Handler = Callable[[Request], "Response | Awaitable[Response]"]


@lru_cache(maxsize=256)
def status_line(status: int, content_type: str) -> bytes:
    """The part of a response's head that repeats: status line and content type."""
    try:
        phrase = http.HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    line = f"HTTP/1.1 {status} {phrase}\r\n"
    if content_type:
        line += f"Content-Type: {content_type}\r\n"
    return line.encode("latin-1")


def header_lines(headers: tuple[tuple[str, str], ...]) -> bytes:
    """Further headers as they go on the wire.

    Raises ValueError when a value holds a line break, which would let data forge headers.
    """
    text = "".join([f"{name}: {value}\r\n" for name, value in headers])
    if text.count("\n") != len(headers) or text.count("\r") != len(headers):
        raise ValueError(f"a response header must not contain a line break: {headers!r}")
    return text.encode("latin-1", "replace")
