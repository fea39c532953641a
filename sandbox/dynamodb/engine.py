"""The engine: tables in memory, operations, throughput, expiry, metrics. Single-threaded; nothing in it waits."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable
from typing import Any

from sandbox.dynamodb.catalogue import Catalogue
from sandbox.dynamodb.config import EngineConfig
from sandbox.dynamodb.errors import DynamoDBError, validation
from sandbox.dynamodb.expiry import Expiry
from sandbox.dynamodb.json_types import check_types
from sandbox.dynamodb.metrics import AccountMetrics, MetricSink, SilentMetrics
from sandbox.dynamodb.operations.registry import OPERATIONS, STREAM_OPERATIONS, Emit
from sandbox.dynamodb.readings import reading
from sandbox.dynamodb.tables import TableState

__all__ = ["Emit", "Engine"]

logger = logging.getLogger(__name__)

_THROTTLES = frozenset(("ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"))
_NOT_USER_ERRORS = _THROTTLES | {"ConditionalCheckFailedException", "InternalServerError"}
_UNFIT = (TypeError, AttributeError, KeyError, IndexError, ValueError)
"""What wrong JSON types look like to code that expects the right ones."""


class Engine(Catalogue):
    """One account's DynamoDB in one region.

    clock: epoch seconds; metrics: where AWS/DynamoDB metrics go; timer: seconds, for latency alone.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.time,
        metrics: MetricSink | None = None,
        config: EngineConfig | None = None,
        timer: Callable[[], float] = time.perf_counter,
    ):
        super().__init__(clock, metrics or SilentMetrics(), config or EngineConfig())
        self.timer = timer
        self.account = AccountMetrics(self.metrics)
        self.expiry = Expiry(self.config.ttl_lag_s, random.Random(self.config.seed))
        self.transaction_tokens: dict[str, tuple[float, bytes]] = {}
        """Token -> when it was used first, and a fingerprint of that request; oldest first."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Run an operation in process, DynamoDB JSON in and out. Raises DynamoDBError where AWS answers with one.

        Items in the answer may be shared with other callers: read them, do not change them.
        """
        return self.run(operation, request, reading)

    def run(self, operation: str, request: dict[str, Any], emit: Emit, streams: bool = False) -> dict[str, Any]:
        """Run an operation; `emit` turns stored JSON text into what the answer carries."""
        started = self.timer()
        handler = (STREAM_OPERATIONS if streams else OPERATIONS).get(operation)
        if handler is None:
            raise DynamoDBError("UnknownOperationException")
        if self.clock() >= self.next_event_s:
            self.tick()
        try:
            answer = handler(self, request, emit)
        except RecursionError:
            error = validation("Expression is nested too deeply")
            self._count_error(operation, request, error)
            raise error from None
        except DynamoDBError as error:
            if error.code == "ValidationException":
                self._prefer_type_error(operation, request, streams)
            self._count_error(operation, request, error)
            raise
        except _UNFIT as error:
            self._prefer_type_error(operation, request, streams)
            logger.exception("%s failed", operation)
            for table in self._tables_of(request):
                table.metrics.of_operation("SystemErrors", operation).add(1.0)
            raise DynamoDBError("InternalServerError", "Internal server error", 500) from error
        latency_ms = int((self.timer() - started) * 1e6) / 1000.0  # whole microseconds: few distinct values to keep
        named = self.tables.get(request.get("TableName"))  # type: ignore[arg-type]
        if named is not None:
            named.metrics.latency(operation).add(latency_ms)
            count = answer.get("Count")
            if count is not None:
                named.metrics.of_operation("ReturnedItemCount", operation).add(float(count))
        else:
            for each in self._tables_of(request):
                each.metrics.latency(operation).add(latency_ms)
        return answer

    def tick(self) -> None:
        """Do what has become due: expired items, table statuses, backfills, gauges. Cheap when nothing has."""
        now_s = self.clock()
        self.expiry.delete_due(now_s)
        self.advance(now_s)
        self.report_gauges(now_s)
        self.next_event_s = min(self.expiry.next_s, self.next_change_s)

    def _prefer_type_error(self, operation: str, request: dict[str, Any], streams: bool) -> None:
        """AWS deserialises first: a value of the wrong JSON type anywhere is reported before any other fault."""
        try:
            check_types(operation, request, streams)
        except DynamoDBError:
            self.account.count("UserErrors").add(1.0)
            raise

    def _count_error(self, operation: str, request: dict[str, Any], error: DynamoDBError) -> None:
        if error.code in _THROTTLES:
            for table in self._tables_of(request):
                table.metrics.of_operation("ThrottledRequests", operation).add(1.0)
        elif error.code not in _NOT_USER_ERRORS:
            self.account.count("UserErrors").add(1.0)

    def _tables_of(self, request: dict[str, Any]) -> list[TableState]:
        """The tables that a request names, as far as they exist."""
        names: list[Any] = [request.get("TableName")]
        items = request.get("RequestItems")
        if type(items) is dict:
            names += items
        for each in request.get("TransactItems") or ():
            if type(each) is dict:
                names += [member.get("TableName") for member in each.values() if type(member) is dict]
        found = {id(table): table for name in names if type(name) is str and (table := self.find(name)) is not None}
        return list(found.values())
