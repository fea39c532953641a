"""The live view of a run: every process counts, the master (or the only process) adds up, prices and watches."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gevent
from locust.env import Environment
from locust.runners import WorkerRunner

from capacity.forecasting.forecast_record import Forecast
from capacity.forecasting.spend import Spend
from capacity.judgement.expect import LIVE, Threshold, parse_threshold
from capacity.record import EarlyStop
from capacity.scenario import Scenario
from locustfiles.live.state import Health, Live
from locustfiles.live.tally import Tally
from locustfiles.live.watch import Watch
from locustfiles.nodes.session import Session
from locustfiles.running.giving_up import give_up

logger = logging.getLogger(__name__)

LOOK_EVERY_S = 1.0
"""Between two looks. What a worker counted comes with its reports, every three seconds (Locust 2.47)."""
_FIELD = "meshcap_live"


class LiveRun:
    """One per process; `begin` is called where the run is decided, `count` where nodes are played."""

    def __init__(
        self,
        environment: Environment,
        scenario: Scenario,
        deliveries: Callable[[], int],
        stop: Callable[[EarlyStop], None],
    ) -> None:
        """Ends the process on options that are not valid, with every fault told."""
        self.state = Live()
        self._environment, self._scenario = environment, scenario
        self._deliveries, self._stop = deliveries, stop
        self._session: Session | None = None
        self._own, self._of_workers = Tally(), {}  # type: tuple[Tally, dict[str, dict[str, Any]]]
        self._cpu_at = (time.monotonic(), time.process_time())
        self._looking: gevent.Greenlet | None = None
        self._forecast: Forecast | None = None
        options: Any = environment.parsed_options
        self._abort = _thresholds(options.abort)
        self._max_usd: float | None = options.max_usd
        if isinstance(environment.runner, WorkerRunner):
            environment.events.report_to_master.add_listener(self._report)  # type: ignore[no-untyped-call]
            return
        environment.events.worker_report.add_listener(self._take_report)  # type: ignore[no-untyped-call]
        aborts = self._abort or any(each.abort_after_s is not None for each in scenario.expect)
        if aborts or self._max_usd is not None or options.metrics_port is not None:
            self._forecast = _forecast(Path(options.run_dir or "."), scenario)
        if options.metrics_port is not None:
            _serve(self, options.metrics_host, options.metrics_port, scenario)

    @property
    def forecast(self) -> Forecast | None:
        """The forecast that the run is watched by; None when nobody watches."""
        return self._forecast

    @property
    def max_usd(self) -> float | None:
        """The spend that ends the run."""
        return self._max_usd

    def count(self, session: Session) -> None:
        """Count the requests of this process's part of a run."""
        self._session, self._own = session, Tally()
        session.requests.on_batch = lambda batch: self._own.add_batch(batch)

    def begin(self, run_id: str, elapsed_s: Callable[[], float | None]) -> None:
        """A run begins: watch it until it is over."""
        self._of_workers.clear()
        self._own = Tally()
        self.state = Live(run_id)
        if self._looking is not None:
            self._looking.kill(block=False)
        if self._forecast is not None:
            self._looking = gevent.spawn(self._look, elapsed_s)

    def _look(self, elapsed_s: Callable[[], float | None]) -> None:
        assert self._forecast is not None
        spend, stopped = Spend(self._forecast), False
        watch = Watch(self._scenario.expect, self._abort, self._max_usd)
        while True:
            gevent.sleep(LOOK_EVERY_S)
            now = elapsed_s()
            if now is None:
                self.state.elapsed_s = None
                return
            self._refresh(now, spend)
            stop = None if stopped or now < 0 else watch.look(now, self.state.total, self.state.spend_usd)
            if stop is not None:
                stopped = True
                self._stop(stop)

    def _refresh(self, elapsed_s: float, spend: Spend) -> None:
        total, health = self._own.copy(), {}
        if self._session is not None:
            health["local"] = self._health()
        for worker, report in self._of_workers.items():
            total.add(report["rows"])
            health[worker] = Health(**report["health"])
        state = self.state
        state.elapsed_s, state.total, state.health = elapsed_s, total, health
        state.deliveries = self._deliveries()
        state.users = getattr(self._environment.runner, "user_count", 0)
        state.spend_usd = spend.advance(elapsed_s, {name: float(row[0]) for name, row in total.rows.items()})
        state.units = spend.units

    def _health(self) -> Health:
        now = (time.monotonic(), time.process_time())
        before, self._cpu_at = self._cpu_at, now
        lateness = self._session.lateness if self._session is not None else None
        return Health(
            cpu_ratio=(now[1] - before[1]) / max(1e-9, now[0] - before[0]),
            lateness_p99_s=None if lateness is None else lateness.quantile_s(0.99),
            lateness_max_s=0.0 if lateness is None else lateness.max_s,
        )

    def _report(self, data: dict[str, Any], **_: Any) -> None:
        worker = self._session.worker if self._session is not None else ""
        data[_FIELD] = {"worker": worker, "rows": self._own.message(), "health": vars(self._health())}

    def _take_report(self, client_id: str, data: dict[str, Any], **_: Any) -> None:
        report = data.get(_FIELD)
        if report and report["worker"]:
            self._of_workers[report["worker"]] = report


def _thresholds(text: str) -> list[Threshold]:
    found, faults = [], []
    for each in filter(None, (part.strip() for part in text.split(";"))):
        try:
            threshold = parse_threshold(each)
        except ValueError as fault:
            faults.append(f"--abort: {fault}")
            continue
        if threshold.figure not in LIVE:
            faults.append(f"--abort {each!r}: {threshold.figure} is known after the run; use {', '.join(LIVE)}")
        found.append(threshold)
    if faults:
        give_up("\n".join(faults))
    return found


def _forecast(run_dir: Path, scenario: Scenario) -> Forecast:
    from capacity.forecasting.forecast import forecast, read_forecast  # the model takes a moment to load

    written = read_forecast(run_dir)
    return written if written is not None and written.scenario_digest == scenario.digest() else forecast(scenario)


def _serve(live: LiveRun, host: str, port: int, scenario: Scenario) -> None:
    try:
        from locustfiles.live.exporter import serve
    except ModuleNotFoundError as fault:
        if fault.name != "prometheus_client":
            raise
        give_up("--metrics-port needs prometheus-client: pip install prometheus-client")
    try:
        address = serve(live, host, port)
    except OSError as fault:
        give_up(f"--metrics-port {port}: {fault.strerror or fault}; choose another, or 0 for any")
    logger.info("metrics of the live run: %s", address)
