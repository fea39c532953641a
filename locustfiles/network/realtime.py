"""A client of AppSync's real-time protocol: one WebSocket, one subscription, read in gevent's hub."""

from __future__ import annotations

import base64
import hashlib
import os
import ssl
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import gevent
import orjson
from gevent.event import AsyncResult

from locustfiles.network.frames import CLOSE, PING, PONG, TEXT, FrameError, FrameReader, encode
from locustfiles.network.stream import Stream
from locustfiles.nodes.operations import subscription_data
from locustfiles.running.clock import now_s

ACK_TIMEOUT_S = 15.0  # Amplify's own patience
_MAX_HEAD_BYTES = 65536
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
        self._stream = Stream(self._received, self._lost)
        self._reader = FrameReader()
        self._key = base64.b64encode(os.urandom(16))
        self._head = b""
        self._accepted = False
        self._answer: AsyncResult | None = None
        self._timeout_s = 300.0
        self.last_heard_s = now_s()

    def open(self) -> None:
        """Connect and wait for the service's acknowledgement. Raises RealtimeError or OSError."""
        parts = urlsplit(self._url)
        secure = parts.scheme == "wss"
        self._stream.open(
            parts.hostname or "", parts.port or (443 if secure else 80), self._tls if secure else None, ACK_TIMEOUT_S
        )
        self._wait("the WebSocket handshake", self._upgrade)
        answer = self._ask({"type": "connection_init"})
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
        if self._stream.is_open and self._accepted:
            try:
                self._send({"id": "1", "type": "stop"})
                self._stream.write(encode(CLOSE, (1000).to_bytes(2, "big")))
            except OSError:
                pass
        self._stream.close()

    def _upgrade(self) -> None:
        """Ask for a WebSocket; the answer is read by `_accept`."""
        parts = urlsplit(self._url)
        header = base64.urlsafe_b64encode(orjson.dumps(self._authorization)).rstrip(b"=").decode()
        self._stream.write(
            f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {self._key.decode()}\r\nSec-WebSocket-Version: 13\r\n"
            f"Sec-WebSocket-Protocol: graphql-ws, header-{header}\r\n\r\n".encode()
        )

    def _accept(self, data: bytes) -> bytes | None:
        """Read the answer to the upgrade; returns what follows it, None while it is not whole."""
        self._head += data
        head, end, rest = self._head.partition(b"\r\n\r\n")
        if not end:
            if len(self._head) > _MAX_HEAD_BYTES:
                raise FrameError("the answer to the WebSocket handshake does not end")
            return None
        status, *lines = head.split(b"\r\n")
        if status[9:12] != b"101":
            raise RealtimeError(f"HTTP {status[9:12].decode('latin-1')}", status.decode("latin-1"))
        accept = base64.b64encode(hashlib.sha1(self._key + _GUID).digest())
        if not any(line.lower().startswith(b"sec-websocket-accept:") and accept in line for line in lines):
            raise RealtimeError("HandshakeFailed", "the answer does not accept our key")
        self._accepted = True
        self._settle_wait({})
        return rest

    def _received(self, data: bytes) -> None:
        received_s = self.last_heard_s = now_s()
        try:
            if not self._accepted:
                rest = self._accept(data)
                if not rest:
                    return
                data = rest
            for opcode, payload in self._reader.feed(data):
                if opcode == TEXT:
                    self._handle(_read(payload), received_s)
                elif opcode == PING:
                    self._stream.write(encode(PONG, payload))
                elif opcode == CLOSE:
                    self._lost(f"closed with {int.from_bytes(payload[:2], 'big') if payload else 'no code'}")
                    return
        except RealtimeError as fault:
            self._fail(fault)
        except (FrameError, orjson.JSONDecodeError, KeyError, TypeError, OSError) as fault:
            self._lost(f"{type(fault).__name__}: {fault}")

    def _handle(self, message: dict[str, Any], received_s: float) -> None:
        kind = message["type"]
        if kind == "data":
            field = message["payload"]["data"]["onMessageInGroup"]
            if field is not None:
                self._on_message(field, received_s)
        elif kind in ("connection_ack", "start_ack"):
            self._settle_wait(message)
        elif kind in ("error", "connection_error"):
            self._fail(_error(message))

    def _ask(self, message: dict[str, Any]) -> dict[str, Any]:
        return self._wait(message["type"], lambda: self._send(message))

    def _wait(self, what: str, send: Callable[[], None]) -> dict[str, Any]:
        self._answer = answer = AsyncResult()
        try:
            send()
            result: dict[str, Any] = answer.get(timeout=ACK_TIMEOUT_S)
        except gevent.Timeout:
            self.close()
            raise TimeoutError(f"no answer to {what} within {ACK_TIMEOUT_S:g} s") from None
        except BaseException:
            self.close()
            raise
        finally:
            self._answer = None
        return result

    def _settle_wait(self, message: dict[str, Any]) -> None:
        if self._answer is not None and not self._answer.ready():
            self._answer.set(message)

    def _send(self, message: dict[str, Any]) -> None:
        self._stream.write(encode(TEXT, orjson.dumps(message)))

    def _fail(self, fault: RealtimeError) -> None:
        """The service refuses: whoever waits is told, otherwise the subscription is lost."""
        if self._answer is not None and not self._answer.ready():
            self._answer.set_exception(fault)
        else:
            self._lost(f"{fault.error_type}: {fault}")

    def _lost(self, reason: str) -> None:
        self._stream.close()
        if self._answer is not None and not self._answer.ready():
            self._answer.set_exception(ConnectionResetError(reason))
        else:
            self._on_closed(reason)


@lru_cache(maxsize=256)
def _read(payload: bytes) -> Any:
    """A message; not to be changed, for the subscribers of a group get the same bytes and share what is read here.

    Comparing 400 bytes costs a tenth of reading them as JSON.
    """
    return orjson.loads(payload)


def _error(message: dict[str, Any]) -> RealtimeError:
    errors = (message.get("payload") or {}).get("errors")
    first = errors[0] if isinstance(errors, list) and errors else errors
    if not isinstance(first, dict):
        return RealtimeError("UnknownError", str(first))
    error_type = first.get("errorType") or f"code {first.get('errorCode')}"
    return RealtimeError(error_type, first.get("message") or error_type)
