"""Sends DynamoDB's operations with retries off, and writes each down: to Locust's statistics, and what it consumed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from capacity.loopback import is_loopback
from locustfiles.direct.dynamodb_consumed import Consumed
from locustfiles.direct.request_rows import Ended, RequestRows
from locustfiles.running.clock import now_s

THROTTLES = frozenset(
    ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded", "LimitExceededException"]
)
_METHODS = {
    "GetItem": "get_item", "PutItem": "put_item", "UpdateItem": "update_item", "DeleteItem": "delete_item",
    "Query": "query", "Scan": "scan", "BatchGetItem": "batch_get_item", "BatchWriteItem": "batch_write_item",
    "TransactGetItems": "transact_get_items", "TransactWriteItems": "transact_write_items",
}  # fmt: skip
_POOL = 1_000


class Refused(Exception):
    """What Locust's statistics show of a request that was refused, or answered in part."""


def endpoint_of(host: str | None) -> str | None:
    """Where to send: Locust's host, else what the AWS environment says; None = the region's own."""
    return host or os.environ.get("AWS_ENDPOINT_URL_DYNAMODB") or os.environ.get("AWS_ENDPOINT_URL")


def dynamodb_client(endpoint: str | None) -> Any:
    """A boto3 client that never repeats a request; on loopback it needs no credentials."""
    local: dict[str, Any] = (
        {"aws_access_key_id": "local", "aws_secret_access_key": "local"} if is_loopback(endpoint) else {}
    )
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "ap-northeast-1"
    config = Config(retries={"total_max_attempts": 1}, max_pool_connections=_POOL, connect_timeout=5, read_timeout=30)
    return boto3.client("dynamodb", endpoint_url=endpoint, region_name=region, config=config, **local)


class Sender:
    """Sends for one user. `fire` is Locust's request event; `rows` take every request down where a run is recorded."""

    def __init__(
        self, client: Any, consumed: Consumed, fire: Callable[..., None], rows: RequestRows | None = None
    ) -> None:
        self._client, self._consumed, self._fire, self._rows = client, consumed, fire, rows

    def send(
        self,
        operation: str,
        request: dict[str, Any],
        name: str | None = None,
        *,
        intended_s: float | None = None,
        key: str | None = None,
    ) -> dict[str, Any] | None:
        """The answer of one request; None when it was refused or failed. Locust shows it as `name`.

        `intended_s` is when the plan wanted it, by default now; `key` the partition key that it asks for.
        """
        start_s = now_s()
        fault: Exception | None = None
        answer: dict[str, Any] | None = None
        refused: Mapping[str, Any] = {}
        try:
            answer = getattr(self._client, _METHODS[operation])(**request)
            self._consumed.answered(operation, answer or {})
            if any((answer or {}).get(part) for part in ("UnprocessedItems", "UnprocessedKeys")):
                self._consumed.throttled(operation, ["unprocessed"])
                fault = Refused("answered in part")
        except ClientError as refusal:
            refused = refusal.response
            code = refusal.response.get("Error", {}).get("Code")
            fault = Refused(code)
            if code in THROTTLES:
                self._consumed.throttled(operation, _reasons(refusal.response))
        except BotoCoreError as failure:
            fault = failure
        end_s = now_s()
        if self._rows is not None:
            ended = _ended(start_s, end_s, request, answer, refused, fault)
            self._rows.add(name or operation, key, start_s if intended_s is None else intended_s, ended)
        self._fire(
            request_type="DynamoDB",
            name=name or operation,
            response_time=(end_s - start_s) * 1000,
            response_length=_bytes(answer or {}),
            exception=fault,
            context={},
        )
        return answer


def _ended(
    start_s: float,
    end_s: float,
    request: dict[str, Any],
    answer: dict[str, Any] | None,
    refused: Mapping[str, Any],
    fault: Exception | None,
) -> Ended:
    meta = (answer or refused).get("ResponseMetadata", {})
    kind = message = None
    if fault is not None:
        error = refused.get("Error", {})
        kind = error.get("Code") or type(fault).__name__
        message = " ".join([str(error.get("Message") or fault), *_reasons(refused)])
    answered = answer is not None or (bool(refused) and meta.get("HTTPStatusCode", 0) < 500)
    return Ended(
        start_s,
        end_s,
        outcome="ok" if fault is None else "refused" if answered else "error",
        error_type=kind,
        error_message=message,
        request_bytes=len(json.dumps(request, separators=(",", ":"), default=str)),  # boto3 does not tell
        response_bytes=_bytes(answer or refused),
        items=_items(request, answer),
        request_id=meta.get("RequestId"),
    )


def _items(request: dict[str, Any], answer: dict[str, Any] | None) -> int | None:
    """Rows that a read gave, or that a write carried; None where there was no answer."""
    if answer is None:
        return None
    if "Items" in answer:
        return len(answer["Items"])
    if "Item" in answer or "Item" in request:
        return 1
    return None


def _reasons(response: Any) -> list[str]:
    # ThrottlingException and ProvisionedThroughputExceededException spell it differently
    reasons = response.get("ThrottlingReasons") or response.get("throttlingReasons") or []
    return [str(each["reason"]) for each in reasons if isinstance(each, dict) and "reason" in each]


def _bytes(answer: Mapping[str, Any]) -> int:
    return int(answer.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("content-length", 0))
