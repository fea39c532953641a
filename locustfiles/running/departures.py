"""Which workers take part in a run, which have left, and which are lost: the master's view of the end."""

from __future__ import annotations

from collections.abc import Collection

PATIENCE_S = 30.0
"""How long nothing may happen before the end no longer waits."""


class Departures:
    """Told of every worker that asked for a seat; told the time."""

    def __init__(self) -> None:
        self._clients: dict[str, str] = {}
        self._left: set[str] = set()
        self._progress_s: float | None = None
        self.lost: set[str] = set()
        """Workers that went missing before they had left."""

    def met(self, worker: str, client_id: str) -> None:
        """A worker takes part; `client_id` is Locust's name for it."""
        self._clients[worker] = client_id

    def notice(self, alive: Collection[str]) -> set[str]:
        """Given Locust's names of those that are there, the workers that have just been lost."""
        gone = {worker for worker, client in self._clients.items() if client not in alive}
        newly = gone - self._left - self.lost
        self.lost |= newly
        return newly

    def begin(self, now_s: float) -> bool:
        """The end begins; returns whether it had not begun yet."""
        first = self._progress_s is None
        if first:
            self._progress_s = now_s
        return first

    def progress(self, now_s: float) -> None:
        """A worker was heard of."""
        self._progress_s = now_s

    def left(self, worker: str) -> None:
        """All nodes of a worker have gone, and its parts are here."""
        self._left.add(worker)

    def are_over(self, now_s: float) -> bool:
        """Whether everybody has left or is lost, or nothing has happened for too long."""
        everybody = self._left | self.lost >= set(self._clients)
        return everybody or (self._progress_s is not None and now_s > self._progress_s + PATIENCE_S)
