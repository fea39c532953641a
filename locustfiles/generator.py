"""One process of the load generator: its options, its place among master and workers, and the run it takes part in."""

from __future__ import annotations

import itertools
import logging
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gevent.event import AsyncResult
from locust.env import Environment
from locust.runners import LocalRunner, MasterRunner, WorkerRunner

from capacity.record import run_id
from capacity.scenario import Scenario, ScenarioError, load_scenario
from locustfiles.clock import now_s
from locustfiles.record import begin_record
from locustfiles.seats import Role, Seating
from locustfiles.session import Session, Start

logger = logging.getLogger(__name__)

LEAD_S = 0.5
"""Time between Locust's start and the run's zero, so that the first nodes are there when the plan wants them."""
_ASK, _SEAT, _LEAVE = "meshcap_ask", "meshcap_seat", "meshcap_leave"


class Generator:
    """Ties Locust's events to a run. One per process; `begin` is called when Locust has its runner."""

    def __init__(self) -> None:
        self.scenario: Scenario | None = None
        self.session: Session | None = None
        self.start: Start | None = None
        self.leaving = False
        self._environment: Environment | None = None
        self._run_dir: Path | None = None
        self._seating: Seating | None = None
        self._tickets = itertools.count()
        self._waiting: dict[int, AsyncResult] = {}
        self._seats_given: dict[str, int] = {}

    # -- set up --------------------------------------------------------------------------------------------------

    def begin(self, environment: Environment) -> None:
        """Read the options and join master, workers or neither. Ends the process on a scenario that is not valid."""
        options = environment.parsed_options
        assert options is not None
        self._environment = environment
        try:
            self.scenario = load_scenario(Path(options.scenarios), options.scenario)
        except ScenarioError as fault:
            sys.stderr.write(f"{fault}\n")
            sys.exit(104)
        runner = environment.runner
        assert runner is not None
        if isinstance(runner, WorkerRunner | LocalRunner):
            runner.register_message(_SEAT, self._on_seat)
            runner.register_message(_LEAVE, self._on_leave)
        if isinstance(runner, MasterRunner | LocalRunner):
            runner.register_message(_ASK, self._on_ask)
        environment.events.test_start.add_listener(self._on_test_start)
        environment.events.test_stopping.add_listener(self._on_test_stopping)
        environment.events.test_stop.add_listener(self._on_test_stop)

    @property
    def is_worker(self) -> bool:
        """Whether a master elsewhere decides."""
        return self._environment is not None and isinstance(self._environment.runner, WorkerRunner)

    @property
    def run_dir(self) -> Path:
        """Where this run's files go."""
        assert self.start is not None
        return self._run_dir if self._run_dir is not None else Path("runs") / self.start.run_id

    def _on_test_start(self, **_: Any) -> None:
        assert self._environment is not None
        assert self.scenario is not None
        self.leaving = False
        self.session = None
        if self.is_worker:
            return
        options: Any = self._environment.parsed_options
        planned = self._environment.shape_class is not None
        population = self.scenario.population
        users = self._environment.runner.target_user_count  # type: ignore[union-attr]
        groups = population.groups if planned else -(-users // population.nodes_per_group)
        given = Path(options.run_dir) if options.run_dir else None
        name = given.name if given else run_id(datetime.now(UTC), options.scenario)
        self._run_dir = given
        self.start = Start(name, now_s() + LEAD_S, groups, planned)
        self._seating = Seating(population.nodes_per_group)
        self._seats_given = {}
        self.run_dir.mkdir(parents=True, exist_ok=True)
        begin_record(self.run_dir, self.start, self.scenario, options.scenario, self._environment.host or "")

    # -- seats ---------------------------------------------------------------------------------------------------

    def take_seat(self, role: Role) -> int:
        """The node that the calling user plays; waits for the master's answer. The session stands when this returns."""
        assert self._environment is not None
        ticket = next(self._tickets)
        answer = self._waiting[ticket] = AsyncResult()
        self._environment.runner.send_message(  # type: ignore[union-attr]
            _ASK, {"ticket": ticket, "role": role, "asked_s": now_s(), "worker": self._worker_name()}
        )
        try:
            return int(answer.get(timeout=30))
        finally:
            del self._waiting[ticket]

    def _worker_name(self) -> str:
        runner = self._environment.runner  # type: ignore[union-attr]
        return f"worker{runner.worker_index}" if isinstance(runner, WorkerRunner) else "local"

    def _on_ask(self, environment: Environment, msg: Any, **_: Any) -> None:
        assert self.start is not None
        assert self._seating is not None
        data = msg.data
        self._seats_given[data["worker"]] = self._seats_given.get(data["worker"], 0) + 1
        start = self.start
        environment.runner.send_message(  # type: ignore[union-attr]
            _SEAT,
            {
                "ticket": data["ticket"],
                "index": self._seating.take(data["role"]),
                "asked_s": data["asked_s"],
                "answered_s": now_s(),
                "start": [start.run_id, start.start_s, start.groups, start.planned],
            },
            msg.node_id if isinstance(environment.runner, MasterRunner) else None,
        )

    def _on_seat(self, environment: Environment, msg: Any, **_: Any) -> None:
        data = msg.data
        if self.session is None:
            self._open_session(data)
        waiting = self._waiting.get(data["ticket"])
        if waiting is not None:
            waiting.set(data["index"])

    def _open_session(self, data: dict[str, Any]) -> None:
        assert self._environment is not None
        assert self.scenario is not None
        name, start_s, groups, planned = data["start"]
        offset_s, error_s = 0.0, 0.0
        if self.is_worker:  # the master's clock, as seen from here: off by at most half of the round trip
            received_s = now_s()
            error_s = (received_s - data["asked_s"]) / 2
            offset_s = data["answered_s"] - (received_s + data["asked_s"]) / 2
            if abs(offset_s) <= error_s:
                offset_s = 0.0
        self.start = Start(name, start_s - offset_s, groups, planned)
        options: Any = self._environment.parsed_options
        self._run_dir = Path(options.run_dir) if options.run_dir else None
        self.session = Session(
            self.scenario, self.start, self.run_dir, self._worker_name(), self._environment.host or "", options.api_key
        )
        self.session.clock_offset_s, self.session.clock_error_s = offset_s, error_s

    # -- the end -------------------------------------------------------------------------------------------------

    def _on_leave(self, **_: Any) -> None:
        """The master says that the run is over."""

    def _on_test_stopping(self, **_: Any) -> None:
        self.leaving = True
        if self.is_worker:  # the master's end interrupts its children again; leaving must not be cut short by it
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _on_test_stop(self, **_: Any) -> None:
        from locustfiles.merge import merge_run

        if self.session is not None:
            self.session.finish()
        if self._environment is not None and isinstance(self._environment.runner, LocalRunner) and self.start:
            merge_run(self.run_dir, workers=1)


generator = Generator()
