"""Quotas and delays: off by default, and as on AWS when they are switched on."""

from __future__ import annotations

import asyncio
import random
import statistics
from collections.abc import Callable
from typing import Any

import mesh_api as m
import orjson
import pytest
from mesh_api import KEY, Mesh

from sandbox.appsync.api import FUNCTION_NAME, AppSyncApi
from sandbox.appsync.behaviour import Behaviour, Delay, RateLimit
from sandbox.appsync.graphql.documents import SubscriptionStatement
from sandbox.appsync.graphql_http import tokens_of
from sandbox.appsync.subscriptions import Subscription
from sandbox.http.message import Request, Response

CREATE_DOMAIN = orjson.dumps({"query": "mutation { createDomain }"})


ON_MESSAGE = """subscription On($group: ID!, $domain: String!) {
  onMessageInGroup(groupId: $group, domain: $domain) { nodeStatus { nodeId } } }"""


class Subscriber:
    """Notes which node each frame tells of."""

    def __init__(self) -> None:
        self.nodes: list[str] = []

    def send_frame(self, frame: bytes) -> None:
        message = orjson.loads(frame[frame.index(b"{") :])
        self.nodes.append(message["payload"]["data"]["onMessageInGroup"]["nodeStatus"]["nodeId"])


def mesh_with(call_later: Any = None, **behaviour: Any) -> Mesh:
    mesh = Mesh()
    quotas = Behaviour(**behaviour)
    mesh.api = AppSyncApi(mesh.config, mesh.engine.call, mesh.metrics, mesh.clock, random.Random(1), quotas, call_later)
    return mesh


def post(mesh: Mesh) -> Any:
    return mesh.api.handle(Request("POST", "/graphql", "", {"x-api-key": KEY}, CREATE_DOMAIN, "192.0.2.1"))


def total(mesh: Mesh, namespace: str, metric: str) -> float:
    name, value = {
        "AWS/AppSync": ("GraphQLAPIId", mesh.config.api_id),
        "AWS/Lambda": ("FunctionName", FUNCTION_NAME),
    }[namespace]
    point = mesh.metrics.series(namespace, metric, ((name, value),), "Count").open_point()
    return 0.0 if point is None else point.total


@pytest.mark.parametrize(
    ("region", "tokens_per_s"), [("ap-northeast-1", 10_000), ("us-east-1", 10_000), ("ap-northeast-3", 5_000)]
)
def test_default_quotas_follow_the_region(region: str, tokens_per_s: int) -> None:
    assert Behaviour.quotas_of(region).request_tokens_per_s == tokens_per_s
    assert Behaviour.quotas_of(region).connects_per_s == 2_000


@pytest.mark.parametrize(
    ("at_s", "granted"),
    [
        ([0.0] * 12, [True] * 10 + [False] * 2),
        ([0.0] * 10 + [0.05, 0.1], [True] * 10 + [False, True]),
        ([0.0] * 10 + [100.0] * 11, [True] * 20 + [False]),
    ],
)
def test_a_rate_of_ten_per_second_grants_ten_at_once_and_one_more_each_tenth(
    at_s: list[float], granted: list[bool]
) -> None:
    times_s = iter(at_s)
    limit = RateLimit(10.0, lambda: next(times_s))
    assert [limit.take() for _ in at_s] == granted


def test_a_request_over_the_token_quota_is_refused_and_counted_as_4xx() -> None:
    mesh = mesh_with(request_tokens_per_s=5)
    statuses = [post(mesh).status for _ in range(7)]
    assert statuses == [200] * 5 + [429] * 2
    assert total(mesh, "AWS/AppSync", "4XXError") == 2
    assert total(mesh, "AWS/AppSync", "Requests") == 5
    mesh.now_s += 1
    assert post(mesh).status == 200


@pytest.mark.parametrize(
    ("answer_bytes", "duration_s", "tokens"),
    [(0, 0.0, 1), (1_000, 1.0, 1), (1_500_000, 1.0, 1), (1_500_001, 1.0, 2), (335_000, 10.0, 3)],
)
def test_tokens_are_started_units_of_1500_kb_seconds(answer_bytes: int, duration_s: float, tokens: int) -> None:
    assert tokens_of(answer_bytes, duration_s) == tokens  # the last row is the guide's own: 3,350 kB-seconds


