"""A CloudWatch on a real socket, and boto3 clients that talk to it in each of the three protocols."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from functools import cache

import botocore.session
import pytest
import uvloop
from botocore.config import Config
from botocore.loaders import Loader

from sandbox.cloudwatch.api import CloudWatchApi
from sandbox.cloudwatch.store import MetricStore
from sandbox.http.server import HttpServer

NOON = 1_796_040_000.0  # 2026-11-30T12:00:00Z


class Clock:
    """A clock that the test sets by hand."""

    def __init__(self, now_s: float) -> None:
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s


class RunningCloudWatch:
    """The API on a port of its own; the store may be filled from the test's thread between calls."""

    def __init__(self) -> None:
        self.clock = Clock(NOON)
        self.store = MetricStore(self.clock, 10)
        self.api = CloudWatchApi(self.store, self.clock)
        self.url = ""
        self._loop = uvloop.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        self.server = HttpServer(self.api.handle)
        self._loop.run_until_complete(self.server.start())
        self.url = f"http://127.0.0.1:{self.server.port}"
        self._ready.set()
        self._loop.run_forever()

    def start(self) -> None:
        self._thread.start()
        self._ready.wait(10)

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self.server.stop(0.1), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()

    def at(self, offset_s: float) -> None:
        """Set the clock to so many seconds after noon."""
        self.clock.now_s = NOON + offset_s
        self.store.tick()


@pytest.fixture
def cloudwatch() -> Iterator[RunningCloudWatch]:
    running = RunningCloudWatch()
    running.start()
    yield running
    running.stop()


class _OneProtocol(Loader):
    """Loads the installed service models, with one protocol left in CloudWatch's."""

    protocol = ""

    def load_service_model(self, service_name, type_name, api_version=None):  # type: ignore[no-untyped-def]
        model = super().load_service_model(service_name, type_name, api_version)
        if service_name == "cloudwatch" and type_name == "service-2" and self.protocol:
            model = {
                **model,
                "metadata": {**model["metadata"], "protocol": self.protocol, "protocols": [self.protocol]},
            }
        return model


@cache
def _session(protocol: str) -> botocore.session.Session:
    """One for all clients of a protocol: it reads the service model, a third of a second's work, once."""
    session = botocore.session.Session()
    loader = _OneProtocol(extra_search_paths=session.get_component("data_loader").search_paths)
    loader.protocol = protocol
    session.register_component("data_loader", loader)
    return session


def boto_client(url: str, protocol: str = "", retries: int = 0):  # type: ignore[no-untyped-def]
    """A CloudWatch client of the installed botocore; protocol "" leaves its own choice."""
    return _session(protocol).create_client(
        "cloudwatch",
        endpoint_url=url,
        region_name="ap-northeast-1",
        aws_access_key_id="sandbox",
        aws_secret_access_key="sandbox",
        config=Config(
            # The sandbox must refuse what a client without botocore's own checks can send.
            parameter_validation=False,
            retries={"total_max_attempts": retries + 1, "mode": "standard"},
        ),
    )


@pytest.fixture(params=["", "smithy-rpc-v2-cbor", "json", "query"], ids=["default", "cbor", "json", "query"])
def client(request: pytest.FixtureRequest, cloudwatch: RunningCloudWatch):  # type: ignore[no-untyped-def]
    """One client per protocol."""
    return boto_client(cloudwatch.url, request.param)


@pytest.fixture
def make_client(cloudwatch: RunningCloudWatch) -> Callable[..., object]:
    return lambda **options: boto_client(cloudwatch.url, **options)
