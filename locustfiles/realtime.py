"""A client of AppSync's real-time protocol: one WebSocket, one subscription.

Incoming frames are read in callbacks of gevent's hub, not in a greenlet per connection: at 12,800 messages a second on
one core that leaves the senders undisturbed (measured 2026-11: 54 % of a core against 59 %). Over TLS a greenlet reads.
"""

from __future__ import annotations

import base64
import hashlib
import os
import ssl
from _socket import socket as RawSocket  # gevent's own sockets park a greenlet in recv; this one is driven by the hub
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import gevent
import orjson
from gevent import socket
from gevent.event import AsyncResult

from locustfiles.clock import now_s
from locustfiles.frames import CLOSE, PING, PONG, TEXT, FrameError, FrameReader, encode
from locustfiles.operations import subscription_data

ACK_TIMEOUT_S = 15.0  # Amplify's own patience
_READABLE, _RECEIVE_BYTES = 1, 65536
_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class RealtimeError(Exception):
    """The service refused the connection or the subscription. `error_type` is its errorType."""

    def __init__(self, error_type: str, message: str) -> None:
        self.error_type = error_type
        super().__init__(message)


def realtime_url(graphql_url: str) -> str:
    """Where a GraphQL endpoint takes WebSockets: its real-time twin on AWS, `/realtime` below it elsewhere."""
    parts = urlsplit(graphql_url)
    scheme = "wss" if parts.scheme == "https" else "ws"
    if ".appsync-api." in parts.netloc:
        return f"{scheme}://{parts.netloc.replace('.appsync-api.', '.appsync-realtime-api.')}{parts.path}"
    return f"{scheme}://{parts.netloc}{parts.path.rstrip('/')}/realtime"


