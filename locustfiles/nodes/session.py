"""What all nodes of one process share during one run: plan, marks of time, scheduler, and the parts they write."""

from __future__ import annotations

import gc
import ssl
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import gevent
import gevent.ssl
import orjson
from gevent.pool import Group

from capacity.scenario import Scenario
from locustfiles.nodes.plan import Member, Plan
from locustfiles.nodes.scheduler import Scheduler
from locustfiles.running.clock import now_s
from locustfiles.running.lateness import Lateness
from locustfiles.running.parts import STREAMS, PartStream

FLUSH_EVERY_S, LOOK_EVERY_S, FLUSH_ROWS = 1.0, 0.1, 500
LEAVE_SPREAD_S, HOST_STAYS_S, LEAVE_TIMEOUT_S = 0.5, 1.0, 30.0

TLS: ssl.SSLContext = gevent.ssl.create_default_context()
"""One for the whole process: loading the CA bundle takes 16 ms and 0.8 MB."""


@dataclass(frozen=True)
class Start:
    """What the master, or a single process, decides about a run; every worker gets it with its first seat."""

    run_id: str
    start_s: float
    """Epoch seconds of the run's zero, by the clock of the process that holds it."""
    groups: int
    planned: bool
    """Whether the scenario's schedule is in force; otherwise nodes arrive and stay as Locust spawns and stops them."""


@dataclass(frozen=True)
class ClockOffset:
    """How far the master's clock is ahead of a worker's, and by how much that may be wrong."""

    offset_s: float = 0.0
    error_s: float = 0.0


class Leaver(Protocol):
    """What a session has to know of a node."""

    place: Member

    def end(self) -> None:
        """Leave for good."""


class _Running:
    """Mean and maximum of figures that are not kept."""

    def __init__(self) -> None:
        self.count, self._sum = 0, 0.0
        self.largest: float | None = None

    def add(self, figure: float) -> None:
        self.count += 1
        self._sum += figure
        self.largest = figure if self.largest is None else max(self.largest, figure)

    @property
    def mean(self) -> float | None:
        return self._sum / self.count if self.count else None


