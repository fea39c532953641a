"""A network between generator and target that can be unplugged: a TCP relay in a thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit


class Cable:
    """Relays a free port of loopback to a target; `pull` ends every connection and refuses new ones."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._loop = asyncio.new_event_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._plugged = True
        self.port = 0

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._plugged:
            writer.transport.abort()
            return
        to_reader, to_writer = await asyncio.open_connection(*self._target)
        self._writers |= {writer, to_writer}
        await asyncio.gather(self._pump(reader, to_writer), self._pump(to_reader, writer))

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        writer.close()
        self._writers.discard(writer)

    def pull(self) -> None:
        """Unplug."""

        def abort() -> None:
            self._plugged = False
            for writer in self._writers:
                writer.transport.abort()
            self._writers.clear()

        self._loop.call_soon_threadsafe(abort)

    def plug_in(self) -> None:
        """Connections are possible again."""
        self._plugged = True

    def serve(self, ready: threading.Event) -> None:
        """Run until `stop`."""
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._relay, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        self._loop.run_forever()

    def stop(self) -> None:
        """End the thread."""
        self.pull()
        self._loop.call_soon_threadsafe(self._loop.stop)


@contextmanager
def cable_to(url: str) -> Iterator[tuple[Cable, str]]:
    """A cable to the target at `url`, and the URL of its near end."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    cable, ready = Cable(parts.hostname, parts.port), threading.Event()
    thread = threading.Thread(target=cable.serve, args=(ready,), daemon=True)
    thread.start()
    ready.wait()
    yield cable, f"http://127.0.0.1:{cable.port}{parts.path}"
    cable.stop()
    thread.join(5)