class RealtimeConnection:
    """One connection with one subscription.

    `on_message(message, received_s)` gets the subscription field of each publication, `on_closed(reason)` is called
    once if the connection ends without `close`. Both run in gevent's hub and must not block.
    """

    def __init__(
        self,
        graphql_url: str,
        api_key: str,
        on_message: Callable[[dict[str, Any], float], None],
        on_closed: Callable[[str], None],
        tls: ssl.SSLContext,
    ) -> None:
        self._url = realtime_url(graphql_url)
        self._authorization = {"host": urlsplit(graphql_url).netloc, "x-api-key": api_key}
        self._on_message = on_message
        self._on_closed = on_closed
        self._tls = tls
        self._reader = FrameReader()
        self._answer: AsyncResult | None = None
        self._socket: Any = None
        self._watcher: Any = None
        self._greenlet: gevent.Greenlet | None = None
        self._open = False
        self._timeout_s = 300.0
        self.last_heard_s = now_s()

    def open(self) -> None:
        """Connect and wait for the service's acknowledgement. Raises RealtimeError or OSError."""
        try:
            with gevent.Timeout(ACK_TIMEOUT_S, TimeoutError(f"no connection within {ACK_TIMEOUT_S:g} s")):
                rest = self._handshake()
        except BaseException:
            self.close()
            raise
        self._open = True
        self._listen()
        answer = self._ask({"type": "connection_init"}, rest)
        self._timeout_s = (answer.get("payload") or {}).get("connectionTimeoutMs", 300_000) / 1000

    def subscribe(self, variables: dict[str, Any]) -> float:
        """Subscribe to onMessageInGroup; returns when the acknowledgement came. Raises RealtimeError or OSError."""
        payload = {
            "data": subscription_data(variables),
            "extensions": {"authorization": self._authorization},
        }
        self._ask({"id": "1", "type": "start", "payload": payload})
        return now_s()

    def is_silent(self, at_s: float) -> bool:
        """Whether the service has been silent for longer than the timeout it announced."""
        return at_s - self.last_heard_s > self._timeout_s

    def close(self) -> None:
        """Unsubscribe and close, without waiting for the other side."""
        if self._open:
            self._open = False
            try:
                self._send({"id": "1", "type": "stop"})
                self._send_frame(encode(CLOSE, (1000).to_bytes(2, "big")))
            except OSError:
                pass
        self._release()

    def _handshake(self) -> bytes:
        parts = urlsplit(self._url)
        secure = parts.scheme == "wss"
        connection = socket.create_connection((parts.hostname, parts.port or (443 if secure else 80)))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if secure:
            connection = self._tls.wrap_socket(connection, server_hostname=parts.hostname)
        self._socket = connection
        key = base64.b64encode(os.urandom(16))
        header = base64.urlsafe_b64encode(orjson.dumps(self._authorization)).rstrip(b"=").decode()
        connection.sendall(
            f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key.decode()}\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Protocol: graphql-ws, header-{header}\r\n\r\n".encode()
        )
        answer = b""
        while b"\r\n\r\n" not in answer:
            data = connection.recv(_RECEIVE_BYTES)
            if not data or len(answer) > _RECEIVE_BYTES:
                raise RealtimeError("HandshakeFailed", "the connection ended during the WebSocket handshake")
            answer += data
        head, _, rest = answer.partition(b"\r\n\r\n")
        status, *lines = head.split(b"\r\n")
        if b" 101 " not in status + b" ":
            raise RealtimeError(f"HTTP {status.split(b' ')[1].decode('latin-1')}", status.decode("latin-1"))
        accept = base64.b64encode(hashlib.sha1(key + _GUID).digest())
        if not any(line.lower().startswith(b"sec-websocket-accept:") and accept in line for line in lines):
            raise RealtimeError("HandshakeFailed", "the answer does not accept our key")
        if not secure:
            self._socket = RawSocket(fileno=connection.detach())
            self._socket.setblocking(False)
        return rest

    def _listen(self) -> None:
        if isinstance(self._socket, RawSocket):
            self._watcher = gevent.get_hub().loop.io(self._socket.fileno(), _READABLE)
            self._watcher.start(self._on_readable)
        else:
            self._greenlet = gevent.spawn(self._read_in_greenlet)

    def _on_readable(self) -> None:
        try:
            data = self._socket.recv(_RECEIVE_BYTES)
        except (BlockingIOError, InterruptedError):
            return
        except OSError as fault:
            self._lost(str(fault))
            return
        self._received(data)

    def _read_in_greenlet(self) -> None:
        while self._open:
            try:
                data = self._socket.recv(_RECEIVE_BYTES)
            except OSError as fault:
                self._lost(str(fault))
                return
            self._received(data)

    def _received(self, data: bytes) -> None:
        if not data:
            self._lost("the other side closed the connection")
            return
        received_s = self.last_heard_s = now_s()
        try:
            for opcode, payload in self._reader.feed(data):
                if opcode == TEXT:
                    self._handle(orjson.loads(payload), received_s)
                elif opcode == PING:
                    self._send_frame(encode(PONG, payload))
                elif opcode == CLOSE:
                    self._lost(f"closed with {int.from_bytes(payload[:2], 'big') if payload else 'no code'}")
                    return
        except (FrameError, orjson.JSONDecodeError, KeyError, TypeError, OSError) as fault:
            self._lost(f"{type(fault).__name__}: {fault}")

    def _handle(self, message: dict[str, Any], received_s: float) -> None:
        kind = message["type"]
        if kind == "data":
            field = message["payload"]["data"]["onMessageInGroup"]
            if field is not None:
                self._on_message(field, received_s)
        elif kind in ("connection_ack", "start_ack"):
            if self._answer is not None:
                self._answer.set(message)
        elif kind in ("error", "connection_error"):
            fault = _error(message)
            if self._answer is not None and not self._answer.ready():
                self._answer.set_exception(fault)
            else:
                self._lost(f"{fault.error_type}: {fault}")

    def _ask(self, message: dict[str, Any], already_received: bytes = b"") -> dict[str, Any]:
        self._answer = answer = AsyncResult()
        self._send(message)
        if already_received:
            self._received(already_received)
        try:
            result: dict[str, Any] = answer.get(timeout=ACK_TIMEOUT_S)
        except gevent.Timeout:
            self.close()
            raise TimeoutError(f"no answer to {message['type']} within {ACK_TIMEOUT_S:g} s") from None
        except BaseException:
            self.close()
            raise
        finally:
            self._answer = None
        return result

    def _send(self, message: dict[str, Any]) -> None:
        self._send_frame(encode(TEXT, orjson.dumps(message)))

    def _send_frame(self, frame: bytes) -> None:
        self._socket.send(frame)  # a frame of ours is far smaller than an empty send buffer

    def _lost(self, reason: str) -> None:
        if not self._open:
            return
        self._open = False
        self._release()
        if self._answer is not None and not self._answer.ready():
            self._answer.set_exception(ConnectionError(reason))
        self._on_closed(reason)

    def _release(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher.close()
            self._watcher = None
        if self._greenlet is not None and self._greenlet is not gevent.getcurrent():
            self._greenlet.kill(block=False)
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _error(message: dict[str, Any]) -> RealtimeError:
    errors = (message.get("payload") or {}).get("errors")
    first = errors[0] if isinstance(errors, list) and errors else errors
    if not isinstance(first, dict):
        return RealtimeError("UnknownError", str(first))
    error_type = first.get("errorType") or f"code {first.get('errorCode')}"
    return RealtimeError(error_type, first.get("message") or error_type)
