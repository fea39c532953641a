"""A transport without a network, and how many inputs the fuzzers try."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings

_LONG_RUN = os.environ.get("FUZZ_EXAMPLES")  # for example FUZZ_EXAMPLES=100000, outside CI
settings.register_profile(
    "fuzz",
    deadline=None,
    derandomize=_LONG_RUN is None,
    max_examples=int(_LONG_RUN or 150),
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("fuzz")


class MemoryTransport(asyncio.Transport):
    """Remembers what was written; nothing is ever slow."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self.closed = False
        self.protocol: asyncio.BaseProtocol | None = None

    def write(self, data: bytes) -> None:  # type: ignore[override]
        assert not self.closed, "written after the end"
        self.written += data

    def writelines(self, parts) -> None:  # type: ignore[no-untyped-def, override]
        self.write(b"".join(parts))

    def get_extra_info(self, name: str, default: object = None) -> object:
        return ("127.0.0.1", 1) if name == "peername" else default

    def close(self) -> None:
        self.closed = True

    abort = write_eof = close

    def can_write_eof(self) -> bool:
        return True

    def is_closing(self) -> bool:
        return self.closed

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None: ...

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol


@pytest.fixture
def make_transport() -> Callable[[], MemoryTransport]:
    """A new transport for each example."""
    return MemoryTransport


@pytest.fixture(scope="module")
def loop():  # type: ignore[no-untyped-def]
    """A loop for timers that a connection may start; it never runs."""
    loop = asyncio.new_event_loop()
    asyncio._set_running_loop(loop)
    yield loop
    asyncio._set_running_loop(None)
    loop.close()
