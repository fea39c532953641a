"""What the server says on a WebSocket, as frames ready to be sent; publications have frames of their own.

Source: AppSync developer guide, "Building a real-time WebSocket client" (read 2026-11).
"""

from __future__ import annotations

from typing import Any

import orjson

from sandbox.http.websocket import text_frame

Error = dict[str, Any]
"""One entry of `payload.errors`: errorType and message, errorCode where AppSync has one."""

KEEP_ALIVE = text_frame(b'{"type":"ka"}')


def connection_ack(timeout_ms: int) -> bytes:
    """timeout_ms: after so long without a `ka`, the client ends the connection."""
    return _frame({"type": "connection_ack", "payload": {"connectionTimeoutMs": timeout_ms}})


def connection_error(error: Error) -> bytes:
    return _frame({"type": "connection_error", "payload": {"errors": [error]}})


def start_ack(subscription_id: str) -> bytes:
    return _frame({"id": subscription_id, "type": "start_ack"})


def complete(subscription_id: str) -> bytes:
    return _frame({"id": subscription_id, "type": "complete"})


def error_frame(errors: list[Error], subscription_id: str | None = None) -> bytes:
    """An `error`; it has an id only when it concerns one subscription."""
    frame: dict[str, Any] = {"type": "error", "payload": {"errors": errors}}
    if subscription_id is not None:
        frame["id"] = subscription_id
    return _frame(frame)


def error(error_type: str, message: str, code: int | None = None) -> Error:
    entry: Error = {"errorType": error_type, "message": message}
    if code is not None:
        entry["errorCode"] = code
    return entry


def unsupported(operation: str = "unknown") -> Error:
    """What AppSync says of a message that it cannot make sense of (graphql-ws issue 602, 2024-12)."""
    return error("UnsupportedOperation", f"{operation} not supported through the realtime channel")


def _frame(message: dict[str, Any]) -> bytes:
    return text_frame(orjson.dumps(message))
