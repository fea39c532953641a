"""Metrics of a live run for Prometheus: what is sent, refused, delivered, consumed and spent, beside the forecast.

Counters and histograms run from the start of the run; forecast gauges hold the plan's figure of the present moment and
are absent while no run is on. `deploy/grafana` has a dashboard of these names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np
from gevent.pywsgi import WSGIServer
from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.exposition import make_wsgi_app
from prometheus_client.registry import Collector

from capacity.forecasting.forecast_record import Forecast
from locustfiles.live.tally import (
    EDGES_MS,
    FAILED,
    INTENDED,
    INTENDED_MS,
    RAW,
    RAW_MS,
    REFUSED,
    SENT,
    THROTTLED,
    WIDTH,
    Counts,
)

if TYPE_CHECKING:
    from locustfiles.live.live_run import LiveRun
    from locustfiles.live.state import Live

_BUCKETS = np.arange(40, 201, 8)
"""Of the tally's bins, five edges a decade from 1 ms to 10 s: what Prometheus is given."""


def serve(live: LiveRun, host: str, port: int) -> str:
    """Serve /metrics in this process; returns the address. Raises OSError when the port is taken."""
    registry = CollectorRegistry()
    registry.register(RunCollector(live))
    server = WSGIServer((host, port), make_wsgi_app(registry), log=None)
    server.start()
    return f"http://{server.server_host}:{server.server_port}/metrics"


class RunCollector(Collector):
    """Reads the state of the run anew at each scrape."""

    def __init__(self, live: LiveRun) -> None:
        self._live = live

    def describe(self) -> Iterator[Metric]:
        """Nothing is known before the first scrape; this keeps the registry from asking."""
        return iter(())

    def collect(self) -> Iterator[Metric]:
        """Every metric there is."""
        state = self._live.state
        yield _gauge("meshcap_elapsed_seconds", "Seconds since the zero of the run.", [((), state.elapsed_s)])
        planned = () if self._live.forecast is None else (each.name for each in self._live.forecast.operations)
        yield from _requests(dict.fromkeys(planned, np.zeros(WIDTH)) | state.total.rows)
        yield _counter("meshcap_deliveries", "Messages that simulated clients received.", [((), state.deliveries)])
        yield _counter(
            "meshcap_consumed_units",
            "Read and write units of what was sent, by the model; CloudWatch's come minutes later.",
            list(state.units.items()),
            ("resource", "kind"),
        )
        yield _gauge("meshcap_spend_usd", "Cost of what was sent, at list prices.", [((), state.spend_usd)])
        yield _gauge("meshcap_max_usd", "Spend that ends the run.", [((), self._live.max_usd)])
        yield _gauge("meshcap_users", "Locust users that run.", [((), state.users)])
        yield from _health(state)
        if self._live.forecast is not None:
            yield from _forecast(self._live.forecast, state.elapsed_s)


def _gauge(
    name: str, says: str, samples: Iterable[tuple[tuple[str, ...], float | None]], labels: tuple[str, ...] = ()
) -> Metric:
    family = GaugeMetricFamily(name, says, labels=labels)
    for values, figure in samples:
        if figure is not None:  # unknown is not zero
            family.add_metric(values, figure)
    return family


def _counter(
    name: str, says: str, samples: list[tuple[tuple[str, ...], float]], labels: tuple[str, ...] = ()
) -> Metric:
    family = CounterMetricFamily(name, says, labels=labels)
    for values, figure in samples:
        family.add_metric(values, figure)
    return family


def _requests(counted: Mapping[str, Counts]) -> Iterator[Metric]:
    """Counters by operation: planned ones are there from the start, since a rate misses what the first scrape has."""
    sent: list[tuple[tuple[str, ...], float]] = []
    for name, row in counted.items():
        refused, failed = row[REFUSED], row[FAILED]
        sent += [((name, "ok"), row[SENT] - refused - failed), ((name, "refused"), refused), ((name, "error"), failed)]
    yield _counter("meshcap_requests", "Requests answered, or given up.", sent, ("operation", "outcome"))
    throttled: list[tuple[tuple[str, ...], float]] = [((name,), row[THROTTLED]) for name, row in counted.items()]
    yield _counter("meshcap_throttles", "Requests answered with a throttle.", throttled, ("operation",))
    for metric, says, bins, at in (
        ("meshcap_request_intended_duration_seconds", "From the intended start to the answer.", INTENDED, INTENDED_MS),
        ("meshcap_request_duration_seconds", "From the actual start to the answer.", RAW, RAW_MS),
    ):
        family = HistogramMetricFamily(metric, says, labels=("operation",))
        for name, row in counted.items():
            below = np.cumsum(row[bins])
            buckets = [(f"{EDGES_MS[place] / 1000:.6g}", float(below[place])) for place in _BUCKETS]
            family.add_metric([name], [*buckets, ("+Inf", float(below[-1]))], row[at] / 1000)
        yield family


def _health(state: Live) -> Iterator[Metric]:
    def of(name: str, says: str, field: str) -> Metric:
        samples = [((worker,), getattr(each, field)) for worker, each in state.health.items()]
        return _gauge(name, says, samples, ("worker",))

    yield of("meshcap_generator_cpu_ratio", "Share of a core that a generator process uses.", "cpu_ratio")
    yield of("meshcap_generator_lateness_p99_seconds", "How late starts were, 99th percentile.", "lateness_p99_s")
    yield of("meshcap_generator_lateness_max_seconds", "The latest start.", "lateness_max_s")


def _forecast(plan: Forecast, elapsed_s: float | None) -> Iterator[Metric]:
    """The plan's figures of now."""
    on = elapsed_s is not None and 0 <= elapsed_s < plan.duration_s
    second = int(elapsed_s) if on and elapsed_s is not None else None
    step = None if second is None else second // plan.step_s

    def now(series: list[float] | list[int]) -> float | None:
        return None if step is None else series[min(step, len(series) - 1)] / plan.step_s

    rates: list[tuple[tuple[str, ...], float | None]] = [
        ((each.name,), None if second is None else float(each.requests_per_s[second])) for each in plan.operations
    ]
    yield _gauge("meshcap_forecast_requests_per_second", "Planned requests, now.", rates, ("operation",))
    mean = plan.deliveries.deliveries / plan.duration_s if on else None
    yield _gauge("meshcap_forecast_deliveries_per_second", "Planned deliveries, the run's mean.", [((), mean)])
    both = [(each, kind, getattr(each, kind)) for each in plan.resources for kind in ("read", "write")]
    for name, says, field in (
        ("meshcap_forecast_consumed_units_per_second", "Planned units, mean of ten seconds.", "units_per_step"),
        (
            "meshcap_forecast_throttles_per_second",
            "Planned throttles, mean of ten seconds.",
            "throttled_per_step",
        ),
    ):
        samples = [((each.name, kind), now(getattr(throughput, field))) for each, kind, throughput in both]
        yield _gauge(name, says, samples, ("resource", "kind"))
    yield _gauge("meshcap_forecast_spend_usd", "Planned cost of the whole run.", [((), plan.cost.run_usd)])
