"""The whole sandbox: DynamoDB, AppSync and CloudWatch on one port, with the layout's table already there."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from threading import Thread
from types import TracebackType
from typing import Any

import orjson
import uvloop

from capacity.steady_clock import now_s
from capacity.workloads.mesh.tables import TABLES, provisioned
from sandbox.access import KeyHolders
from sandbox.appsync.api import FUNCTION_NAME, AppSyncApi
from sandbox.cloudwatch.api import CloudWatchApi
from sandbox.cloudwatch.store import MetricStore
from sandbox.config import SandboxConfig, SandboxConfigError
from sandbox.dynamodb.api import DynamoDBApi
from sandbox.dynamodb.engine import Engine
from sandbox.dynamodb.errors import DynamoDBError
from sandbox.dynamodb.expressions.parse import parse
from sandbox.faults import FaultSwitch
from sandbox.http.message import Request, Response
from sandbox.http.server import HttpServer, Limits
from sandbox.info import SandboxInfo
from sandbox.playground.pages import pages as playground_pages
from sandbox.playground.recorder import Recorder
from sandbox.playground.state import State
from sandbox.remote_dynamodb import RemoteDynamoDB
from sandbox.router import Router
from sandbox.tls import Tls, server_tls

# "Even with zero traffic the sample is emitted regularly" (DynamoDB guide, metrics-dimensions, 2026-11-30)
_ZERO_WHEN_IDLE = frozenset(("ConsumedReadCapacityUnits", "ConsumedWriteCapacityUnits"))

_RSS_UNIT_BYTES = 1 if sys.platform == "darwin" else 1024


class Sandbox:
    """A running sandbox: `async with Sandbox(config) as sandbox: ... sandbox.url`.

    The table exists when the block is entered. clock: epoch seconds, for tests that set the time.
    """

    def __init__(self, config: SandboxConfig, clock: Callable[[], float] = now_s, limits: Limits | None = None) -> None:
        self.config = config
        self.clock = clock
        self.metrics = MetricStore(clock, config.metric_resolution_s, _ZERO_WHEN_IDLE)
        self.engine = Engine(clock, self.metrics, config.engine)
        endpoint = config.dynamodb_endpoint
        self.dynamodb_call = RemoteDynamoDB(endpoint, config.region).call if endpoint else self.engine.call
        self.appsync = AppSyncApi(config, self.dynamodb_call, self.metrics, clock)
        self.cloudwatch = CloudWatchApi(self.metrics, clock, config.cloudwatch_faults)
        pages: dict[str, Callable[[Request], Any]] = {
            "/_sandbox/info": lambda request: _json(self.info().model_dump()),
            "/_sandbox/health": lambda request: _json(self.health()),
            "/_sandbox/partitions": lambda request: _json(self.engine.partitions()),
            **playground_pages(self._state()),
        }
        self.router = Router(
            DynamoDBApi(self.engine),
            self.appsync,
            self.appsync.realtime,
            self.cloudwatch,
            pages,
            FaultSwitch(self.cloudwatch, lambda: self.http.websockets, config.api_keys, config.seed).handle,
            KeyHolders(config.api_keys, clock) if config.remote else None,
        )
        self.http = HttpServer(self.router, self.router.upgrade, limits)
        self.recorder = Recorder(self.router, lambda handler: setattr(self.http, "handler", handler), clock)
        self.tls: Tls | None = None
        self._closing = AsyncExitStack()
        self._ticking: asyncio.TimerHandle | None = None
        self._started_s = clock()

    async def __aenter__(self) -> Sandbox:
        self.create_table()
        parse("condition", "KeyConditionExpression", "a = :a")  # the first request must not wait for the grammar
        async with AsyncExitStack() as stack:
            config = self.config
            if config.tls:
                self.tls = stack.enter_context(server_tls(config.tls_certificate, config.tls_key, config.host))
            await self.http.start(config.host, config.port, self.tls.context if self.tls else None)
            stack.push_async_callback(self.http.stop)
            self._tick()
            self._closing = stack.pop_all()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ticking is not None:
            self._ticking.cancel()
        await self._closing.aclose()

    @property
    def url(self) -> str:
        """Where it listens; boto3's endpoint URL, and with /graphql the AppSync endpoint."""
        host = self.config.host
        scheme = "https" if self.config.tls else "http"
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{self.http.port}"

    def create_table(self) -> None:
        """Create the layout's table where the resolvers look for it; one that is there already stays as it is."""
        table = replace(TABLES[self.config.layout], name=self.config.table_name)
        if self.config.throughput is not None:
            table = provisioned(table, self.config.throughput, dict(self.config.index_throughput))
        try:
            self.dynamodb_call("CreateTable", table.create_table_request())
            time_to_live = table.time_to_live_request()
            if time_to_live is not None:
                self.dynamodb_call("UpdateTimeToLive", time_to_live)
        except DynamoDBError as error:
            if error.code != "ResourceInUseException":
                raise SandboxConfigError(f"cannot create table {table.name}: {error}") from error

    def info(self) -> SandboxInfo:
        """What a client needs to know to use this sandbox; API keys are not told."""
        config = self.config
        return SandboxInfo(
            url=self.url,
            graphql_url=f"{self.url}/graphql",
            realtime_url=f"{self.url.replace('http', 'ws', 1)}/graphql/realtime",
            ca_bundle=str(self.tls.ca_bundle) if self.tls else None,
            table_name=config.table_name,
            layout=config.layout,
            region=config.region,
            account_id=config.account_id,
            api_id=config.api_id,
            function_name=FUNCTION_NAME,
            world=config.effective_world,
            dynamodb_endpoint=config.dynamodb_endpoint,
            metric_resolution_s=config.metric_resolution_s,
            settings=config.settings.environment(),
            seed=config.seed,
        )

    def health(self) -> dict[str, Any]:
        """That it answers, since when, and how many clients it holds."""
        return {
            "status": "ok",
            "uptime_s": round(self.clock() - self._started_s, 3),
            "http_connections": len(self.http.connections),
            "websockets": len(self.http.websockets),
            "max_rss_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT_BYTES,
            "cpu_s": time.process_time(),
        }

    def _state(self) -> State:
        """What the page for people shows."""
        name = self.config.table_name

        def rows() -> Iterator[bytes]:
            table = self.engine.find(name)
            return (record.text for record in table.rows.values()) if table is not None else iter(())

        return State(
            lambda: self.info().model_dump(),
            self.health,
            rows,
            self.engine.partitions,
            self.metrics,
            name,
            lambda: self.recorder.look(),
        )

    def _tick(self) -> None:
        """Close metric periods at their boundary, and let the engine delete what has expired, busy or not."""
        delay_s = 1.0 - self.clock() % 1.0 + 0.0005
        self._ticking = asyncio.get_running_loop().call_later(delay_s, self._tick)  # first, so that no fault ends it
        self.metrics.tick()
        self.engine.tick()


