"""A transport without a network, and how many inputs the fuzzers try."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings

from tests.sandbox.http.memory_transport import MemoryTransport

_LONG_RUN = os.environ.get("FUZZ_EXAMPLES")  # for example FUZZ_EXAMPLES=100000, outside CI
settings.register_profile(
    "fuzz",
    deadline=None,
    derandomize=_LONG_RUN is None,
    max_examples=int(_LONG_RUN or 150),
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("fuzz")


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
