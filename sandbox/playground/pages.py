"""The page and its files, and the answers to them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from typing import Any

import orjson

from sandbox.http.message import Request, Response

# Nothing but its own files: whatever a name holds, no script in it runs and no other server is asked.
_SECURITY = (
    (
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    ("X-Content-Type-Options", "nosniff"),
    ("Cache-Control", "no-store"),
)
_FILES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/_sandbox/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/_sandbox/page.css": ("page.css", "text/css; charset=utf-8"),
}


def pages(state: Callable[[], Any]) -> dict[str, Callable[[Request], Response]]:
    """Path -> handler."""
    found: dict[str, Callable[[Request], Response]] = {
        path: _static(files(__package__).joinpath(name).read_bytes(), content_type)
        for path, (name, content_type) in _FILES.items()
    }
    found["/_sandbox/state"] = lambda request: Response(200, orjson.dumps(state()), headers=_SECURITY)
    return found


def _static(body: bytes, content_type: str) -> Callable[[Request], Response]:
    answer = Response(200, body, content_type, _SECURITY)
    return lambda request: answer
