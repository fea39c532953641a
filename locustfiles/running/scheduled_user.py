"""Users of a scenario whose workload has no groups: there from the beginning, each acting at moments of its plan."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator

import gevent
from locust import LoadTestShape, User, constant, task
from locust.exception import StopUser

from locustfiles.nodes.session import Session
from locustfiles.running.clock import now_s
from locustfiles.running.generator import generator
from locustfiles.running.run_plan import players

_A_LONG_TIME_S = 1e8

Send = Callable[[float], None]
"""Sends something that was meant to start at an epoch second."""


class ScheduledUser(User):
    """One user of a scenario; acts at the moments of its plan, late or not."""

    abstract = True
    wait_time = constant(_A_LONG_TIME_S)

    def on_start(self) -> None:
        index, session = generator.take_seat("host"), generator.session
        if index is None or session is None:
            raise StopUser("the scenario has no further user to play")
        self.index, self.session = index, session
        self.prepare()
        session.entered += 1

    def prepare(self) -> None:
        """Make ready what `plan` and its sends need; `index` and `session` are known."""

    @abstractmethod
    def plan(self) -> Iterator[tuple[float, Send]]:
        """What this user sends, in order: seconds from the start of the run, and how."""

    @task
    def act(self) -> None:
        """Everything that this user does; an answer that takes long holds nothing up."""
        session: Session = self.session
        for moment_s, send in self.plan():
            intended_s = session.start.start_s + moment_s
            gevent.sleep(max(0.0, intended_s - now_s()))
            if session.ended_s:
                return
            session.lateness.add(now_s() - intended_s)
            gevent.spawn(send, intended_s)

    def on_stop(self) -> None:
        generator.give_seat_back(self.index)


class EverybodyAtOnce(LoadTestShape):
    """The scenario's schedule: everybody at the beginning, each waiting for its moment, until the plan is over."""

    use_common_options = True

    def tick(self) -> tuple[int, float] | None:
        """All users; None once the run is over."""
        scenario = generator.scenario
        assert scenario is not None
        users = players(scenario)
        return None if users is None or generator.has_ended() else (users, float(users))
