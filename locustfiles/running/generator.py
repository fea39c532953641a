"""One process of the load generator: its options, its place among master and workers, and the run it takes part in.

The master (or the single process) decides when a run starts, gives out seats, asks everybody to leave when the plan is
over, and merges what the workers wrote. Everything else each worker does by itself.
"""

from __future__ import annotations

import atexit
import itertools
import logging
import os
import signal
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import gevent
import orjson
from gevent.event import AsyncResult
from locust.env import Environment
from locust.runners import STATE_CLEANUP, STATE_MISSING, STATE_STOPPED, LocalRunner, MasterRunner, WorkerRunner

from capacity.record import EarlyStop, Target, read_run, run_id, update_run
from capacity.scenario import Scenario, ScenarioError, load_scenario
from locustfiles.ledger.delivery_count import DeliveryCount
from locustfiles.live.live_run import LiveRun
from locustfiles.network.target_url import target_fault
from locustfiles.nodes.seats import Role, Seating
from locustfiles.nodes.session import LEAVE_TIMEOUT_S, ClockOffset, Session, Start
from locustfiles.running import part_transfer
from locustfiles.running.clock import now_s
from locustfiles.running.departures import Departures
from locustfiles.running.giving_up import give_up
from locustfiles.running.interruption import end_on_interrupt, end_with_parent
from locustfiles.running.merge import merge_run
from locustfiles.running.record import begin_record, unused_run_dir
from locustfiles.running.run_plan import players

logger = logging.getLogger(__name__)

LEAD_S = 0.5
"""Time between Locust's start and the run's zero, so that the first nodes are there when the plan wants them."""
_ASK, _SEAT, _BACK = "meshcap_ask", "meshcap_seat", "meshcap_back"
_LEAVE, _LEFT, _FETCH, _PART = "meshcap_leave", "meshcap_left", "meshcap_fetch", "meshcap_part"


