"""Runs an agenda in gevent's hub: one timer for the whole process, a greenlet of the crew for each action."""

from __future__ import annotations

from typing import Any

import gevent

from locustfiles.nodes.agenda import Action, Agenda
from locustfiles.nodes.crew import Crew
from locustfiles.running.clock import now_s
from locustfiles.running.lateness import Lateness


class Scheduler:
    """Starts each entered action when it is due, free to block, and keeps account of how late it was."""

    def __init__(self, lateness: Lateness) -> None:
        self._agenda = Agenda()
        self.lateness = lateness
        self._crew = Crew()
        self._timer: Any = None

    def enter(self, due_s: float, action: Action) -> None:
        """Run `action(due_s)` at `due_s`, epoch seconds."""
        if self._agenda.enter(due_s, action):
            self._arm()

    def start(self, action: Action, due_s: float) -> None:
        """Run `action(due_s)` as soon as the hub is free; why it is late is not the generator's doing."""
        gevent.get_hub().loop.run_callback(self._crew.run, action, due_s)

    def _arm(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer.close()
            self._timer = None
        earliest_s = self._agenda.earliest_s
        if earliest_s is not None:
            self._timer = gevent.get_hub().loop.timer(max(0.0, earliest_s - now_s()))
            self._timer.start(self._run_due)

    def _run_due(self) -> None:
        for due_s, action in self._agenda.take_due(now_s()):
            self.lateness.add(now_s() - due_s)
            self._crew.run(action, due_s)
        self._arm()