class Clockwork:
    """Timers of a mesh: each runs at its time, which it sets."""

    def __init__(self) -> None:
        self.due: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, delay_s: float, run: Callable[[], None]) -> None:
        self.due.append((delay_s, run))

    def run(self, mesh: Mesh) -> None:
        while self.due:
            ((delay_s, run),), self.due = self.due, []
            mesh.now_s += delay_s
            run()


@pytest.mark.parametrize(
    ("quotas", "at_once", "delivered"),
    [
        ({"inbound_messages_per_s": 4}, 4, 8),  # one more every quarter of a second, for a second
        ({"outbound_messages_per_s": 4}, 4, 8),
        ({"inbound_messages_per_s": 4, "outbound_messages_per_s": 2}, 2, 4),  # the narrower one decides
        ({"inbound_messages_per_s": 4, "message_delay_s": 0.5}, 4, 6),
        ({}, 10, 10),
    ],
)
def test_publications_over_a_quota_are_delayed_then_dropped_without_an_error_to_the_client(
    quotas: dict[str, Any], at_once: int, delivered: int
) -> None:
    """AppSync guide, "Monitoring" (read 2026-11): inbound or outbound, delayed first, then dropped. Here ten at once,
    small enough for one metered message each, with a second of patience."""
    clockwork = Clockwork()
    mesh = mesh_with(clockwork.call_later, **quotas)
    subscriber, group = subscribed(mesh)
    for number in range(10):
        mesh.report(group["id"], f"n{number}")
    assert subscriber.nodes == [f"n{number}" for number in range(at_once)]
    clockwork.run(mesh)
    assert subscriber.nodes == [f"n{number}" for number in range(delivered)]
    assert total(mesh, "AWS/AppSync", "InboundMessageDelayed") == 10 - at_once
    assert total(mesh, "AWS/AppSync", "InboundMessageDropped") == 10 - delivered
    assert total(mesh, "AWS/AppSync", "OutboundMessages") == delivered


def test_a_publication_to_many_passes_whole_and_the_next_one_waits_for_its_debt() -> None:
    clockwork = Clockwork()
    mesh = mesh_with(clockwork.call_later, outbound_messages_per_s=4)
    subscriber, group = subscribed(mesh, copies=6)
    started_s = mesh.now_s
    for node in ("n0", "n1"):
        mesh.report(group["id"], node)
    assert subscriber.nodes == ["n0"] * 6  # four granted, two in debt
    clockwork.run(mesh)
    assert subscriber.nodes == ["n0"] * 6 + ["n1"] * 6
    assert mesh.now_s - started_s == 0.75  # two of debt and one to go on, at four a second


def subscribed(mesh: Mesh, copies: int = 1) -> tuple[Subscriber, Any]:
    """A subscriber of a new group, `copies` times over."""
    subscriber = Subscriber()
    statement = mesh.api.http.documents.statement(ON_MESSAGE, None)
    assert isinstance(statement, SubscriptionStatement)
    group = mesh.create_group()
    for copy in range(copies):
        selection, arguments = statement.bind({"group": group["id"], "domain": group["domain"]})
        mesh.api.subscriptions.add(Subscription(subscriber, f"s{copy}", selection, arguments))
    return subscriber, group


