"""WebSocket connections: `websockets` (sans I/O) does handshakes and reads frames, outgoing ones are written directly.

A publication goes to many connections, so its frame is encoded once (`text_frame`) and the same bytes are handed to
each of them (`send_frame`). A consumer that does not keep up is cut off when its unsent bytes pass the limit: memory
stays bounded, and the loss is visible to the client as a closed connection.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Protocol

from websockets.datastructures import Headers
from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request as HandshakeRequest
from websockets.protocol import OPEN
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from sandbox.http.message import Request, Response

logger = logging.getLogger(__name__)

_HIGH_WATER_BYTES = 64 * 1024
_CLOSE_WAIT_S = 5.0


class Upgrade(Protocol):
    """Who talks on a WebSocket once it is open."""

    subprotocols: tuple[str, ...]  # those supported, in order of preference; () accepts a client that names none

    def on_open(self, connection: WebSocketConnection) -> None: ...

    def on_text(self, connection: WebSocketConnection, text: str) -> None: ...

    def on_close(self, connection: WebSocketConnection) -> None: ...


def text_frame(*parts: bytes) -> bytes:
    """One unmasked text frame (RFC 6455, section 5.2) whose payload is the given UTF-8 parts joined."""
    payload = parts[0] if len(parts) == 1 else b"".join(parts)
    length_bytes = len(payload)
    if length_bytes < 126:
        return b"\x81%c%b" % (length_bytes, payload)
    if length_bytes < 65536:
        return b"\x81\x7e" + length_bytes.to_bytes(2, "big") + payload
    return b"\x81\x7f" + length_bytes.to_bytes(8, "big") + payload


class WebSocketConnection:
    """What a handler holds of one open connection.

    request: the HTTP request that opened it. subprotocol: the one agreed upon. state: free for the handler's own use.
    """

    __slots__ = ("_protocol", "_transport", "request", "state", "subprotocol")

    def __init__(self, protocol: WebSocketProtocol, transport: asyncio.Transport) -> None:
        self._protocol = protocol
        self._transport = transport
        self.request = protocol.request
        self.subprotocol = protocol.subprotocol
        self.state: Any = None

    @property
    def buffered_bytes(self) -> int:
        """Bytes handed over and not yet taken by the operating system."""
        return self._transport.get_write_buffer_size()

    @property
    def closed(self) -> bool:
        """True once a close was sent or received, or the transport is gone."""
        return self._protocol.finished

    def send_text(self, text: str) -> None:
        """Send one text message; ignored on a closed connection."""
        self.send_frame(text_frame(text.encode()))

    def send_frame(self, frame: bytes) -> None:
        """Send one already encoded frame; ignored on a closed connection."""
        protocol = self._protocol
        if protocol.finished:
            return
        if protocol.write_paused and not protocol.may_buffer(len(frame)):
            return
        self._transport.write(frame)

    def close(self, code: int = 1000, reason: str = "") -> None:
        """Start the closing handshake. The reason is cut to the 123 bytes that a close frame holds."""
        self._protocol.start_close(code, reason)


def handshake(request: Request, upgrade: Upgrade) -> tuple[bytes, str | None] | tuple[Response, None]:
    """Check the opening handshake: the bytes of the 101 answer and the subprotocol, or the Response that refuses it."""
    protocol = ServerProtocol(
        subprotocols=[Subprotocol(name) for name in upgrade.subprotocols] or None,
        select_subprotocol=_first_offered_that_is_supported,
    )
    answer = protocol.accept(HandshakeRequest(request.path, Headers(request.headers), request.method.upper()))
    if answer.status_code != 101:
        return Response(answer.status_code, bytes(answer.body or b""), "text/plain"), None
    return answer.serialize(), protocol.subprotocol


def _first_offered_that_is_supported(protocol: ServerProtocol, offered: Any) -> Subprotocol | None:
    # A client that offers none, or only unknown ones, is let in without one: its own protocol then says what is wrong.
    return next((name for name in protocol.available_subprotocols or () if name in offered), None)


def shed_load(websockets: set[WebSocketProtocol], budget_bytes: int) -> None:
    """Cut off the slowest consumers until what is unsent to all of them together fits the budget."""
    slow = [websocket for websocket in websockets if websocket.write_paused]
    slow.sort(key=lambda websocket: websocket.connection.buffered_bytes, reverse=True)
    total_bytes = sum(websocket.connection.buffered_bytes for websocket in slow)
    for websocket in slow:
        if total_bytes <= budget_bytes:
            return
        total_bytes -= websocket.connection.buffered_bytes
        websocket.cut_off = True
        websocket.abort()


class WebSocketProtocol(asyncio.Protocol):
    """Takes the transport over from the HTTP protocol after the handshake."""

    def __init__(
        self,
        transport: asyncio.Transport,
        request: Request,
        upgrade: Upgrade,
        subprotocol: str | None,
        registry: set[WebSocketProtocol],
        max_message_bytes: int,
        max_buffered_bytes: int,
    ) -> None:
        self.request = request
        self.subprotocol = subprotocol
        self.finished = False
        self.write_paused = False
        self.cut_off = False  # the consumer was too slow
        self.connection = WebSocketConnection(self, transport)
        self._transport = transport
        self._upgrade = upgrade
        self._registry = registry
        self._frames = ServerProtocol(state=OPEN, max_size=max_message_bytes)
        self._max_buffered_bytes = max_buffered_bytes
        self._fragments: list[bytes] | None = None

    def open(self, rest: bytes) -> None:
        """Begin; rest holds bytes that arrived together with the handshake."""
        self._registry.add(self)
        self._transport.set_write_buffer_limits(high=_HIGH_WATER_BYTES)
        self._call(self._upgrade.on_open, self.connection)
        if rest:
            self.data_received(rest)

    def pause_writing(self) -> None:
        self.write_paused = True

    def resume_writing(self) -> None:
        self.write_paused = False

    def may_buffer(self, frame_bytes: int) -> bool:
        """Whether a slow consumer still has room; when it has not, it is cut off."""
        if self._transport.get_write_buffer_size() + frame_bytes <= self._max_buffered_bytes:
            return True
        self.cut_off = True
        self.abort()
        return False

    def data_received(self, data: bytes) -> None:
        frames = self._frames
        if self.cut_off:
            return
        frames.receive_data(data)
        for frame in frames.events_received():
            if isinstance(frame, Frame) and not self.finished:
                self._receive(frame)
        self._flush()

    def eof_received(self) -> bool:
        self._frames.receive_eof()
        self._flush()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.finished = True
        if self in self._registry:
            self._registry.discard(self)
            self._call(self._upgrade.on_close, self.connection)

    def abort(self) -> None:
        self.finished = True
        self._transport.abort()

    def start_close(self, code: int, reason: str) -> None:
        if self.finished:
            return
        self._frames.send_close(code, reason.encode()[:123].decode(errors="ignore"))
        self._flush()

    def _receive(self, frame: Frame) -> None:
        # The sans-I/O protocol has already checked order and size, answered pings and replied to a close.
        if frame.opcode is Opcode.TEXT:
            if frame.fin:
                self._deliver(bytes(frame.data))
            else:
                self._fragments = [bytes(frame.data)]
        elif frame.opcode is Opcode.CONT and self._fragments is not None:
            self._fragments.append(bytes(frame.data))
            if frame.fin:
                payload = b"".join(self._fragments)
                self._fragments = None
                self._deliver(payload)
        elif frame.opcode is Opcode.BINARY:
            self._frames.fail(CloseCode.UNSUPPORTED_DATA, "text messages only")

    def _deliver(self, payload: bytes) -> None:
        try:
            text = payload.decode()
        except UnicodeDecodeError:
            self._frames.fail(CloseCode.INVALID_DATA, "text is not UTF-8")
            return
        self._call(self._upgrade.on_text, self.connection, text)

    def _call(self, callback: Any, *arguments: Any) -> None:
        try:
            callback(*arguments)
        except Exception:
            logger.exception("WebSocket handler of %s", self.request.path)
            self.start_close(CloseCode.INTERNAL_ERROR, "internal failure")

    def _flush(self) -> None:
        frames = self._frames
        for data in frames.data_to_send():
            if data:
                self._transport.write(data)
            elif self._transport.can_write_eof():
                self._transport.write_eof()
            else:
                self._transport.close()
        if frames.state is not OPEN and not self.finished:
            self.finished = True
            # The client should answer and close the TCP connection now; one that does not is not waited for.
            asyncio.get_running_loop().call_later(_CLOSE_WAIT_S, self._transport.abort)
