"""Our real-time client against the `websockets` library's server, which speaks AppSync's protocol from a script."""

from __future__ import annotations

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import gevent
import pytest
from websockets.sync.server import ServerConnection, serve

from locustfiles.network.realtime import RealtimeConnection, RealtimeError, realtime_url

TLS = ssl.create_default_context()
MESSAGE = {"groupId": "g", "domain": "d", "nodeStatus": None, "batchEvent": None, "groupDissolve": {"message": "bye"}}


def say(server: ServerConnection, **message: Any) -> None:
    server.send(json.dumps(message))


def acknowledge(server: ServerConnection) -> dict[str, Any]:
    """Up to and with the subscription's acknowledgement; returns the `start` message."""
    assert json.loads(server.recv())["type"] == "connection_init"
    say(server, type="connection_ack", payload={"connectionTimeoutMs": 1000})
    start: dict[str, Any] = json.loads(server.recv())
    say(server, type="start_ack", id=start["id"])
    return start


@contextmanager
def service(script: Callable[[ServerConnection], None], tls: ssl.SSLContext | None = None) -> Iterator[str]:
    server = serve(script, "127.0.0.1", 0, subprotocols=["graphql-ws"], ssl=tls)  # type: ignore[list-item]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"{'https' if tls else 'http'}://127.0.0.1:{server.socket.getsockname()[1]}/graphql"
    server.shutdown()


class Client:
    """A connection with what it heard."""

    def __init__(self, url: str) -> None:
        self.heard: list[dict[str, Any]] = []
        self.lost: list[str] = []
        self.connection = RealtimeConnection(
            url, "key", lambda message, _: self.heard.append(message), self.lost.append, TLS
        )

    def subscribe(self) -> None:
        self.connection.open()
        self.connection.subscribe({"groupId": "g", "domain": "d"})

    def wait(self, condition: Callable[[], object]) -> None:
        with gevent.Timeout(10):
            while not condition():
                gevent.sleep(0.01)


@pytest.mark.parametrize(
    ("graphql", "realtime"),
    [
        ("https://abc.appsync-api.ap-northeast-1.amazonaws.com/graphql",
         "wss://abc.appsync-realtime-api.ap-northeast-1.amazonaws.com/graphql"),
        ("https://api.example.com/graphql", "wss://api.example.com/graphql/realtime"),
        ("http://127.0.0.1:8080/graphql", "ws://127.0.0.1:8080/graphql/realtime"),
    ],
)  # fmt: skip
def test_where_websockets_go(graphql: str, realtime: str) -> None:
    assert realtime_url(graphql) == realtime


def test_a_subscriber_hears_what_is_published() -> None:
    asked: list[Any] = []

    def script(server: ServerConnection) -> None:
        asked.append(server.request)
        asked.append(acknowledge(server))
        say(server, type="ka")
        for _ in range(3):
            say(server, type="data", id="1", payload={"data": {"onMessageInGroup": MESSAGE}})
        server.ping(b"still there?").wait(5)
        asked.append([json.loads(server.recv())["type"]])

    with service(script) as url:
        client = Client(url)
        client.subscribe()
        client.wait(lambda: len(client.heard) == 3)
        client.connection.close()
        client.wait(lambda: len(asked) == 3)
    request, start, after = asked
    assert client.heard == [MESSAGE] * 3
    assert client.lost == []
    assert after == ["stop"]
    subprotocol = request.headers["Sec-WebSocket-Protocol"].split("header-")[1]
    host = url.split("/")[2]
    assert json.loads(base64.urlsafe_b64decode(subprotocol + "==")) == {"host": host, "x-api-key": "key"}
    assert start["payload"]["extensions"]["authorization"] == {"host": host, "x-api-key": "key"}
    assert json.loads(start["payload"]["data"])["variables"] == {"groupId": "g", "domain": "d"}


def test_over_tls_large_messages_come_in_order_too(certificate: tuple[Path, Path]) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    TLS.load_verify_locations(certificate[0])

    def script(server: ServerConnection) -> None:
        acknowledge(server)
        for number in range(200):
            field = MESSAGE | {"number": number, "padding": "x" * 500 * number}
            say(server, type="data", id="1", payload={"data": {"onMessageInGroup": field}})
        server.recv()

    with service(script, context) as url:
        client = Client(url)
        client.subscribe()
        client.wait(lambda: len(client.heard) == 200)
        client.connection.close()
    assert [message["number"] for message in client.heard] == list(range(200))
    assert client.lost == []


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param({"errors": [{"errorType": "LimitExceededError", "message": "Rate limit exceeded"}]}, id="a list"),
        pytest.param({"errors": {"errorType": "LimitExceededError", "message": "Rate limit exceeded"}}, id="an object"),
    ],
)
def test_a_refused_subscription_says_why(payload: dict[str, Any]) -> None:
    def script(server: ServerConnection) -> None:
        server.recv()
        say(server, type="connection_ack", payload={})
        server.recv()
        say(server, type="error", payload=payload)
        server.recv()

    with service(script) as url, pytest.raises(RealtimeError, match="Rate limit exceeded") as raised:
        Client(url).subscribe()
    assert raised.value.error_type == "LimitExceededError"


def test_a_refused_connection_says_why() -> None:
    def script(server: ServerConnection) -> None:
        server.recv()
        say(
            server,
            type="connection_error",
            payload={"errors": [{"errorType": "UnauthorizedException", "errorCode": 401}]},
        )
        server.recv()

    with service(script) as url, pytest.raises(RealtimeError) as raised:
        Client(url).subscribe()
    assert raised.value.error_type == "UnauthorizedException"


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        pytest.param(lambda server: server.close(1001), "closed with 1001", id="an orderly close"),
        pytest.param(lambda server: server.socket.shutdown(2), "ended the connection", id="a cut"),
        pytest.param(
            lambda server: say(server, type="error", payload={"errors": [{"errorType": "E", "message": "m"}]}),
            "E: m",
            id="an error that ends the subscription",
        ),
        pytest.param(lambda server: server.send("{"), "JSONDecodeError", id="a broken message"),
    ],
)
def test_a_lost_subscription_is_told_once(end: Callable[[ServerConnection], None], reason: str) -> None:
    hold = threading.Event()

    def script(server: ServerConnection) -> None:
        acknowledge(server)
        end(server)
        hold.wait(5)

    with service(script) as url:
        client = Client(url)
        client.subscribe()
        client.wait(lambda: client.lost)
        hold.set()
        gevent.sleep(0.05)
    assert len(client.lost) == 1
    assert reason in client.lost[0]


def test_an_answer_that_is_no_upgrade_is_a_refusal() -> None:
    with service(lambda _: None) as url:
        client = Client(url)
        client.connection._key = b"not a key"  # the library answers 400
        with pytest.raises(RealtimeError) as raised:
            client.subscribe()
    assert raised.value.error_type == "HTTP 400"


def test_silence_beyond_the_announced_timeout_is_noticed() -> None:
    def script(server: ServerConnection) -> None:
        acknowledge(server)
        server.recv()

    with service(script) as url:
        client = Client(url)
        client.subscribe()
        heard_s = client.connection.last_heard_s
        assert not client.connection.is_silent(heard_s + 0.9)
        assert client.connection.is_silent(heard_s + 1.1)
        client.connection.close()
