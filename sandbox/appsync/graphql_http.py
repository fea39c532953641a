"""GraphQL over HTTP as AppSync answers it: authentication, request and answer bodies, headers, CORS.

Status codes: 401 without a valid key, 400 for a request that is no GraphQL, 200 for everything that was executed or
refused by validation. Sources: captured AppSync answers quoted in public issues (read 2026-11).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from typing import Any

import orjson

from sandbox.appsync.api_keys import ApiKeys, Unauthorized
from sandbox.appsync.context import RequestInfo
from sandbox.appsync.errors import request_error
from sandbox.appsync.graphql.documents import Documents, InvalidDocument, MalformedDocument, SubscriptionStatement
from sandbox.appsync.graphql.execution import Outcome, Publication
from sandbox.appsync.graphql.validation import variable_errors
from sandbox.appsync.graphql.variables import VariableFault
from sandbox.appsync.metrics import AppSyncMetrics
from sandbox.http.message import Request, Response

CONTENT_TYPE = "application/json;charset=UTF-8"
_EXPOSED = "x-amzn-RequestId,x-amzn-ErrorType,x-amz-user-agent,x-amzn-ErrorMessage,Date,x-amz-schema-version"
_PREFLIGHT = (
    ("access-control-allow-origin", "*"),
    ("access-control-allow-methods", "POST, OPTIONS"),
    (
        "access-control-allow-headers",
        "authorization,content-type,x-api-key,x-amz-date,x-amz-security-token,x-amz-user-agent,"
        "x-amzn-requestid,x-amzn-trace-id",
    ),
    ("access-control-expose-headers", _EXPOSED),
    ("access-control-max-age", "172800"),
)
TOKENS = 1  # a request starts one token per 1,500 kB-seconds of memory; none of Mesh v2's passes the first


class Refused(Exception):
    """Answered without execution."""

    def __init__(self, status: int, error_type: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.error_type = error_type


class GraphQLOverHttp:
    """Answers POST /graphql. `publish` takes what a mutation made public, before its answer leaves."""

    def __init__(
        self,
        documents: Documents,
        keys: ApiKeys,
        metrics: AppSyncMetrics,
        publish: Callable[[list[Publication]], None],
        timer: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.documents = documents
        self.keys = keys
        self.metrics = metrics
        self.publish = publish
        self.timer = timer
        # Ids are unique per process and request; the counter keeps a system call out of every answer.
        self._id_prefix = (
            f"{secrets.token_hex(4)}-{secrets.token_hex(2)}-4{secrets.token_hex(2)[1:]}-a{secrets.token_hex(2)[1:]}"
        )
        self._trace_prefix = f"Root=1-{int(time.time()):08x}-{secrets.token_hex(6)}"
        self._count = 0

    def handle(self, request: Request) -> Response:
        """Never raises: a client's mistake is a body with `errors`."""
        if request.method == "OPTIONS":
            return Response(200, b"", "", _PREFLIGHT)
        start_s = self.timer()
        metrics = self.metrics
        try:
            outcome = self.execute(request)
        except Refused as refusal:
            metrics.client_error.add(1)
            body = orjson.dumps({"errors": [{"errorType": refusal.error_type, "message": str(refusal)}]})
            return Response(
                refusal.status, body, CONTENT_TYPE, (*self._headers(), ("x-amzn-ErrorType", refusal.error_type))
            )
        body = encode(outcome)
        metrics.requests.add(1)
        metrics.tokens_consumed.add(TOKENS)
        metrics.latency.add(round((self.timer() - start_s) * 1000, 1))
        if outcome.publications:
            self.publish(outcome.publications)
        return Response(200, body, CONTENT_TYPE, self._headers())

    def execute(self, request: Request) -> Outcome:
        """Raises Refused."""
        headers = request.headers
        try:
            self.keys.check(headers.get("x-api-key"))
        except Unauthorized as fault:
            raise Refused(401, "UnauthorizedException", str(fault)) from None
        if request.method != "POST":
            raise Refused(405, "BadRequestException", f"{request.method} is not supported, use POST.")
        text, variables, operation_name = _body(request.body)
        try:
            statement = self.documents.statement(text, operation_name)
        except MalformedDocument as fault:
            known = str(fault)
            message = (
                known
                if known.startswith(("Missing operation", "Unknown operation", "Schema is"))
                else ("Unable to parse GraphQL query.")
            )
            raise Refused(400, "MalformedHttpRequestException", message) from None
        except InvalidDocument as fault:
            return Outcome(None, fault.errors, [])
        if isinstance(statement, SubscriptionStatement):
            raise Refused(400, "UnsupportedOperation", "Subscriptions are served over WebSocket, at /graphql/realtime.")
        try:
            return statement.run(variables, RequestInfo(headers, request.peer))
        except VariableFault as fault:
            return Outcome(None, variable_errors(fault.errors), [])
        except RecursionError:
            return Outcome(None, [request_error("The request is nested too deeply.")], [])

    def _headers(self) -> tuple[tuple[str, str], ...]:
        self._count = count = self._count + 1
        return (
            ("x-amzn-requestid", f"{self._id_prefix}-{count:012x}"),
            ("x-amzn-appsync-TokensConsumed", "1"),
            ("x-amzn-trace-id", f"{self._trace_prefix}{count:012x}"),
            ("access-control-allow-origin", "*"),
            ("access-control-expose-headers", _EXPOSED),
        )


def encode(outcome: Outcome) -> bytes:
    """The answer's body; `errors` only when there are any."""
    if outcome.errors:
        return orjson.dumps({"data": outcome.data, "errors": outcome.errors})
    return orjson.dumps({"data": outcome.data})


def _body(body: bytes) -> tuple[str, dict[str, Any], str | None]:
    if not body:
        raise Refused(400, "MalformedHttpRequestException", "Request body is empty.")
    try:
        content = orjson.loads(body)
    except orjson.JSONDecodeError:
        raise Refused(400, "MalformedHttpRequestException", "Invalid JSON payload in POST request.") from None
    if not isinstance(content, dict):
        raise Refused(400, "MalformedHttpRequestException", "Request body must be a JSON object with a query.")
    text = content.get("query")
    if not isinstance(text, str) or not text:
        raise Refused(400, "MalformedHttpRequestException", "Unable to parse GraphQL query.")
    variables = content.get("variables")
    if variables is None:
        variables = {}
    elif not isinstance(variables, dict):
        raise Refused(400, "MalformedHttpRequestException", "Variables must be a JSON object.")
    name = content.get("operationName")
    if name is not None and not isinstance(name, str):
        raise Refused(400, "MalformedHttpRequestException", "operationName must be text.")
    return text, variables, name
