"""A TCP proxy that misbehaves on command: it refuses, resets, swallows or delays what passes between two ends."""

from __future__ import annotations

import selectors
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

_CHUNK_BYTES = 65_536
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER of no time: close() sends RST


class Proxy:
    """Forwards connections to one address until told otherwise. All methods may be called while traffic flows."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._links: dict[socket.socket, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        self._lock = threading.Lock()
        self._silent_until_s = 0.0
        self._delay_s = 0.0
        self._ended = False
        self.accepted = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._forward, daemon=True)
        self._thread.start()

    @property
    def open_connections(self) -> int:
        """Connections from clients that are open."""
        return len(self._links) // 2

    def reset_all(self) -> int:
        """Reset every open connection (RST to both ends); return how many."""
        with self._lock:
            ends = list(self._links)
            for end in ends:
                self._drop(end, reset=True)
        return len(ends) // 2

    def refuse(self) -> None:
        """Reset everything and refuse new connections until `accept`."""
        with self._lock:
            self._selector.unregister(self._listener)
            self._listener.close()
        self.reset_all()

    def accept(self) -> None:
        """Listen again, on the same port."""
        with self._lock:
            self._listener = socket.create_server(("127.0.0.1", self.port), backlog=256)
            self._selector.register(self._listener, selectors.EVENT_READ)

    def swallow(self, seconds: float) -> None:
        """Pass nothing in either direction for a while, and say nothing about it."""
        self._silent_until_s = time.monotonic() + seconds

    def slow_down(self, delay_s: float) -> None:
        """Hold every piece of data back for a while; 0 for no longer."""
        self._delay_s = delay_s

    def close(self) -> None:
        """End everything."""
        self._ended = True
        self._thread.join(5)
        self.reset_all()
        self._listener.close()

    def _forward(self) -> None:
        due: list[tuple[float, socket.socket, bytes]] = []
        while not self._ended:
            if time.monotonic() < self._silent_until_s:
                time.sleep(0.01)
                continue
            with self._lock:
                while due and due[0][0] <= time.monotonic():
                    _, end, data = due.pop(0)
                    self._send(end, data)
                for key, _ in self._selector.select(0):
                    end = key.fileobj
                    assert isinstance(end, socket.socket)
                    if end is self._listener:
                        self._connect()
                    elif end in self._links:
                        data = self._read(end)
                        if data is not None and end in self._links:
                            due.append((time.monotonic() + self._delay_s, self._links[end], data))
            time.sleep(0.001)

    def _connect(self) -> None:
        client, _ = self._listener.accept()
        try:
            server = socket.create_connection(self._target, timeout=2)
        except OSError:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            client.close()
            return
        self.accepted += 1
        for end, other in ((client, server), (server, client)):
            end.settimeout(2)
            self._links[end] = other
            self._selector.register(end, selectors.EVENT_READ)

    def _read(self, end: socket.socket) -> bytes | None:
        try:
            data = end.recv(_CHUNK_BYTES)
        except OSError:
            data = b""
        if not data:
            self._drop(end, reset=False)
            return None
        return data

    def _send(self, end: socket.socket, data: bytes) -> None:
        if end in self._links:
            with suppress(OSError):
                end.sendall(data)

    def _drop(self, end: socket.socket, reset: bool) -> None:
        other = self._links.pop(end, None)
        if other is None:
            return
        self._links.pop(other, None)
        for each in (end, other):
            with suppress(KeyError, ValueError):
                self._selector.unregister(each)
            if reset:
                with suppress(OSError):
                    each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            each.close()


@contextmanager
def proxy_to(url: str) -> Iterator[tuple[Proxy, str]]:
    """A proxy in front of a URL, and the URL through it."""
    parts = urlsplit(url)
    assert parts.hostname
    assert parts.port
    proxy = Proxy(parts.hostname, parts.port)
    try:
        yield proxy, parts._replace(netloc=f"127.0.0.1:{proxy.port}").geturl()
    finally:
        proxy.close()
