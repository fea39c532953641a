"""Bounds that keep a hostile or broken client from using up the server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Of one connection, and of all together."""

    head_bytes: int = 64 * 1024
    body_bytes: int = 16 * 1024 * 1024
    """DynamoDB's own limit of a request."""
    bodies_in_flight_bytes: int = 256 * 1024 * 1024
    """Unfinished bodies of all connections."""
    connections: int = 20_000
    pipelined_requests: int = 64
    request_s: float = 60.0
    """From a request's first byte to its last."""
    idle_s: float = 600.0
    """Between two requests of one connection."""
    websocket_message_bytes: int = 1024 * 1024
    websocket_buffered_bytes: int = 4 * 1024 * 1024
    """Unsent to one slow consumer; then it is cut off."""
    websockets_buffered_bytes: int = 256 * 1024 * 1024
    """Unsent to all slow consumers."""


class Refused(Exception):
    """A request that is answered with an error status, and its connection ended."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Bodies:
    """What the unfinished bodies of all connections hold together."""

    def __init__(self) -> None:
        self.in_flight_bytes = 0
