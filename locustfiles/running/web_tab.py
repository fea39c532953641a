"""A tab in Locust's web interface: what was forecast for this moment beside what is sent, delivered and measured."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import flask
import gevent
import pandas as pd
from locust.env import Environment

from capacity.forecasting.forecast import Forecast, forecast
from capacity.measurement.cloudwatch import CloudWatchError, CloudWatchReader, Patience, cloudwatch_client
from capacity.measurement.metric_catalogue import Dimensions, MetricQuery
from capacity.record import Target
from capacity.scenario import Scenario
from capacity.workloads.registry import workload_of

logger = logging.getLogger(__name__)

KEY, TITLE = "mesh", "Mesh v2"
COLUMNS = (("name", "Figure"), ("unit", "Unit"), ("forecast", "Forecast now"), ("measured", "Measured"))
READ_EVERY_S, LOOK_BACK_S = 10.0, 90.0
_UNITS = {"read": "ConsumedReadCapacityUnits", "write": "ConsumedWriteCapacityUnits"}
_THROTTLES = {"read": "ReadThrottleEvents", "write": "WriteThrottleEvents"}
UNKNOWN = "unknown"


@dataclass
class Measured:
    """What is known of the present: rates per second by operation, deliveries, and CloudWatch by (resource, metric)."""

    requests_per_s: dict[str, float] = field(default_factory=dict)
    deliveries_per_s: float = 0.0
    cloudwatch: dict[tuple[str, str], float] = field(default_factory=dict)


def rows(plan: Forecast, measured: Measured, elapsed_s: float | None) -> list[dict[str, str]]:
    """The table of the tab. `elapsed_s` is None while no run is on; a figure nobody knows says so."""
    second = None if elapsed_s is None or not 0 <= elapsed_s < plan.duration_s else int(elapsed_s)
    table: list[dict[str, str]] = []

    def add(name: str, unit: str, planned: float | None, found: float | None) -> None:
        texts = [UNKNOWN if figure is None else f"{figure:,.1f}" for figure in (planned, found)]
        table.append({"name": name, "safe_name": name, "unit": unit, "forecast": texts[0], "measured": texts[1]})

    sent = sum(measured.requests_per_s.values())
    planned = None if second is None else float(sum(each.requests_per_s[second] for each in plan.operations))
    add("all operations", "requests/s", planned, sent)
    for operation in plan.operations:
        now = None if second is None else float(operation.requests_per_s[second])
        add(operation.name, "requests/s", now, measured.requests_per_s.get(operation.name, 0.0))
    add("deliveries", "messages/s", plan.deliveries.deliveries / plan.duration_s, measured.deliveries_per_s)
    for resource in plan.resources:
        for kind in ("read", "write"):
            throughput = getattr(resource, kind)
            step = None if second is None else min(second // plan.step_s, len(throughput.units_per_step) - 1)
            units = None if step is None else throughput.units_per_step[step] / plan.step_s
            add(f"{resource.name}, {kind}", "units/s", units, measured.cloudwatch.get((resource.name, _UNITS[kind])))
            throttled = None if step is None else throughput.throttled_per_step[step] / plan.step_s
            found = measured.cloudwatch.get((resource.name, _THROTTLES[kind]))
            if throttled or found:
                add(f"{resource.name}, {kind} throttles", "events/s", throttled, found)
    return table


class MeshTab:
    """Adds the tab and keeps its figures fresh; lives on the master, or in the only process."""

    def __init__(
        self,
        environment: Environment,
        scenario: Scenario,
        elapsed_s: Callable[[], float | None],
        deliveries: Callable[[], int],
        target: Callable[[], Target | None],
    ) -> None:
        """`deliveries` counts messages since the start, `target` says where the metrics of the present run stand."""
        self._environment = environment
        self._plan = forecast(scenario)
        self._scenario = scenario
        self._elapsed_s = elapsed_s
        self._deliveries = deliveries
        self._target = target
        self._measured = Measured()
        web_ui: Any = environment.web_ui
        structure = [{"key": key, "title": title} for key, title in COLUMNS]
        web_ui.template_args["extended_tabs"] = [{"title": TITLE, "key": KEY}]
        web_ui.template_args["extended_tables"] = [{"key": KEY, "structure": structure}]
        web_ui.app.after_request(self._extend)
        gevent.spawn(self._watch_deliveries)
        gevent.spawn(self._watch_cloudwatch)

    def _extend(self, response: flask.Response) -> flask.Response:
        if flask.request.path == "/stats/requests" and response.is_json:
            entries: Any = self._environment.stats.entries
            self._measured.requests_per_s = {name: entry.current_rps for (name, _), entry in entries.items()}
            table = rows(self._plan, self._measured, self._elapsed_s())
            stats = {"extended_stats": [{"key": KEY, "data": table}]}
            response.set_data(flask.json.dumps({**response.get_json(), **stats}))
        return response

    def _watch_deliveries(self) -> None:
        before, before_s = self._deliveries(), time.monotonic()
        while True:
            gevent.sleep(2)
            now, now_s = self._deliveries(), time.monotonic()
            self._measured.deliveries_per_s = max(0, now - before) / (now_s - before_s)
            before, before_s = now, now_s

    def _watch_cloudwatch(self) -> None:
        while True:
            gevent.sleep(READ_EVERY_S)
            target = self._target()
            if target is None or self._elapsed_s() is None or target.table_name == UNKNOWN:
                continue
            try:
                self._measured.cloudwatch = _last_rates(target, self._scenario)
            except CloudWatchError as fault:
                self._measured.cloudwatch = {}
                logger.warning("the Mesh v2 tab has no metrics: %s", fault)


def _last_rates(target: Target, scenario: Scenario) -> dict[tuple[str, str], float]:
    """Per (resource, metric) the rate per second in the last whole period that has a point."""
    table: Dimensions = (("TableName", target.table_name),)
    resources: dict[str, Dimensions] = {"table": table}
    for index in workload_of(scenario).table.indexes:
        resources[index.name] = (("GlobalSecondaryIndexName", index.name), *table)
    names = {dimensions: name for name, dimensions in resources.items()}
    queries = [
        MetricQuery("AWS/DynamoDB", metric, dimensions, ("Sum",))
        for dimensions in resources.values()
        for metric in (*_UNITS.values(), *_THROTTLES.values())
    ]
    client = cloudwatch_client(target.region, target.aws_endpoint_url)
    now_s = time.time()
    once = Patience(total_s=0, settle_s=0)
    points = CloudWatchReader(client).read(queries, now_s - LOOK_BACK_S, now_s, patience=once).metrics.dropna()
    ends = points["timestamp"] + pd.to_timedelta(points["period_s"], unit="s")
    whole = points[ends <= pd.Timestamp(now_s, unit="s", tz="UTC")]
    rates: dict[tuple[str, str], float] = {}
    for query in queries:
        chosen = whole[(whole["metric"] == query.metric) & (whole["dimensions"] == query.dimension_text)]
        if len(chosen):
            last = chosen.sort_values("timestamp").iloc[-1]
            rates[names[query.dimensions], query.metric] = float(last["value"]) / float(last["period_s"])
    return rates
