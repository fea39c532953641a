"""CloudWatch's API over HTTP: picks encoding and operation, applies the configured faults, answers."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any

from sandbox.cloudwatch.encoding import CborProtocol, JsonProtocol, QueryProtocol, body_of
from sandbox.cloudwatch.errors import CloudWatchError
from sandbox.cloudwatch.faults import NO_FAULTS, CloudWatchFaults
from sandbox.cloudwatch.metrics import get_metric_statistics, list_metrics, put_metric_data, unknown_operation
from sandbox.cloudwatch.queries import get_metric_data
from sandbox.cloudwatch.store import MetricStore
from sandbox.http.message import Request, Response

logger = logging.getLogger(__name__)

_CBOR = CborProtocol()
_QUERY = QueryProtocol()
_JSON = {version: JsonProtocol(f"application/x-amz-json-{version}") for version in ("1.0", "1.1")}


class CloudWatchApi:
    """Answers requests from a metric store."""

    def __init__(self, store: MetricStore, clock: Callable[[], float], faults: CloudWatchFaults = NO_FAULTS) -> None:
        self._store = store
        self._clock = clock
        self.faults = faults
        self._calls = 0
        self._data_answers = 0

    def handle(self, request: Request) -> Response:
        """The answer to one request; an error of the sandbox itself is logged and answered as an internal fault."""
        request_id = _request_id()
        protocol: CborProtocol | JsonProtocol | QueryProtocol
        target = request.headers.get("x-amz-target", "")
        if target:
            protocol = _JSON["1.1" if request.headers.get("content-type", "").endswith("1.1") else "1.0"]
        elif request.path != "/":
            protocol = _CBOR
        else:
            protocol = _QUERY
        try:
            content = protocol.decode(body_of(request))
            if target:
                operation = target.rpartition(".")[2]
            elif request.path != "/":
                operation = request.path.rpartition("/")[2]
            else:
                operation = str(content.get("Action", ""))
            return protocol.encode(operation, self._call(operation, content), request_id)
        except CloudWatchError as error:
            return protocol.error(error, request_id)
        except Exception:
            logger.exception("CloudWatch request %s", request_id)
            return protocol.error(CloudWatchError("InternalServiceError", "Internal failure.", 500), request_id)

    def _call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        faults = self.faults
        self._calls += 1
        if faults.denied:
            raise CloudWatchError(
                "AccessDenied",
                f"User: arn:aws:iam::000000000000:user/x is not authorized to perform: cloudwatch:{operation[:40]}",
                403,
            )
        if self._calls <= faults.throttled_calls or (
            faults.throttle_every and self._calls % faults.throttle_every == 0
        ):
            raise CloudWatchError("Throttling", "Rate exceeded")
        late_s = faults.late_points_s
        if operation == "GetMetricData":
            answer = get_metric_data(self._store, request, late_s, faults.split_pages)
            self._data_answers += 1
            return _halved(answer) if self._data_answers <= faults.partial_data_answers else answer
        if operation == "GetMetricStatistics":
            return get_metric_statistics(self._store, request, late_s)
        if operation == "ListMetrics":
            return list_metrics(self._store, request)
        if operation == "PutMetricData":
            return put_metric_data(self._store, request)
        raise unknown_operation(operation)


def _halved(answer: dict[str, Any]) -> dict[str, Any]:
    """The same answer as CloudWatch gives it when it could not collect everything, and with no page to follow."""
    for result in answer["MetricDataResults"]:
        half = len(result["Values"]) // 2
        result.update(Timestamps=result["Timestamps"][:half], Values=result["Values"][:half], StatusCode="PartialData")
    answer.pop("NextToken", None)
    answer["Messages"] = [{"Code": "PartialData", "Value": "Some data could not be collected; try again."}]
    return answer


def _request_id() -> str:
    digits = os.urandom(16).hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
