"""Plays planned requests against the sandbox's resolvers and engine in process, on a clock that stands where it is put.

What comes back is what a run leaves behind: the requests as in requests.parquet, and CloudWatch's points as in
metrics.parquet. The clients are as thin as can be: they keep their cursor and the id of their group.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson
import pyarrow as pa

from capacity.run_tables import METRICS, REQUESTS, dimension_text
from capacity.scenario import Scenario
from capacity.workloads.mesh.layouts import table_of
from capacity.workloads.mesh.plan import planned_requests
from capacity.workloads.mesh.requests import OPERATIONS
from locustfiles.nodes.operations import body
from sandbox.appsync.api import AppSyncApi
from sandbox.config import DEFAULT_API_KEY, SandboxConfig
from sandbox.dynamodb.engine import Engine
from sandbox.http.message import Request

START_S = 1_796_052_450.0
RUN_ID = "2026-11-30T13-27-30Z-classroom"
PERIOD_S = 10


class Points:
    """A metric sink: sums and counts by series and period."""

    def __init__(self) -> None:
        self.now_s = START_S
        self.sums: dict[tuple[str, str, str, int], float] = defaultdict(float)
        self.counts: dict[tuple[str, str, str, int], int] = defaultdict(int)

    def series(self, namespace: str, metric: str, dimensions: tuple[tuple[str, str], ...], unit: str) -> _Series:
        return _Series(self, (namespace, metric, dimension_text(dimensions)))

    def table(self) -> pa.Table:
        rows = [(*key, "Sum", value) for key, value in self.sums.items()]
        rows += [(*key, "SampleCount", float(value)) for key, value in self.counts.items()]
        columns = {
            "namespace": [row[0] for row in rows],
            "metric": [row[1] for row in rows],
            "dimensions": [row[2] for row in rows],
            "statistic": [row[4] for row in rows],
            "period_s": [PERIOD_S] * len(rows),
            "timestamp": [datetime.fromtimestamp(row[3] * PERIOD_S, UTC) for row in rows],
            "value": [row[5] for row in rows],
        }
        return pa.Table.from_pydict(columns, schema=METRICS)


@dataclass
class _Series:
    points: Points
    key: tuple[str, str, str]

    def add(self, value: float, count: float = 1) -> None:
        key = (*self.key, int(self.points.now_s // PERIOD_S))
        self.points.sums[key] += value
        self.points.counts[key] += int(count)


@dataclass
class Replay:
    """One scenario played through. `requests` and `metrics` have the columns of a run's files."""

    scenario: Scenario
    points: Points = field(default_factory=Points)
    rows: list[tuple[Any, ...]] = field(default_factory=list)

    def run(self) -> Replay:
        scenario, points = self.scenario, self.points
        config = SandboxConfig.of_scenario(scenario)
        engine = Engine(lambda: points.now_s, points, config.engine)
        table = table_of(scenario)
        engine.call("CreateTable", table.create_table_request())
        engine.call("UpdateTimeToLive", table.time_to_live_request() or {})
        self.api = AppSyncApi(config, engine.call, points, lambda: points.now_s)
        plan = planned_requests(scenario)
        self.groups: dict[int, str] = {}
        self.since: dict[int, str] = {}
        self.order: dict[int, int] = defaultdict(int)
        for place in range(len(plan)):
            time_s = START_S + float(plan.time_s[place])
            points.now_s = max(points.now_s, time_s) + 1e-4
            self._send(
                OPERATIONS[plan.operation[place]],
                int(plan.domain[place]),
                int(plan.group[place]),
                int(plan.node[place]),
                int(plan.items[place]),
                bool(scenario.mode.is_websocket(int(plan.group[place]))),
            )
        return self

    def _send(self, operation: str, domain: int, group: int, node: int, items: int, websocket: bool) -> None:
        now_s, name = self.points.now_s, f"{RUN_ID}-n{node}"
        in_group = {"groupId": self.groups.get(group, "none"), "domain": f"{RUN_ID}-d{domain}"}
        variables: dict[str, Any] = {
            "createDomain": {},
            "createGroup": {
                "name": f"{RUN_ID}-g{group}",
                "hostId": name,
                "domain": in_group["domain"],
                "maxConnectionTimeSeconds": int(self.scenario.settings.max_connection_time_s),
                "useWebSocket": websocket,
            },
            "listGroupsByDomain": {"domain": in_group["domain"]},
            "joinGroup": {**in_group, "nodeId": name, "useWebSocket": websocket},
            "renewHeartbeat": {**in_group, "hostId": name},
            "dissolveGroup": {**in_group, "hostId": name},
            "listGroupStatuses": in_group,
            "pollGroupData": {**in_group, "since": self.since.get(node, "")},
        }.get(operation, {**in_group, "nodeId": name})
        traffic = self.scenario.traffic
        if operation == "reportDataByNode":
            value = f"{now_s:.4f}".ljust(traffic.value_bytes, "v")[-traffic.value_bytes :]
            variables = {**variables, "data": [{"key": f"variable{n}", "value": value} for n in range(1, items + 1)]}
        elif operation in ("fireEventsByNode", "recordEventsByNode"):
            variables = {**variables, "events": [self._event(node, n, now_s) for n in range(1, items + 1)]}
        request = Request(
            "POST",
            "/graphql",
            "",
            {"x-api-key": DEFAULT_API_KEY, "content-type": "application/json", "host": "127.0.0.1"},
            body(operation, variables),
            "127.0.0.1",
        )
        answer = orjson.loads(self.api.handle(request).body)
        error = (answer.get("errors") or [None])[0]
        data = (answer.get("data") or {}).get(operation)
        if data is not None:
            self._learn(operation, group, node, data, now_s)
        self._write(operation, name, in_group["domain"], self.groups.get(group), items, error)

    def _event(self, node: int, number: int, now_s: float) -> dict[str, str]:
        self.order[node] += 1
        moment = datetime.fromtimestamp(now_s, UTC)
        payload = f"{self.order[node]}".ljust(self.scenario.traffic.payload_bytes, "p")
        return {
            "eventName": f"event{number}",
            "payload": payload,
            "firedAt": f"{moment:%Y-%m-%dT%H:%M:%S}.000Z",
            "orderKey": f"{moment:%Y%m%d%H%M%S}-{self.order[node]:07d}",
        }

    def _learn(self, operation: str, group: int, node: int, data: Any, now_s: float) -> None:
        if operation == "createGroup":
            self.groups[group] = data["id"]
        if operation in ("createGroup", "joinGroup"):
            self.since[node] = f"{datetime.fromtimestamp(now_s, UTC):%Y-%m-%dT%H:%M:%S}.000Z"
        elif operation == "recordEventsByNode":
            self.since[node] = data["nextSince"]
        elif operation == "pollGroupData" and data["events"]:
            self.since[node] = data["events"][-1]["cursor"]

    def _write(self, operation: str, node: str, domain: str, group: str | None, items: int, error: Any) -> None:
        at = datetime.fromtimestamp(self.points.now_s, UTC)
        self.rows.append(
            (
                operation, node, domain, None if operation == "createGroup" else group, at, at, 0.0, 0.0,
                "ok" if error is None else "refused", error and error.get("errorType"), error and error.get("message"),
                0, 0, items or None, None, 1,
            )
        )  # fmt: skip

    @property
    def requests(self) -> pa.Table:
        columns = zip(*self.rows, strict=True)
        return pa.Table.from_pydict(
            {name: list(column) for name, column in zip(REQUESTS.names, columns, strict=True)}, schema=REQUESTS
        )

    @property
    def metrics(self) -> pa.Table:
        return self.points.table()
