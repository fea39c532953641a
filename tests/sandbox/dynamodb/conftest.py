"""Fixtures of engine tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from served_engine import Clock, RecordedMetrics, Served

from sandbox.dynamodb.config import EngineConfig
from sandbox.dynamodb.engine import Engine


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def metrics() -> RecordedMetrics:
    return RecordedMetrics()


@pytest.fixture
def make_engine(clock: Clock, metrics: RecordedMetrics) -> Callable[..., Engine]:
    def make(**config: Any) -> Engine:
        return Engine(clock, metrics, EngineConfig(**config))

    return make


@pytest.fixture
def engine(make_engine: Callable[..., Engine]) -> Engine:
    return make_engine()


@pytest.fixture
def unlimited(make_engine: Callable[..., Engine]) -> Engine:
    return make_engine(world="off")


@pytest.fixture
def serve() -> Iterator[Callable[[Engine], Served]]:
    running: list[Served] = []

    def start(engine: Engine) -> Served:
        running.append(Served(engine))
        return running[-1]

    yield start
    for served in running:
        served.stop()
