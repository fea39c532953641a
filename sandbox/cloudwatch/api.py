"""CloudWatch's API over HTTP: picks encoding and operation, applies the configured faults, answers."""

from __future__ import annotations

import logging
import os
import random
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

    def switch(self, faults: CloudWatchFaults) -> None:
        """Put other faults in force; those that end after some calls or answers count from now."""
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
            if self._data_answers <= faults.empty_answers:
                _keep(answer, 0.0)
            elif self._data_answers <= faults.partial_data_answers:
                _keep(answer, 0.5)
            if faults.shuffled:
                _shuffle(answer)
            return answer
        if operation == "GetMetricStatistics":
            return get_metric_statistics(self._store, request, late_s)
        if operation == "ListMetrics":
            return list_metrics(self._store, request)
        if operation == "PutMetricData":
            return put_metric_data(self._store, request)
        raise unknown_operation(operation)


def _keep(answer: dict[str, Any], share: float) -> None:
    """Keep a share of the points: partial ones as CloudWatch marks them, and with no page to follow; none unmarked."""
    for result in answer["MetricDataResults"]:
        kept = int(len(result["Values"]) * share)
        result.update(Timestamps=result["Timestamps"][:kept], Values=result["Values"][:kept])
        if share:
            result["StatusCode"] = "PartialData"
    answer.pop("NextToken", None)
    if share:
        answer["Messages"] = [{"Code": "PartialData", "Value": "Some data could not be collected; try again."}]


def _shuffle(answer: dict[str, Any]) -> None:
    for result in answer["MetricDataResults"]:
        points = list(zip(result["Timestamps"], result["Values"], strict=True))
        random.Random(len(points)).shuffle(points)
        result.update(Timestamps=[time_s for time_s, _ in points], Values=[value for _, value in points])


def _request_id() -> str:
    digits = os.urandom(16).hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
