"""What comes in by the sandbox's port: HTTP bytes, WebSocket frames and CloudWatch requests in three encodings.

Inputs and promises are those of the fuzz tests beside these rooms; here they are counted among the surfaces.
"""

from __future__ import annotations

import asyncio
from functools import cache

from hypothesis import strategies as st

from sandbox.cloudwatch.api import CloudWatchApi
from tests.sandbox.cloudwatch.test_cloudwatch_fuzz import OPERATIONS, in_each_encoding, nearly_right, small_api
from tests.sandbox.http.memory_transport import MemoryTransport
from tests.sandbox.http.test_http_fuzz import answered, frame_streams, heard, streams

_PIECES = st.lists(st.integers(1, 40), max_size=20)


def http_bytes() -> st.SearchStrategy[tuple[bytes, list[int]]]:
    return st.tuples(streams, _PIECES)


def send_http(given: tuple[bytes, list[int]]) -> str:
    """A request is answered with 200, a refusal or the end of the connection."""
    with _Loop():
        return "read" if b"HTTP/1.1 200 " in answered(MemoryTransport, *given) else "refused"


def websocket_frames() -> st.SearchStrategy[tuple[bytes, list[int]]]:
    return st.tuples(frame_streams, _PIECES)


def send_frames(given: tuple[bytes, list[int]]) -> str:
    """Text reaches the handler as it was; anything else is answered by the protocol or ends the connection."""
    with _Loop():
        return "read" if heard(MemoryTransport, *given) else "refused"


def cloudwatch_requests() -> st.SearchStrategy[tuple[str, object]]:
    return st.tuples(st.sampled_from(OPERATIONS), nearly_right)


def ask_cloudwatch(given: tuple[str, object]) -> str:
    """The structure in CBOR, JSON and a form; read when any of them is."""
    return "read" if 200 in in_each_encoding(_api(), *given) else "refused"


@cache
def _api() -> CloudWatchApi:
    return small_api()


@cache
def _timers() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


class _Loop:
    """A loop for timers that a connection may start; it never runs."""

    def __enter__(self) -> None:
        asyncio._set_running_loop(_timers())

    def __exit__(self, *exception: object) -> None:
        asyncio._set_running_loop(None)
