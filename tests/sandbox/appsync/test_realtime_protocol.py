"""Every frame of the real-time protocol, spoken to the handler itself; time is set by the test."""

from __future__ import annotations

import base64
from typing import Any
from urllib.parse import quote

import mesh_api as m
import orjson
import pytest
from mesh_api import KEY, Mesh

from sandbox.appsync.behaviour import Behaviour
from sandbox.appsync.realtime import Realtime, RealtimeLimits
from sandbox.http.message import Request

SUBSCRIBE = f"""subscription On($group: ID!, $domain: String!) {{
  onMessageInGroup(groupId: $group, domain: $domain) {{ {m.MESSAGE_FIELDS} }} }}"""


class Timers:
    """Stands in for the event loop's timers."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.due: list[Timer] = []

    def call_later(self, delay_s: float, run: Any) -> Timer:
        timer = Timer(self.now_s + delay_s, run)
        self.due.append(timer)
        return timer

    def advance(self, seconds: float) -> None:
        until_s = self.now_s + seconds
        while ready := sorted((t for t in self.due if not t.cancelled and t.at_s <= until_s), key=lambda t: t.at_s):
            timer = ready[0]
            self.due.remove(timer)
            self.now_s = timer.at_s
            timer.run()
        self.now_s = until_s


class Timer:
    def __init__(self, at_s: float, run: Any) -> None:
        self.at_s = at_s
        self.run = run
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class Connection:
    """Stands in for an open WebSocket; frames sent to it are decoded into `sent`."""

    def __init__(self, request: Request, subprotocol: str | None = "graphql-ws") -> None:
        self.request = request
        self.subprotocol = subprotocol
        self.state: Any = None
        self.sent: list[dict[str, Any]] = []
        self.closed_with: int | None = None

    def send_frame(self, frame: bytes) -> None:
        length = frame[1]
        start = 2 if length < 126 else 4 if length == 126 else 10
        self.sent.append(orjson.loads(frame[start:]))

    def close(self, code: int = 1000, reason: str = "") -> None:
        self.closed_with = code

    def take(self) -> list[dict[str, Any]]:
        sent, self.sent = self.sent, []
        return sent


class Endpoint:
    """The API's real-time handler with test timers."""

    def __init__(self, limits: RealtimeLimits | None = None, behaviour: Behaviour | None = None) -> None:
        self.mesh = Mesh()
        self.timers = Timers()
        api = self.mesh.api
        self.realtime = Realtime(
            api.http.documents,
            api.subscriptions,
            api.http.keys,
            api.metrics,
            limits,
            timer=lambda: self.timers.now_s,
            call_later=self.timers.call_later,
            behaviour=behaviour,
            clock=lambda: m.START_S + self.timers.now_s,
        )

    def open(self, request: Request | None = None, subprotocol: str | None = "graphql-ws") -> Connection:
        connection = Connection(request or Request("GET", "/graphql/realtime", query_of(KEY), {}), subprotocol)
        self.realtime.on_open(connection)  # type: ignore[arg-type]
        return connection

    def send(self, connection: Connection, message: Any) -> list[dict[str, Any]]:
        text = message if isinstance(message, str) else orjson.dumps(message).decode()
        self.realtime.on_text(connection, text)  # type: ignore[arg-type]
        return connection.take()

    def connect(self) -> Connection:
        connection = self.open()
        self.send(connection, {"type": "connection_init"})
        return connection

    def subscribe(self, connection: Connection, group: Any, id_: str = "s1", text: str = SUBSCRIBE) -> None:
        assert self.send(connection, start(id_, text, {"group": group["id"], "domain": group["domain"]})) == [
            {"id": id_, "type": "start_ack"}
        ]

    def metric(self, name: str) -> float:
        unit = {"PublishDataMessageSize": "Bytes", "ConnectionDuration": "Milliseconds"}.get(name, "Count")
        series = self.mesh.metrics.series("AWS/AppSync", name, (("GraphQLAPIId", self.mesh.config.api_id),), unit)
        point = series.open_point()
        return 0.0 if point is None else point.total


def query_of(key: str) -> str:
    header = base64.b64encode(orjson.dumps({"host": "api.example", "x-api-key": key})).decode()
    return f"header={quote(header)}&payload=e30="


def start(id_: Any, text: str, variables: Any = None, key: Any = KEY) -> dict[str, Any]:
    data = orjson.dumps({"query": text, "variables": variables}).decode()
    authorization = {"host": "api.example", "x-api-key": key}
    return {"id": id_, "type": "start", "payload": {"data": data, "extensions": {"authorization": authorization}}}


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint()


