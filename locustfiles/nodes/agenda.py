"""What is to be done at which moment, for every node of this process.

The agenda itself is pure: it is told the time. `locustfiles.nodes.scheduler` runs one in gevent's hub.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heappop, heappush

from capacity.scenario import STEADY, LoadClock

Action = Callable[[float], object]
"""Called with the moment at which it was due, in epoch seconds."""


class Agenda:
    """Actions by due time. Actions due at the same moment keep the order in which they were entered."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, int, Action]] = []
        self._entered = 0

    def enter(self, due_s: float, action: Action) -> bool:
        """Enter an action; returns whether it is now the earliest."""
        self._entered += 1
        heappush(self._entries, (due_s, self._entered, action))
        return self._entries[0][1] == self._entered

    @property
    def earliest_s(self) -> float | None:
        """When the next action is due; None when there is none."""
        return self._entries[0][0] if self._entries else None

    def take_due(self, now_s: float) -> Iterator[tuple[float, Action]]:
        """Remove and yield every action due by `now_s`, earliest first, those entered meanwhile included."""
        entries = self._entries
        while entries and entries[0][0] <= now_s:
            due_s, _, action = heappop(entries)
            yield due_s, action

    def __len__(self) -> int:
        return len(self._entries)


class Timer:
    """A periodic action on an absolute schedule: late ticks never move the later ones, and none is left out.

    The period is counted by `clock`. `follow` changes it from the next tick on, as a client that follows the server's
    interval does.
    """

    def __init__(
        self,
        enter: Callable[[float, Action], object],
        first_s: float,
        period_s: float,
        until_s: float,
        action: Action,
        clock: LoadClock = STEADY,
    ) -> None:
        self._enter = enter
        self._action = action
        self._due_s = first_s
        self._until_s = until_s
        self._clock = clock
        self.period_s = period_s
        self._generation = 0
        self._arm()

    def _arm(self) -> None:
        if self._due_s < self._until_s:
            generation = self._generation
            self._enter(self._due_s, lambda due_s: self._tick(due_s, generation))

    def _tick(self, due_s: float, generation: int) -> None:
        if generation != self._generation:
            return
        self._due_s = self._clock.after(due_s, self.period_s)
        self._arm()
        self._action(due_s)

    def follow(self, period_s: float, now_s: float) -> None:
        """Tick every `period_s` from now on, first one period from now; does nothing if that is the period already."""
        if period_s != self.period_s:
            self.stop()
            self.period_s = period_s
            self._due_s = now_s + period_s
            self._arm()

    def stop(self) -> None:
        """Never tick again."""
        self._generation += 1