@pytest.mark.parametrize(
    ("behaviour", "error_type"),
    [
        ({"lambda_duration": Delay(45_000, 45_000)}, "Lambda:ExecutionTimeoutException"),
        ({"latency": Delay(45_000, 45_000)}, "ExecutionTimeout"),
    ],
)
def test_a_request_ends_after_30_seconds(
    behaviour: dict[str, Delay], error_type: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited_s: list[float] = []

    async def sleep(delay_s: float) -> None:
        waited_s.append(delay_s)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    answer = orjson.loads(asyncio.run(_awaited(post(mesh_with(**behaviour)))).body)
    assert waited_s == [30.0]
    assert answer["data"] is None
    assert [(each["errorType"], each["message"]) for each in answer["errors"]] == [(error_type, "Execution timed out.")]


def test_a_delay_has_the_median_and_99th_percentile_it_was_given() -> None:
    dice = random.Random(1)
    delays_ms = sorted(Delay(20, 120).sample_s(dice) * 1000 for _ in range(20_000))
    assert statistics.median(delays_ms) == pytest.approx(20, rel=0.03)
    assert delays_ms[int(0.99 * len(delays_ms))] == pytest.approx(120, rel=0.1)


@pytest.mark.parametrize(("median_ms", "p99_ms"), [(0, 1), (-1, 1), (5, 4)])
def test_a_delay_that_cannot_be_is_refused_with_an_example(median_ms: float, p99_ms: float) -> None:
    with pytest.raises(ValueError, match="example: Delay"):
        Delay(median_ms, p99_ms)


def test_an_imitated_latency_holds_the_answer_up_and_is_in_the_metric() -> None:
    mesh = mesh_with(latency=Delay(30, 30))

    async def ask() -> Response:
        answer = post(mesh)
        assert not isinstance(answer, Response)
        response: Response = await answer
        return response

    assert asyncio.run(ask()).status == 200
    dimensions = (("GraphQLAPIId", mesh.config.api_id),)
    point = mesh.metrics.series("AWS/AppSync", "Latency", dimensions, "Milliseconds").open_point()
    assert point is not None
    assert 30 <= point.minimum < 130


def test_a_lambda_function_at_its_concurrency_throttles_the_field() -> None:
    mesh = mesh_with(lambda_concurrency=2, lambda_duration=Delay(100, 100))

    async def ask() -> list[Any]:
        answers = [post(mesh) for _ in range(3)]
        return [orjson.loads((await each if not isinstance(each, Response) else each).body) for each in answers]

    first, second, third = asyncio.run(ask())
    assert first == second == {"data": {"createDomain": "192.0.2.1"}}
    assert third["data"] is None
    assert third["errors"][0]["errorType"] == "Lambda:TooManyRequestsException"
    assert total(mesh, "AWS/Lambda", "Throttles") == 1
    assert total(mesh, "AWS/Lambda", "Invocations") == 2
    mesh.now_s += 0.1
    assert "errors" not in orjson.loads(asyncio.run(_awaited(post(mesh))).body)


async def _awaited(answer: Any) -> Response:
    response: Response = answer if isinstance(answer, Response) else await answer
    return response


@pytest.mark.parametrize(
    ("pause_s", "cold"),
    [(1.0, False), (299.0, False), (301.0, True)],
)
def test_an_idle_environment_is_used_again_until_it_is_let_go(pause_s: float, cold: bool) -> None:
    mesh = mesh_with(lambda_duration=Delay(10, 10), lambda_cold_start=Delay(400, 400))
    function = mesh.api.function
    assert function.begin() == pytest.approx(0.410)
    mesh.now_s += 0.410 + pause_s
    assert function.begin() == pytest.approx(0.410 if cold else 0.010)


def test_two_at_once_need_two_environments() -> None:
    mesh = mesh_with(lambda_duration=Delay(10, 10), lambda_cold_start=Delay(400, 400))
    assert [mesh.api.function.begin() for _ in range(2)] == [pytest.approx(0.410)] * 2
    mesh.now_s += 1
    assert [mesh.api.function.begin() for _ in range(3)] == [pytest.approx(d) for d in (0.010, 0.010, 0.410)]


def test_lambda_counts_invocations_and_errors() -> None:
    mesh = Mesh()
    group = mesh.create_group()
    mesh.data("mutation { createDomain }")
    mesh.error(m.DISSOLVE, {"group": group["id"], "domain": group["domain"], "host": "someone else"})
    mesh.data(m.LIST_GROUPS, {"domain": group["domain"]})
    assert total(mesh, "AWS/Lambda", "Invocations") == 2
    assert total(mesh, "AWS/Lambda", "Errors") == 1


def test_resolvers_whose_dynamodb_is_elsewhere_run_in_threads_and_still_publish() -> None:
    mesh = Mesh(dynamodb_endpoint="http://127.0.0.1:1")  # the address is not used: calls go to the engine
    published: list[Any] = []
    mesh.api.http.publish = published.extend

    async def ask() -> list[Any]:
        def send(text: str, variables: Any) -> Any:
            body = orjson.dumps({"query": text, "variables": variables})
            return mesh.api.handle(Request("POST", "/graphql", "", {"x-api-key": KEY}, body, "192.0.2.1"))

        created = await send(m.CREATE_GROUP, {"name": "n", "host": "h", "domain": "d", "ws": True})
        group = orjson.loads(created.body)["data"]["createGroup"]["id"]
        reports = [send(m.REPORT, {"group": group, "domain": "d", "node": f"n{n}", "data": []}) for n in range(20)]
        return [orjson.loads(each.body) for each in await asyncio.gather(*reports)]

    answers = asyncio.run(ask())
    assert [answer["data"]["reportDataByNode"]["nodeStatus"]["nodeId"] for answer in answers] == [
        f"n{n}" for n in range(20)
    ]
    assert len(published) == 20