# ---- connecting ----------------------------------------------------------------------------------------------------


def subprotocol_header(key: str) -> str:
    encoded = base64.urlsafe_b64encode(orjson.dumps({"host": "h", "x-api-key": key, "鍵": "??>"})).decode()
    return f"graphql-ws, header-{encoded.rstrip('=')}"


@pytest.mark.parametrize(
    ("form", "request_of"),
    [
        ("query string", lambda key: Request("GET", "/graphql", query_of(key), {})),
        (
            "subprotocol",
            lambda key: Request("GET", "/graphql/realtime", "", {"sec-websocket-protocol": subprotocol_header(key)}),
        ),
        ("header of the upgrade", lambda key: Request("GET", "/graphql/realtime", "", {"x-api-key": key})),
    ],
)
def test_each_form_of_authentication_connects_with_the_key_and_not_without(
    endpoint: Endpoint, form: str, request_of: Any
) -> None:
    good = endpoint.open(request_of(KEY))
    assert endpoint.send(good, {"type": "connection_init"}) == [
        {"type": "connection_ack", "payload": {"connectionTimeoutMs": 300000}},
        {"type": "ka"},
    ]
    bad = endpoint.open(request_of("da2-wrong"))
    assert endpoint.send(bad, {"type": "connection_init"}) == [
        {
            "type": "connection_error",
            "payload": {
                "errors": [
                    {
                        "errorType": "UnauthorizedException",
                        "message": "You are not authorized to make this call.",
                        "errorCode": 401,
                    }
                ]
            },
        }
    ]
    assert (good.closed_with, bad.closed_with) == (None, 1000)


@pytest.mark.parametrize(
    ("query", "error_type"),
    [
        ("", "UnauthorizedException"),
        ("header=e30=", "UnauthorizedException"),
        ("header=%%%", "BadRequestException"),
        ("header=bm8=", "BadRequestException"),
        ("header=W10=", "UnauthorizedException"),
    ],
)
def test_authentication_that_cannot_be_read_ends_in_connection_error(
    endpoint: Endpoint, query: str, error_type: str
) -> None:
    connection = endpoint.open(Request("GET", "/graphql/realtime", query, {}))
    (frame,) = endpoint.send(connection, {"type": "connection_init"})
    assert frame["type"] == "connection_error"
    assert frame["payload"]["errors"][0]["errorType"] == error_type


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "NoProtocolError"),
        ({"sec-websocket-protocol": "graphql-transport-ws"}, "SubProtocolNotSupportedError"),
    ],
)
def test_a_client_without_the_subprotocol_is_told_so(endpoint: Endpoint, headers: dict[str, str], message: str) -> None:
    connection = endpoint.open(Request("GET", "/graphql/realtime", query_of(KEY), headers), subprotocol=None)
    (frame,) = endpoint.send(connection, {"type": "connection_init"})
    assert frame["payload"]["errors"] == [{"message": message, "errorCode": 400}]


def test_a_refused_client_that_says_nothing_is_closed_after_15_s(endpoint: Endpoint) -> None:
    connection = endpoint.open(Request("GET", "/graphql", "", {}))
    endpoint.timers.advance(14.9)
    assert connection.closed_with is None
    endpoint.timers.advance(0.2)
    assert connection.closed_with == 1000


@pytest.mark.parametrize(
    ("behaviour", "refused"),
    [
        (Behaviour(connects_per_s=3), [False, False, False, True, True]),
        (Behaviour(connections=2), [False, False, True, True, True]),
        (Behaviour(), [False] * 5),
    ],
)
def test_a_connect_over_its_quota_is_told_that_the_rate_is_exceeded(behaviour: Behaviour, refused: list[bool]) -> None:
    endpoint = Endpoint(behaviour=behaviour)
    frames = [endpoint.send(endpoint.open(), {"type": "connection_init"})[0] for _ in refused]
    assert [frame["type"] for frame in frames] == ["connection_error" if each else "connection_ack" for each in refused]
    told = [frame["payload"]["errors"][0] for frame in frames if frame["type"] == "connection_error"]
    assert all((each["errorType"], each["message"]) == ("LimitExceededError", "Rate limit exceeded") for each in told)
    counted = [endpoint.metric(name) for name in ("ConnectRequests", "ConnectSuccess", "ConnectClientError")]
    assert counted == [5, 5 - sum(refused), sum(refused)]