class Generator:
    """Ties Locust's events to a run. One per process; `begin` is called when Locust has its runner."""

    def __init__(self) -> None:
        self.scenario: Scenario | None = None
        self.session: Session | None = None
        self.start: Start | None = None
        self._environment: Environment
        self._options: Any = None
        self._seating: Seating | None = None
        self._tickets = itertools.count()
        self._waiting: dict[int, AsyncResult] = {}
        self._departures = Departures()
        self._deliveries: DeliveryCount
        self._live: LiveRun
        self._stopped = False
        self._merged = False

    # -- set up --------------------------------------------------------------------------------------------------

    def begin(self, environment: Environment, workload: str) -> Scenario:
        """Read the options and join master, workers or neither.

        Ends the process on a scenario that is not valid, or that runs another workload than the calling locustfile.
        """
        self._environment, self._options = environment, environment.parsed_options
        try:
            self.scenario = load_scenario(Path(self._options.scenarios), self._options.scenario)
        except ScenarioError as fault:
            give_up(str(fault))
        if (named := self.scenario.workload.name) != workload:
            give_up(
                f"scenario {self._options.scenario} runs workload {named}; locustfiles/{workload}.py runs {workload} "
                f"alone: take locustfiles/{named}.py"
            )
        if self._options.headless and not self.is_worker:
            self._permit_target()
        if isinstance(self._runner, WorkerRunner | LocalRunner):
            self._runner.register_message(_SEAT, self._on_seat)
            self._runner.register_message(_LEAVE, self._on_leave, concurrent=True)
            self._runner.register_message(_FETCH, self._on_fetch, concurrent=True)
        if isinstance(self._runner, MasterRunner | LocalRunner):
            self._runner.register_message(_ASK, self._on_ask)
            self._runner.register_message(_BACK, self._on_back)
            self._runner.register_message(_LEFT, self._on_left)
            self._runner.register_message(_PART, self._on_part)
        self._deliveries = DeliveryCount(
            environment.events, lambda: self.session.receptions.count if self.session is not None else 0
        )
        self._live = LiveRun(environment, self.scenario, lambda: self._deliveries.total, self._stop_early)
        environment.events.test_start.add_listener(self._on_test_start)  # type: ignore[no-untyped-call]
        environment.events.test_stopping.add_listener(self._on_test_stopping)  # type: ignore[no-untyped-call]
        environment.events.test_stop.add_listener(self._on_test_stop)  # type: ignore[no-untyped-call]
        supervised = bool(os.environ.get("MESHCAP_SUPERVISED"))
        end_on_interrupt(once=not supervised)
        if supervised:
            self._options.only_summary = True  # nobody watches the table that Locust prints every two seconds
            gevent.spawn(end_with_parent, os.getppid())
        if environment.web_ui is not None:
            from locustfiles.running.web_tab import MeshTab  # the forecast behind it takes a second to load

            MeshTab(environment, self.scenario, self.elapsed_s, lambda: self._deliveries.total, self._target)
        return self.scenario

    def elapsed_s(self) -> float | None:
        """Seconds since the zero of the run; None when none is on."""
        return None if self.start is None or self._merged else now_s() - self.start.start_s

    def _target(self) -> Target | None:
        return None if self.start is None else read_run(self.run_dir).target

    @property
    def _runner(self) -> Any:
        return self._environment.runner

    @property
    def is_worker(self) -> bool:
        """Whether a master elsewhere decides."""
        return isinstance(self._runner, WorkerRunner)

    @property
    def _worker(self) -> str:
        return f"worker{self._runner.worker_index}" if self.is_worker else "local"

    @property
    def run_dir(self) -> Path:
        """Where this run's files go."""
        assert self.start is not None
        given = self._options.run_dir
        return Path(given).with_name(self.start.run_id) if given else Path("runs") / self.start.run_id

    def _on_test_start(self, **_: Any) -> None:
        assert self.scenario is not None
        self.session = None
        if self.is_worker:
            return
        self._permit_target()  # the web interface lets people change it
        planned = self._environment.shape_class is not None
        population = self.scenario.population
        groups = self.scenario.groups if planned else -(-self._runner.target_user_count // population.nodes_per_group)
        if planned:
            groups = players(self.scenario) or groups
        given = self._options.run_dir
        name = unused_run_dir(Path(given)).name if given else run_id(datetime.now(UTC), self._options.scenario)
        self.start = Start(name, now_s() + LEAD_S, groups, planned)
        self._seating = Seating(population.nodes_per_group)
        self._departures, self._merged, self._stopped = Departures(), False, False
        self._deliveries.reset()
        parts = self.run_dir / "parts"
        parts.mkdir(parents=True, exist_ok=True)
        (parts / "start.json").write_bytes(orjson.dumps(asdict(self.start)))
        begin_record(self.run_dir, self.start, self.scenario, self._options.scenario, self._environment.host or "")
        self._live.begin(self.start.run_id, self.elapsed_s)

    def _permit_target(self) -> None:
        path = "/graphql" if self.scenario is None or self.scenario.workload.name == "mesh" else ""
        fault = target_fault(self._environment.host, self._options.i_own_this_endpoint, needs_path=bool(path))
        if fault is not None:
            give_up(f"{fault}; give it like -H http://127.0.0.1:8080{path}")

    # -- seats ---------------------------------------------------------------------------------------------------

    def take_seat(self, role: Role) -> int | None:
        """The node that the calling user plays, None when all are taken. The session stands when this returns."""
        ticket = next(self._tickets)
        answer = self._waiting[ticket] = AsyncResult()
        self._runner.send_message(_ASK, {"ticket": ticket, "role": role, "asked_s": now_s(), "worker": self._worker})
        try:
            index: int | None = answer.get(timeout=30)
        finally:
            del self._waiting[ticket]
        return index

    def give_seat_back(self, index: int) -> None:
        """The user has stopped; while the run goes on, another may play its node."""
        if self.session is not None and not self.session.ended_s:
            self._runner.send_message(_BACK, {"worker": self._worker, "index": index})

    def _on_ask(self, environment: Environment, msg: Any, **_: Any) -> None:
        assert self.start is not None
        assert self._seating is not None
        data, start = msg.data, self.start
        self._departures.met(data["worker"], msg.node_id)
        index: int | None = self._seating.take(data["role"], data["worker"])
        if start.planned and index is not None and index >= start.groups * self.scenario.population.nodes_per_group:  # type: ignore[union-attr]
            index = None
        self._runner.send_message(
            _SEAT,
            {
                "ticket": data["ticket"],
                "index": index,
                "asked_s": data["asked_s"],
                "answered_s": now_s(),
                "start": asdict(start),
            },
            msg.node_id,
        )

    def _on_back(self, msg: Any, **_: Any) -> None:
        if self._seating is not None:
            self._seating.give_back(msg.data["worker"], msg.data["index"])

    def _on_seat(self, msg: Any, **_: Any) -> None:
        if self.session is None:
            self._open_session(msg.data)
        waiting = self._waiting.get(msg.data["ticket"])
        if waiting is not None:
            waiting.set(msg.data["index"])

    def _open_session(self, data: dict[str, Any]) -> None:
        assert self.scenario is not None
        start = Start(**data["start"])
        clock = ClockOffset()
        if self.is_worker:  # the master's clock as seen from here, wrong by at most half of the round trip
            received_s = now_s()
            error_s = (received_s - data["asked_s"]) / 2
            offset_s = data["answered_s"] - (received_s + data["asked_s"]) / 2
            clock = ClockOffset(offset_s if abs(offset_s) > error_s else 0.0, error_s)
            start = Start(start.run_id, start.start_s - clock.offset_s, start.groups, start.planned)
        self.start = start
        target, api_key = self._environment.host or "", getattr(self._options, "api_key", "")
        self.session = Session(self.scenario, start, self.run_dir, self._worker, target, api_key, clock)
        self.session.on_write_fault = self._stop_unrecorded
        self._live.count(self.session)

    # -- the end -------------------------------------------------------------------------------------------------

    def has_ended(self) -> bool:
        """For the schedule, once a second: after the plan's end everybody is asked to leave; True when all have."""
        if self.start is None or self.scenario is None or self._seating is None:
            return False
        if isinstance(self._runner, MasterRunner):
            alive = [client.id for client in self._runner.clients.all if client.state != STATE_MISSING]
            for worker in self._departures.notice(alive):
                self._seating.give_back_all(worker)
        if not self._stopped and now_s() < self.start.start_s + self.scenario.schedule.total_s:
            return False
        if self._departures.begin(now_s()):
            self._runner.send_message(_LEAVE, None)
        return self._departures.are_over(now_s())

    def _on_leave(self, **_: Any) -> None:
        if self.session is None:
            return
        leaving = gevent.spawn(self._leave)
        if self.is_worker:
            leaving.join()

    def _leave(self) -> None:
        assert self.session is not None
        self.session.leave_all()
        self.session.finish()
        self._say_left()

    def _say_left(self) -> None:
        files = part_transfer.sizes(self.run_dir / "parts", self._worker)
        self._runner.send_message(_LEFT, {"worker": self._worker, "files": files})

    def _on_left(self, msg: Any, **_: Any) -> None:
        """A worker's nodes have gone. If its parts are on another machine they are fetched before it counts as done."""
        self._departures.progress(now_s())
        missing = part_transfer.missing(self.run_dir / "parts", msg.data["files"])
        if missing:
            self._runner.send_message(_FETCH, {"names": missing}, msg.node_id)
        else:
            self._departures.left(msg.data["worker"])

    def _on_fetch(self, msg: Any, **_: Any) -> None:
        for chunk in part_transfer.chunks(self.run_dir / "parts", msg.data["names"]):
            self._runner.send_message(_PART, chunk)
        self._say_left()

    def _on_part(self, msg: Any, **_: Any) -> None:
        self._departures.progress(now_s())
        part_transfer.write_chunk(self.run_dir / "parts", msg.data)

    def _stop_unrecorded(self, fault: OSError) -> None:
        """A run that is not recorded is of no use, and its rows would fill the memory: everybody leaves now."""
        logger.error("%s cannot be written: %s; the run ends here", self.run_dir / "parts", fault.strerror or fault)
        if self._runner.state not in (STATE_CLEANUP, STATE_STOPPED):
            gevent.spawn(self._runner.quit)

    def _stop_early(self, stop: EarlyStop) -> None:
        """The run ends itself as it would at the end of its plan: everybody leaves, and the record is whole."""
        assert self.start is not None
        logger.error("the run has %s", stop.sentence)
        update_run(self.run_dir, stopped=stop)
        self._stopped = True
        if self._environment.shape_class is None:  # no schedule asks whether it has ended
            gevent.spawn(self._runner.quit if self._options.headless else self._runner.stop)

    def _on_test_stopping(self, **_: Any) -> None:
        if self.is_worker:  # the master's end interrupts its children again; leaving must not be cut short by it
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    def _on_test_stop(self, **_: Any) -> None:
        if self.session is not None:
            self.session.finish()
        if isinstance(self._runner, LocalRunner):
            self._merge()
        elif isinstance(self._runner, MasterRunner):
            # A headless master ends at once and its children with it: they are waited for at the process's exit.
            atexit.register(self._merge) if self._options.headless else gevent.spawn(self._merge)

    def _merge(self) -> None:
        """Merge the parts of everybody who took part, once; waits for those who are still leaving."""
        if self.start is None or self._seating is None or self._merged:
            return
        self._merged = True
        workers = self._seating.workers
        away = set() if isinstance(self._runner, LocalRunner) else workers - self._departures.lost
        awaited = [self.run_dir / "parts" / f"{worker}.summary.json" for worker in away]
        with gevent.Timeout(LEAVE_TIMEOUT_S, False):
            while not all(path.exists() for path in awaited):
                gevent.sleep(0.1)
        try:
            merge_run(self.run_dir, len(workers))
        except OSError as fault:
            logger.error(
                "the record in %s cannot be written: %s; parts are kept", self.run_dir, fault.strerror or fault
            )


generator = Generator()