def _json(content: Any) -> Response:
    return Response(200, orjson.dumps(content) + b"\n")


def run(config: SandboxConfig, on_ready: Callable[[Sandbox], None], until_stdin_closes: bool = False) -> None:
    """Serve until SIGINT or SIGTERM, or until standard input closes, so that a sandbox never outlives its parent.

    Raises OSError when the address cannot be bound.
    """
    _allow_many_connections()

    async def serve() -> None:
        loop = asyncio.get_running_loop()
        stopped = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stopped.set)
        async with Sandbox(config) as sandbox:
            on_ready(sandbox)
            if until_stdin_closes:
                # In a thread: not every kind of standard input can be watched by an event loop.
                Thread(target=_wait_for_end_of_stdin, args=(loop, stopped), daemon=True).start()
            # What lives until the end is not searched for garbage again; young objects are, less often.
            gc.freeze()
            gc.set_threshold(20_000, 20, 50)
            await stopped.wait()

    uvloop.run(serve())


def _wait_for_end_of_stdin(loop: asyncio.AbstractEventLoop, stopped: asyncio.Event) -> None:
    try:
        while os.read(sys.stdin.fileno(), 4096):
            pass
    except OSError:  # no standard input at all
        pass
    with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(stopped.set)


def _allow_many_connections() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