class Session:
    """One run in one process."""

    def __init__(
        self,
        scenario: Scenario,
        start: Start,
        run_dir: Path,
        worker: str,
        graphql_url: str,
        api_key: str,
        clock: ClockOffset,
    ) -> None:
        self.scenario = scenario
        self.start = start
        self.plan = Plan(scenario, start.run_id, start.groups, start.planned)
        self.graphql_url = graphql_url
        self.api_key = api_key
        self.tls = TLS
        self.worker = worker
        self.notes: Counter[str] = Counter()
        """Things that happened and how often, for the run's record."""
        self.on_write_fault: Callable[[OSError], object] = lambda fault: None
        """Told once when the record can no longer be written; nothing is flushed from then on."""
        self.entered = 0
        """Nodes that got into their group."""
        self.ended_s = 0.0
        """When the end began, by plan or by interruption; 0 while the run goes on."""
        self.lateness = Lateness()
        self.scheduler = Scheduler(self.lateness)
        schedule = scenario.schedule
        self.measuring_from_s = start.start_s + schedule.measuring_from_s
        self.sending_until_s = start.start_s + schedule.sending_s if start.planned else float("inf")
        self._parts_dir = run_dir / "parts"
        self._parts_dir.mkdir(parents=True, exist_ok=True)
        self._streams = {
            name: PartStream(self._parts_dir / f"{worker}.{name}.arrows", schema) for name, schema in STREAMS.items()
        }
        self.requests = self._streams["requests"]
        self.publications = self._streams["publications"]
        self.receptions = self._streams["receptions"]
        self.presences = self._streams["presences"]
        self.cursors = self._streams["cursors"]
        self._indices: dict[str, int] = {}
        self._cpu_percent, self._waited_percent = _Running(), _Running()
        self._leaving = Group()
        self._keeper = gevent.spawn(self._keep)
        (self._parts_dir / f"{worker}.clock.json").write_bytes(orjson.dumps(asdict(clock)))
        self._nodes: list[Leaver] = []
        self._finished = False
        _spare_the_collector()
        if start.planned:
            self.scheduler.enter(self.measuring_from_s, self._begin_measuring)

    now_s = staticmethod(now_s)

    def index_of(self, node_name: str) -> int:
        """The index of a node of this run; -1 for a name that is not one of ours."""
        index = self._indices.get(node_name)
        if index is None:
            prefix, _, digits = node_name.rpartition("-n")
            index = int(digits) if prefix == self.start.run_id and digits.isdecimal() else -1
            self._indices[node_name] = index
        return index

    def add(self, node: Leaver) -> None:
        """A node that has to leave in the end, or when its lesson is over."""
        self._nodes.append(node)
        leaves_s = self.plan.leaves_s(node.place.index)
        if leaves_s is not None:
            self.scheduler.enter(self.start.start_s + leaves_s, lambda _: self.leave_later(node))

    def leave_all(self) -> None:
        """Everybody leaves, members first; returns when the last has gone."""
        self.ended_s = self.ended_s or now_s()
        for node in self._nodes:
            self.leave_later(node)
        self._leaving.join(timeout=LEAVE_TIMEOUT_S)

    def leave_later(self, node: Leaver) -> gevent.Greenlet:
        """Let a node leave in a greenlet that outlives its Locust user, so that no kill leaves anything behind.

        Members go within half a second, hosts dissolve their groups when everybody has gone.
        """
        greenlet = gevent.Greenlet(node.end)
        self._leaving.add(greenlet)
        delay_s = LEAVE_SPREAD_S * self.plan.phase("heartbeat", node.place.index)
        greenlet.start_later(HOST_STAYS_S if node.place.is_host else delay_s)
        return greenlet

    def finish(self) -> None:
        """Wait for the last nodes to leave, flush everything, and write what this process has to say of itself."""
        if self._finished:
            return
        self._finished = True
        self.ended_s = self.ended_s or now_s()
        self._leaving.join(timeout=LEAVE_TIMEOUT_S)
        self._keeper.kill()
        try:
            for stream in self._streams.values():
                stream.close()
            self._write_summary()
        except OSError as fault:
            self.on_write_fault(fault)

    def _write_summary(self) -> None:
        cpu, waited = self._cpu_percent, self._waited_percent
        summary = {
            "worker": self.worker,
            "ended_s": self.ended_s,
            "lateness_counts": self.lateness.counts(),
            "lateness_max_s": self.lateness.max_s,
            "cpu_mean_percent": cpu.mean,
            "cpu_max_percent": cpu.largest,
            "waited_mean_percent": waited.mean,
            "entered": self.entered,
            "notes": dict(self.notes),
        }
        (self._parts_dir / f"{self.worker}.summary.json").write_bytes(orjson.dumps(summary))

    def _begin_measuring(self, _: float) -> None:
        """From here on punctuality counts."""
        self.lateness = self.scheduler.lateness = Lateness()

    def _keep(self) -> None:
        """Flush the parts and watch the process's CPU.

        Everything is flushed once a second; what grows fast more often, so that no flush holds the senders up for long.
        """
        wall_s, cpu_s, waited_s = now_s(), time.process_time(), _waited_s()
        while True:
            gevent.sleep(LOOK_EVERY_S)
            now = now_s()
            due = now >= wall_s + FLUSH_EVERY_S
            for stream in self._streams.values():
                if due or stream.waiting >= FLUSH_ROWS:
                    try:
                        stream.flush()
                    except OSError as fault:
                        self.on_write_fault(fault)
                        return
                    gevent.sleep(0)
            if due:
                cpu, waited = time.process_time(), _waited_s()
                if not self.start.planned or (self.measuring_from_s <= wall_s and now <= self.sending_until_s):
                    self._cpu_percent.add(100 * (cpu - cpu_s) / (now - wall_s))
                    if waited is not None and waited_s is not None:
                        self._waited_percent.add(100 * (waited - waited_s) / (now - wall_s))
                wall_s, cpu_s, waited_s = now, cpu, waited


def _waited_s() -> float | None:
    """Seconds that this process was ready to run but had no processor; None where the system does not say."""
    try:
        return int(Path("/proc/self/schedstat").read_text(encoding="ascii").split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return None


def _spare_the_collector() -> None:
    """Keep what is loaded out of Python's garbage collections: each full one would stop the senders for 0.1 s."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