def test_messages_before_the_acknowledgement_are_ignored(endpoint: Endpoint) -> None:
    connection = endpoint.open()
    for message in ("no JSON", [], {}, {"type": "dance"}, {"type": "stop", "id": "s1"}):
        assert endpoint.send(connection, message) == []
    assert endpoint.send(connection, start("s1", SUBSCRIBE, {"group": "g", "domain": "d"})) == []
    endpoint.send(connection, {"type": "connection_init"})
    endpoint.subscribe(connection, {"id": "g", "domain": "d"})


def test_keep_alives_come_every_minute_and_the_connection_ends_after_24_hours(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    endpoint.timers.advance(185)
    assert connection.take() == [{"type": "ka"}] * 3
    endpoint.timers.advance(24 * 3600 - 186)
    assert connection.closed_with is None
    endpoint.timers.advance(2)
    assert connection.closed_with == 1000


def test_a_closed_connection_leaves_nothing_behind(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    group = endpoint.mesh.create_group()
    endpoint.subscribe(connection, group)
    endpoint.realtime.on_close(connection)  # type: ignore[arg-type]
    endpoint.mesh.report(group["id"], a="1")
    endpoint.timers.advance(120)
    assert connection.take() == []
    assert endpoint.mesh.api.subscriptions.count == 0
    assert all(timer.cancelled for timer in endpoint.timers.due)


# ---- subscribing ---------------------------------------------------------------------------------------------------


def test_a_report_reaches_every_subscriber_of_its_group_and_no_other(endpoint: Endpoint) -> None:
    here, there = endpoint.mesh.create_group("host-1"), endpoint.mesh.create_group("host-2")
    connections = [endpoint.connect() for _ in range(3)]
    for connection, group in zip(connections, (here, here, there), strict=True):
        endpoint.subscribe(connection, group)
    message = endpoint.mesh.report(here["id"], 温度="25")
    for connection in connections[:2]:
        assert connection.take() == [{"id": "s1", "type": "data", "payload": {"data": {"onMessageInGroup": message}}}]
    assert connections[2].take() == []


def test_many_subscriptions_share_a_connection_and_each_keeps_its_order(endpoint: Endpoint) -> None:
    groups = [endpoint.mesh.create_group(f"host-{n}") for n in range(20)]
    connection = endpoint.connect()
    for number, group in enumerate(groups):
        endpoint.subscribe(connection, group, f"s{number}")
    for value in range(3):
        for group in groups:
            endpoint.mesh.report(group["id"], v=str(value))
    received: dict[str, list[str]] = {}
    for frame in connection.take():
        data = frame["payload"]["data"]["onMessageInGroup"]["nodeStatus"]["data"]
        received.setdefault(frame["id"], []).append(data[0]["value"])
    assert received == {f"s{number}": ["0", "1", "2"] for number in range(20)}


def test_stop_is_answered_by_complete_and_nothing_more(endpoint: Endpoint) -> None:
    group = endpoint.mesh.create_group()
    connection = endpoint.connect()
    endpoint.subscribe(connection, group)
    assert endpoint.send(connection, {"id": "s1", "type": "stop"}) == [{"id": "s1", "type": "complete"}]
    endpoint.mesh.report(group["id"], a="1")
    assert connection.take() == []
    (error,) = endpoint.send(connection, {"id": "s1", "type": "stop"})
    assert (error["id"], error["payload"]["errors"][0]["errorType"]) == ("s1", "UnknownOperationError")
    endpoint.subscribe(connection, group)  # the id is free again


@pytest.mark.parametrize(
    ("message", "error_type"),
    [
        (start("s1", SUBSCRIBE, {"group": "g", "domain": "d"}, key="da2-wrong"), "UnauthorizedException"),
        (start("s1", SUBSCRIBE, {"group": "g", "domain": "d"}, key=None), "UnauthorizedException"),
        (start("s1", SUBSCRIBE, {"group": "g", "domain": "d"}, key=["k"]), "UnauthorizedException"),
        (start("s1", "query { listGroupsByDomain(domain: \"d\") { id } }"), "UnsupportedOperation"),
        (start("s1", "mutation { createDomain }"), "UnsupportedOperation"),
        (start("s1", "subscription {"), "BadRequestException"),
        (start("s1", SUBSCRIBE, []), None),
        (start("s1", SUBSCRIBE, {"group": None, "domain": "d"}), None),
        (start("s1", "subscription { nope }"), None),
        (start("s1", "subscription { __typename }"), None),
        (
            start("s1", 'subscription { a: onMessageInGroup(groupId: "g", domain: "d") { groupId } '
                  'b: onMessageInGroup(groupId: "h", domain: "d") { groupId } }'),
            None,
        ),
        ({"id": "s1", "type": "start", "payload": {"data": "{}"}}, "UnauthorizedException"),
    ],
)  # fmt: skip
def test_a_start_that_cannot_be_served_is_answered_by_an_error_with_its_id(
    endpoint: Endpoint, message: Any, error_type: str | None
) -> None:
    connection = endpoint.connect()
    (frame,) = endpoint.send(connection, message)
    assert (frame["type"], frame["id"]) == ("error", "s1")
    error = frame["payload"]["errors"][0]
    assert error["message"]
    assert error.get("errorType") == error_type
    assert endpoint.mesh.api.subscriptions.count == 0


@pytest.mark.parametrize(
    "message",
    [
        {"id": "s1", "type": "dance"},
        {"id": "s1", "type": "subscribe", "payload": {"query": SUBSCRIBE}},  # graphql-ws instead of AppSync's protocol
        {"id": "s1", "type": "start", "payload": {"query": SUBSCRIBE}},  # Apollo's start, without `data`
        {"id": "s1", "type": "start"},
    ],
)
def test_a_message_that_appsync_does_not_know_is_answered_without_an_id(endpoint: Endpoint, message: Any) -> None:
    """As captured by clients of other protocols: graphql-ws issue 602 (2024-12), graphql-platform 6468 (2023-08)."""
    assert endpoint.send(endpoint.connect(), message) == [
        {
            "type": "error",
            "payload": {
                "errors": [
                    {
                        "errorType": "UnsupportedOperation",
                        "message": "unknown not supported through the realtime channel",
                    }
                ]
            },
        }
    ]


@pytest.mark.parametrize("text", ["", "{", "[]", "7", "null", '"x"', "[" * 5000, '{"type": 7}', '{"type": "start"}'])
def test_text_that_is_no_message_is_answered_by_an_error_and_the_connection_stays(
    endpoint: Endpoint, text: str
) -> None:
    connection = endpoint.connect()
    (frame,) = endpoint.send(connection, text)
    assert frame["type"] == "error"
    assert connection.closed_with is None
    endpoint.subscribe(connection, {"id": "g", "domain": "d"})


def test_an_id_in_use_and_the_201st_subscription_are_refused(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    group = {"id": "g", "domain": "d"}
    for number in range(200):
        endpoint.subscribe(connection, group, f"s{number}")
    variables = {"group": "g", "domain": "d"}
    (duplicate,) = endpoint.send(connection, start("s7", SUBSCRIBE, variables))
    assert duplicate["payload"]["errors"] == [
        {"errorType": "DuplicatedOperationError", "message": "Duplicated operation with id s7"}
    ]
    (full,) = endpoint.send(connection, start("s200", SUBSCRIBE, variables))
    assert full["payload"]["errors"] == [
        {"errorType": "MaxSubscriptionsReachedError", "message": "Max number of 200 subscriptions reached"}
    ]
    assert endpoint.mesh.api.subscriptions.count == 200


# ---- what a subscriber receives ------------------------------------------------------------------------------------


def test_the_mutations_selection_decides_which_fields_arrive(endpoint: Endpoint) -> None:
    group = endpoint.mesh.create_group()
    connection = endpoint.connect()
    endpoint.subscribe(
        connection,
        group,
        text="""subscription On($group: ID!, $domain: String!) { m: onMessageInGroup(groupId: $group, domain: $domain)
        { __typename groupId nodeStatus { id: nodeId } batchEvent { timestamp } } }""",
    )
    text = m.REPORT.replace(m.MESSAGE_FIELDS, "d: domain groupId status: nodeStatus { nodeId timestamp }")
    endpoint.mesh.data(text, {"group": group["id"], "domain": group["domain"], "node": "n", "data": []})
    assert connection.take()[0]["payload"] == {
        "data": {
            "m": {
                "__typename": "MeshMessage",
                "groupId": group["id"],
                "nodeStatus": {"id": "n"},
                "batchEvent": None,
            }
        }
    }


def test_a_required_field_that_the_mutation_left_out_arrives_as_an_error(endpoint: Endpoint) -> None:
    group = endpoint.mesh.create_group()
    connection = endpoint.connect()
    endpoint.subscribe(connection, group)
    text = m.REPORT.replace(m.MESSAGE_FIELDS, "domain groupId nodeStatus { nodeId }")
    endpoint.mesh.data(text, {"group": group["id"], "domain": group["domain"], "node": "n", "data": []})
    payload = connection.take()[0]["payload"]
    assert payload["data"]["onMessageInGroup"]["nodeStatus"] is None
    assert payload["errors"][0]["path"] == ["onMessageInGroup", "nodeStatus", "groupId"]


def test_an_argument_does_not_match_a_field_that_the_mutation_left_out(endpoint: Endpoint) -> None:
    group = endpoint.mesh.create_group()
    connection = endpoint.connect()
    endpoint.subscribe(connection, group)
    text = m.REPORT.replace(m.MESSAGE_FIELDS, "groupId nodeStatus { nodeId }")  # without domain
    endpoint.mesh.data(text, {"group": group["id"], "domain": group["domain"], "node": "n", "data": []})
    assert connection.take() == []


def test_a_payload_over_240_kb_is_not_delivered(endpoint: Endpoint) -> None:
    group = endpoint.mesh.create_group()
    connection = endpoint.connect()
    endpoint.subscribe(connection, group)
    for size_bytes in (239_000, 241_000):
        event = {"eventName": "e", "firedAt": "2026-11-30T00:00:00Z", "payload": "x" * size_bytes}
        named = {"group": group["id"], "domain": group["domain"], "node": "n"}
        endpoint.mesh.data(m.FIRE, {**named, "events": [event]})
    assert len(connection.take()) == 1
    assert endpoint.metric("PublishDataMessageClientError") == 1


def test_a_refused_mutation_publishes_nothing(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    endpoint.subscribe(connection, {"id": "g", "domain": "d"})
    endpoint.mesh.error(m.REPORT, {"group": "g", "domain": "d", "node": "n", "data": []})
    assert connection.take() == []


def test_dissolution_and_events_arrive_too(endpoint: Endpoint) -> None:
    group = endpoint.mesh.create_group()
    connection = endpoint.connect()
    endpoint.subscribe(connection, group)
    variables = {"group": group["id"], "domain": group["domain"]}
    events = [{"eventName": "クリック", "firedAt": "2026-11-30T00:00:00Z", "payload": "p"}]
    fired = endpoint.mesh.data(m.FIRE, {**variables, "node": "n", "events": events})
    dissolved = endpoint.mesh.data(m.DISSOLVE, {**variables, "host": "host-1"})
    assert [frame["payload"]["data"]["onMessageInGroup"] for frame in connection.take()] == [fired, dissolved]


# ---- metrics -------------------------------------------------------------------------------------------------------


def test_what_happens_is_counted_under_appsyncs_names(endpoint: Endpoint) -> None:
    group = endpoint.mesh.create_group()
    before = endpoint.metric("Requests")
    connections = [endpoint.connect() for _ in range(3)]
    for connection in connections:
        endpoint.subscribe(connection, group)
    big = {f"v{n:03d}": "x" * 100 for n in range(100)}  # over 10 kB: three metered messages of 5 kB
    endpoint.mesh.report(group["id"], **big)
    size_bytes = len(orjson.dumps(connections[0].take()[0]["payload"]))
    endpoint.send(connections[0], {"id": "s1", "type": "stop"})
    endpoint.timers.advance(60)
    for connection in connections:
        endpoint.realtime.on_close(connection)  # type: ignore[arg-type]
    counted = {
        name: endpoint.metric(name)
        for name in (
            "ConnectRequests",
            "ConnectSuccess", "DisconnectSuccess", "SubscribeSuccess", "UnsubscribeSuccess", "InboundMessageSuccess",
            "PublishDataMessageSuccess", "PublishDataMessageSize", "OutboundMessages", "ActiveConnections",
            "ActiveSubscriptions", "ConnectionDuration",
        )
    }  # fmt: skip
    assert 10_000 < size_bytes < 15_000
    assert counted == {
        "ConnectRequests": 3,
        "ConnectSuccess": 3,
        "DisconnectSuccess": 3,
        "SubscribeSuccess": 3,
        "UnsubscribeSuccess": 1,
        "InboundMessageSuccess": 1,
        "PublishDataMessageSuccess": 3,
        "PublishDataMessageSize": 3 * size_bytes,
        "OutboundMessages": 9,
        "ActiveConnections": 3 + 3,  # opened in the first minute, there at the start of the second
        "ActiveSubscriptions": 3 + 2,
        "ConnectionDuration": 180_000,
    }
    assert endpoint.metric("Requests") - before == 1
    assert endpoint.metric("TokensConsumed") == endpoint.metric("Requests")
