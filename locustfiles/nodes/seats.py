"""Which Locust user plays which node, also when hosts and members sit on different workers.

Locust spawns users without names. Whoever plays next asks for a seat; the master (or the single process itself) gives
the lowest one that is free, so that the same nodes play whatever the number of workers.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import Literal

Role = Literal["host", "member"]


class Seating:
    """Seats by role: node indices in rising order, given back ones first."""

    def __init__(self, nodes_per_group: int) -> None:
        self._nodes_per_group = nodes_per_group
        self._holders: dict[str, set[int]] = {}
        self._taken: dict[Role, int] = {"host": 0, "member": 0}
        self._returned: dict[Role, list[int]] = {"host": [], "member": []}

    @property
    def workers(self) -> set[str]:
        """Every worker that was ever given a seat."""
        return set(self._holders)

    def take(self, role: Role, worker: str) -> int:
        """The node index that a user of `worker` plays. Raises ValueError for a member where groups have none."""
        index = self._next(role)
        self._holders.setdefault(worker, set()).add(index)
        return index

    def give_back(self, worker: str, index: int) -> None:
        """The node's user has stopped before the run's end; another may play it."""
        self._holders[worker].discard(index)
        heappush(self._returned["host" if index % self._nodes_per_group == 0 else "member"], index)

    def give_back_all(self, worker: str) -> None:
        """The worker is lost, and with it everybody who played there."""
        for index in list(self._holders.get(worker, ())):
            self.give_back(worker, index)

    def _next(self, role: Role) -> int:
        if self._returned[role]:
            return heappop(self._returned[role])
        number = self._taken[role]
        if role == "host":
            index = number * self._nodes_per_group
        else:
            if self._nodes_per_group < 2:
                raise ValueError("groups of this scenario have no members")
            group, position = divmod(number, self._nodes_per_group - 1)
            index = group * self._nodes_per_group + 1 + position
        self._taken[role] += 1
        return index
