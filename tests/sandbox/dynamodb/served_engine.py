"""What engine tests work with: a clock to set, recorded metrics, an engine behind the real HTTP server, boto3."""

from __future__ import annotations

import asyncio
import threading
from collections import defaultdict
from typing import Any

import boto3
from botocore.config import Config

from sandbox.dynamodb.api import DynamoDBApi
from sandbox.dynamodb.engine import Engine
from sandbox.http.server import HttpServer

START_S = 1_800_000_000.0


class Clock:
    """Epoch seconds that stand still until a test moves them."""

    def __init__(self, now_s: float = START_S):
        self.now_s = now_s

    def __call__(self) -> float:
        return self.now_s

    def advance(self, seconds: float) -> None:
        self.now_s += seconds


class RecordedMetrics:
    """A metric sink that adds up: total and count per (metric, dimensions)."""

    def __init__(self) -> None:
        self.sums: dict[tuple[str, tuple[tuple[str, str], ...]], float] = defaultdict(float)
        self.counts: dict[tuple[str, tuple[tuple[str, str], ...]], int] = defaultdict(int)
        self.units: dict[str, str] = {}

    def series(self, namespace: str, metric: str, dimensions: tuple[tuple[str, str], ...], unit: str) -> Any:
        assert namespace == "AWS/DynamoDB"
        self.units[metric] = unit
        recorded = self

        class Series:
            def add(self, value: float, count: int = 1) -> None:
                recorded.sums[metric, dimensions] += value
                recorded.counts[metric, dimensions] += count

        return Series()

    def sum(self, metric: str, **dimensions: str) -> float:
        return self.sums.get((metric, tuple(dimensions.items())), 0.0)


class Served:
    """An engine listening on a port of its own, in a thread of its own."""

    def __init__(self, engine: Engine):
        self.engine = engine
        self.loop = asyncio.new_event_loop()
        self.http = HttpServer(DynamoDBApi(engine).handle)
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        asyncio.run_coroutine_threadsafe(self.http.start("127.0.0.1", 0), self.loop).result(10)
        self.url = f"http://127.0.0.1:{self.http.port}"

    def stop(self) -> None:
        asyncio.run_coroutine_threadsafe(self.http.stop(), self.loop).result(10)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(10)
        self.loop.close()


def boto3_client(url: str, service: str = "dynamodb", secret: str = "secret") -> Any:
    """A plain boto3 client with retries off, so that a test sees every answer."""
    return boto3.client(
        service,
        endpoint_url=url,
        region_name="ap-northeast-1",
        aws_access_key_id="key",
        aws_secret_access_key=secret,
        config=Config(retries={"total_max_attempts": 1, "mode": "standard"}),
    )


def key_table(name: str = "things", sort: bool = True, **more: Any) -> dict[str, Any]:
    """A CreateTable request: pk of type S, and sk of type S unless `sort` is false."""
    attributes = [{"AttributeName": "pk", "AttributeType": "S"}]
    keys = [{"AttributeName": "pk", "KeyType": "HASH"}]
    if sort:
        attributes.append({"AttributeName": "sk", "AttributeType": "S"})
        keys.append({"AttributeName": "sk", "KeyType": "RANGE"})
    attributes += more.pop("attributes", [])
    request = {"TableName": name, "AttributeDefinitions": attributes, "KeySchema": keys, **more}
    if "ProvisionedThroughput" not in request:
        request.setdefault("BillingMode", "PAY_PER_REQUEST")
    return request
