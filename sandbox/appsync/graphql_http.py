"""GraphQL over HTTP as AppSync answers it: authentication, request and answer bodies, headers, CORS.

Status codes: 401 without a valid key, 400 for a request that is no GraphQL, 200 for everything that was executed or
refused by validation. Source: the AppSync team's own description (graphql-over-http issue 81, 2020-04).
"""

from __future__ import annotations

import asyncio
import math
import random
import secrets
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor

import orjson

from sandbox.appsync.api_keys import ApiKeys, Unauthorized
from sandbox.appsync.behaviour import Behaviour, RateLimit
from sandbox.appsync.context import EXECUTION_LIMIT_S, TIMED_OUT, RequestInfo
from sandbox.appsync.errors import ResolverError, request_error, resolver_error
from sandbox.appsync.graphql.documents import Documents, InvalidDocument, MalformedDocument, SubscriptionStatement
from sandbox.appsync.graphql.execution import INTERNAL_FAILURE, Outcome, Publication
from sandbox.appsync.graphql.variables import VariableFault
from sandbox.appsync.graphql_request import Refused, graphql_request
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
KB_SECONDS_PER_TOKEN = 1_500  # a request costs a token for every 1,500 kB-seconds of memory that it starts


class GraphQLOverHttp:
    """Answers POST and GET /graphql. `publish` takes what a mutation made public, before its answer leaves."""

    def __init__(
        self,
        documents: Documents,
        keys: ApiKeys,
        metrics: AppSyncMetrics,
        publish: Callable[[list[Publication]], None],
        behaviour: Behaviour | None = None,
        clock: Callable[[], float] = time.time,
        timer: Callable[[], float] = time.perf_counter,
        dice: random.Random | None = None,
        threads: Executor | None = None,
    ) -> None:
        """`threads`: where resolvers run when their data sources block; None is at once, on the event loop."""
        behaviour = behaviour or Behaviour()
        self.latency = behaviour.latency
        self.tokens = RateLimit(behaviour.request_tokens_per_s, clock)
        self.dice = dice or random.Random()
        self.threads = threads
        self.documents = documents
        self.keys = keys
        self.metrics = metrics
        self.publish = publish
        self.timer = timer
        # Ids are unique per process and request; the counter keeps a system call out of every answer.
        digits = secrets.token_hex(8)
        request_id = f"{digits[:8]}-{digits[8:12]}-4{digits[12:15]}-a{secrets.token_hex(2)[1:]}-%012x"
        trace_id = f"Root=1-{int(time.time()):08x}-{secrets.token_hex(6)}%012x"
        self._lines = (
            f"x-amzn-requestid: {request_id}\r\nx-amzn-appsync-TokensConsumed: %d\r\nx-amzn-trace-id: {trace_id}\r\n"
            f"access-control-allow-origin: *\r\naccess-control-expose-headers: {_EXPOSED}\r\n"
        ).encode()
        self._count = 0

    def handle(self, request: Request) -> Response | Awaitable[Response]:
        """Never raises: a client's mistake is a body with `errors`."""
        if request.method == "OPTIONS":
            return Response(200, b"", "", _PREFLIGHT)
        start_s = self.timer()
        info = RequestInfo(request.headers, request.peer)
        if self.threads is not None:
            return self._handle_in_thread(self.threads, request, info, start_s)
        return self._answer(self._attempt(request, info), info, start_s)

    async def _handle_in_thread(
        self, threads: Executor, request: Request, info: RequestInfo, start_s: float
    ) -> Response:
        # Resolvers whose DynamoDB is elsewhere wait for it; metrics and subscribers stay with the event loop.
        running = asyncio.get_running_loop().run_in_executor(threads, self._attempt, request, info)
        try:
            outcome = await asyncio.wait_for(running, EXECUTION_LIMIT_S)
        except TimeoutError:
            outcome = _timed_out()
        answer = self._answer(outcome, info, start_s)
        return answer if isinstance(answer, Response) else await answer

    def _attempt(self, request: Request, info: RequestInfo) -> Outcome | Refused:
        try:
            return self.execute(request, info)
        except Refused as refusal:
            return refusal

    def _answer(self, outcome: Outcome | Refused, info: RequestInfo, start_s: float) -> Response | Awaitable[Response]:
        metrics = self.metrics
        if isinstance(outcome, Refused):
            metrics.client_error.add(1)
            error_type = outcome.error_type
            body = orjson.dumps({"errors": [{"errorType": error_type, "message": str(outcome)}]})
            named = (("x-amzn-ErrorType", error_type),)
            return Response(outcome.status, body, CONTENT_TYPE, named, self._header_lines())
        if outcome.errors and any(error.get("errorType") == INTERNAL_FAILURE for error in outcome.errors):
            metrics.server_error.add(1)
        delay_s = info.delay_s
        if self.latency is not None:
            delay_s += self.latency.sample_s(self.dice)
            if delay_s > EXECUTION_LIMIT_S:
                outcome, delay_s = _timed_out(), EXECUTION_LIMIT_S
        body = encode(outcome)
        if outcome.publications:
            self.publish(outcome.publications)
        duration_s = self.timer() - start_s + delay_s
        tokens = tokens_of(len(body), duration_s)
        if tokens > 1:
            self.tokens.take(tokens - 1)
        metrics.requests.add(1)
        metrics.tokens_consumed.add(tokens)
        metrics.latency.add(int(duration_s * 1e4) / 10.0)
        response = Response(200, body, CONTENT_TYPE, (), self._header_lines(tokens))
        return _later(response, delay_s) if delay_s else response

    def execute(self, request: Request, info: RequestInfo) -> Outcome:
        """Raises Refused."""
        try:
            self.keys.check(request.headers.get("x-api-key"))
        except Unauthorized as fault:
            raise Refused(401, "UnauthorizedException", str(fault)) from None
        if request.method not in ("POST", "GET"):
            raise Refused(405, "BadRequestException", f"{request.method} is not supported, use POST or GET.")
        if not self.tokens.take():
            # The body of AppSync's own refusal is not documented; real time words the same fault like this.
            raise Refused(429, "LimitExceededError", "Rate limit exceeded")
        text, variables, operation_name = graphql_request(request)
        try:
            statement = self.documents.statement(text, operation_name)
        except MalformedDocument as fault:
            raise Refused(400, "MalformedHttpRequestException", str(fault)) from None
        except InvalidDocument as fault:
            return Outcome(None, fault.errors, [])
        if isinstance(statement, SubscriptionStatement):
            # As AppSync answered in 2021-05 (aws-amplify-appsync-graphql-real-time-canvas issue 28).
            raise Refused(400, "BadRequestException", "Subscriptions over MQTT is not supported.")
        try:
            return statement.run(variables, info)
        except VariableFault as fault:
            return Outcome(None, fault.errors, [])
        except RecursionError:
            return Outcome(None, [request_error("The request is nested too deeply.")], [])

    def _header_lines(self, tokens: int = 1) -> bytes:
        self._count = count = self._count + 1
        return self._lines % (count, tokens, count)


def tokens_of(answer_bytes: int, duration_s: float) -> int:
    """Request tokens of an answer that is held for a time. A lower bound: AppSync counts memory of its own too and does
    not say how much. Source: AppSync developer guide, "Monitoring", TokensConsumed (read 2026-11)."""
    kb_seconds = answer_bytes / 1000 * duration_s
    return 1 if kb_seconds <= KB_SECONDS_PER_TOKEN else math.ceil(kb_seconds / KB_SECONDS_PER_TOKEN)


def _timed_out() -> Outcome:
    """A request that AppSync has given up; what its resolvers wrote stays written, and nothing is published."""
    return Outcome(None, [resolver_error(ResolverError(TIMED_OUT, "ExecutionTimeout"), [], [])], [])


async def _later(response: Response, delay_s: float) -> Response:
    await asyncio.sleep(delay_s)
    return response


def encode(outcome: Outcome) -> bytes:
    """The answer's body; `errors` only when there are any."""
    if outcome.errors:
        return orjson.dumps({"data": outcome.data, "errors": outcome.errors})
    return orjson.dumps({"data": outcome.data})
