"""A target whose every answer is markup: it calls domains, groups and errors what a pupil or an attacker might."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MARKS = {
    "script": "<script>window.pwned=1</script>",
    "handler": "<img src=x onerror=window.pwned=1>",
    "svg": "</text></svg><svg onload=window.pwned=1>",
    "attribute": '" autofocus onfocus="window.pwned=1" x=\'',
    "comment": "--><b id=pwned>",
    "template": "{{ 7*7 }}{% raw %}",
    "link": "[x](javascript:window.pwned=1)",
    "table": "a|b\n\n# heading\n| --- |",
    "formula": '=HYPERLINK("http://example.com","x")',
    "command": "::error file=x::y%0A::set-output name=z::1",
    "terminal": "\x1b[2J\x1b]0;pwned\x07",
    "direction": "\u202egnp.exe",
    "nul": "a\x00b",
}
"""What each tries to be."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    served = 0

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        field = re.search(r"\{\s*(\w+)", request["query"])
        assert field
        type(self).served += 1
        content = json.dumps(self._answer(field[1], request["variables"] or {})).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("x-amzn-requestid", MARKS["attribute"])
        self.send_header("x-amzn-appsync-TokensConsumed", "-1e9999 tokens")
        self.end_headers()
        self.wfile.write(content)

    def _answer(self, field: str, variables: dict[str, Any]) -> dict[str, Any]:
        everything = " ".join(MARKS.values())
        group = {
            "id": everything,
            "domain": MARKS["script"],
            "fullId": everything,
            "name": everything,
            "hostId": variables.get("hostId", everything),
            "heartbeatIntervalSeconds": 15,
            "useWebSocket": False,
            "pollingIntervalSeconds": 2,
        }
        if field == "createDomain":
            return {"data": {field: MARKS["script"]}}
        if field == "createGroup":
            return {"data": {field: group}}
        if field == "listGroupsByDomain":
            return {"data": {field: [group]}}
        mark = list(MARKS.values())[self.served % len(MARKS)]
        return {"data": None, "errors": [{"errorType": mark, "message": mark + everything}]}

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextmanager
def hostile_target() -> Iterator[str]:
    """Serve it on loopback; yields its GraphQL URL."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/graphql"
    finally:
        server.shutdown()
        server.server_close()
