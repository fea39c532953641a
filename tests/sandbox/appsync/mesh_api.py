"""A whole API in process: the real engine behind the real resolvers, with a clock that tests set."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson

from capacity.workloads.mesh.tables import TABLES
from sandbox.appsync.api import AppSyncApi
from sandbox.cloudwatch.store import MetricStore
from sandbox.config import SandboxConfig
from sandbox.dynamodb.engine import Engine
from sandbox.http.message import Request, Response

START_S = 1_796_050_452.25  # 2026-11-30T14:54:12.250Z
KEY = "da2-test"


class Mesh:
    """One API over one layout. `calls` collects the DynamoDB operations and requests that resolvers make."""

    def __init__(self, layout: str = "deployed", call: Any = None, **given: Any) -> None:
        """`call`: another DynamoDB behind the resolvers."""
        self.now_s = START_S
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.config = SandboxConfig(**{"layout": layout, "api_keys": (KEY,), "ttl_lag_s": (1e9, 1e9), **given})
        self.metrics = MetricStore(self.clock, 10)
        self.engine = Engine(self.clock, self.metrics, self.config.engine)
        table = replace(TABLES[layout], name=self.config.table_name)
        self.engine.call("CreateTable", table.create_table_request())
        self.engine.call("UpdateTimeToLive", table.time_to_live_request() or {})
        self.through = call or self.engine.call
        self.api = AppSyncApi(self.config, self._call, self.metrics, self.clock, random.Random(7))

    def clock(self) -> float:
        return self.now_s

    def _call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((operation, request))
        answer: dict[str, Any] = self.through(operation, request)
        return answer

    def post(self, body: bytes, headers: dict[str, str] | None = None, method: str = "POST") -> Response:
        request = Request(method, "/graphql", "", {"x-api-key": KEY} if headers is None else headers, body, "192.0.2.9")
        return self.api.handle(request)

    def answer(self, text: str, variables: dict[str, Any] | None = None, **headers: str) -> dict[str, Any]:
        """The body of a request's answer."""
        given = {"x-api-key": KEY, **{name.replace("_", "-"): value for name, value in headers.items()}}
        response = self.post(orjson.dumps({"query": text, "variables": variables}), given)
        assert response.status == 200, response.body
        answer: dict[str, Any] = orjson.loads(response.body)
        return answer

    def data(self, text: str, variables: dict[str, Any] | None = None, **headers: str) -> Any:
        """The first field of an answer without errors."""
        answer = self.answer(text, variables, **headers)
        assert "errors" not in answer, answer["errors"]
        return next(iter(answer["data"].values()))

    def error(self, text: str, variables: dict[str, Any] | None = None) -> dict[str, Any]:
        """The only error of an answer."""
        answer = self.answer(text, variables)
        assert len(answer.get("errors", ())) == 1, answer
        error: dict[str, Any] = answer["errors"][0]
        return error

    def operations_of(self, run: Callable[[], Any]) -> list[str]:
        """Names of the DynamoDB operations that something makes."""
        self.calls.clear()
        run()
        return [operation for operation, _ in self.calls]

    def items(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Everything in the table by its key."""
        found = self.engine.call("Scan", {"TableName": self.config.table_name})["Items"]
        return {(item["pk"]["S"], item["sk"]["S"]): item for item in found}

    # ---- operations, with every field selected ---------------------------------------------------------------------

    def create_group(self, host: str = "host-1", domain: str = "203.0.113.1", name: str = "ab12", **given: Any) -> Any:
        given = {"name": name, "host": host, "domain": domain, "ws": True, "max": None, **given}
        return self.data(CREATE_GROUP, given)

    def join(self, group: str, node: str = "node-1", domain: str = "203.0.113.1") -> Any:
        return self.data(JOIN_GROUP, {"group": group, "domain": domain, "node": node})

    def report(self, group: str, node: str = "node-1", domain: str = "203.0.113.1", **data: str) -> Any:
        pairs = [{"key": key, "value": value} for key, value in data.items()]
        return self.data(REPORT, {"group": group, "domain": domain, "node": node, "data": pairs})

    def record(
        self, group: str, events: list[dict[str, Any]], node: str = "node-1", domain: str = "203.0.113.1"
    ) -> Any:
        return self.data(RECORD, {"group": group, "domain": domain, "node": node, "events": events})


GROUP_FIELDS = (
    "id domain fullId name hostId createdAt expiresAt heartbeatIntervalSeconds useWebSocket pollingIntervalSeconds"
)
NODE_FIELDS = "id name groupId domain expiresAt heartbeatIntervalSeconds useWebSocket pollingIntervalSeconds"
STATUS_FIELDS = "nodeId groupId domain data { key value } timestamp"
EVENT_FIELDS = "name firedByNodeId groupId domain payload timestamp cursor orderKey"
MESSAGE_FIELDS = f"""groupId domain nodeStatus {{ {STATUS_FIELDS} }}
  batchEvent {{ events {{ {EVENT_FIELDS} }} firedByNodeId groupId domain timestamp }}
  groupDissolve {{ groupId domain message }}"""

CREATE_GROUP = f"""mutation Create($name: String!, $host: ID!, $domain: String!, $max: Int, $ws: Boolean!) {{
  createGroup(name: $name, hostId: $host, domain: $domain, maxConnectionTimeSeconds: $max, useWebSocket: $ws)
  {{ {GROUP_FIELDS} }} }}"""
JOIN_GROUP = f"""mutation Join($group: ID!, $domain: String!, $node: ID!) {{
  joinGroup(groupId: $group, domain: $domain, nodeId: $node, useWebSocket: true) {{ {NODE_FIELDS} }} }}"""
REPORT = f"""mutation Report($group: ID!, $domain: String!, $node: ID!, $data: [SensorDataInput!]!) {{
  reportDataByNode(groupId: $group, domain: $domain, nodeId: $node, data: $data) {{ {MESSAGE_FIELDS} }} }}"""
FIRE = f"""mutation Fire($group: ID!, $domain: String!, $node: ID!, $events: [EventInput!]!) {{
  fireEventsByNode(groupId: $group, domain: $domain, nodeId: $node, events: $events) {{ {MESSAGE_FIELDS} }} }}"""
RECORD = """mutation Record($group: ID!, $domain: String!, $node: ID!, $events: [EventInput!]!) {
  recordEventsByNode(groupId: $group, domain: $domain, nodeId: $node, events: $events)
  { groupId domain recordedCount nextSince } }"""
RENEW = """mutation Renew($group: ID!, $domain: String!, $host: ID!) {
  renewHeartbeat(groupId: $group, domain: $domain, hostId: $host)
  { groupId domain expiresAt heartbeatIntervalSeconds } }"""
MEMBER_HEARTBEAT = """mutation Stay($group: ID!, $domain: String!, $node: ID!) {
  sendMemberHeartbeat(groupId: $group, domain: $domain, nodeId: $node)
  { nodeId groupId domain expiresAt heartbeatIntervalSeconds } }"""
LEAVE = """mutation Leave($group: ID!, $domain: String!, $node: ID!) {
  leaveGroup(groupId: $group, domain: $domain, nodeId: $node) { peerId groupId domain message } }"""
DISSOLVE = f"""mutation Dissolve($group: ID!, $domain: String!, $host: ID!) {{
  dissolveGroup(groupId: $group, domain: $domain, hostId: $host) {{ {MESSAGE_FIELDS} }} }}"""
LIST_GROUPS = f"query List($domain: String!) {{ listGroupsByDomain(domain: $domain) {{ {GROUP_FIELDS} }} }}"
LIST_STATUSES = f"""query Statuses($group: ID!, $domain: String!) {{
  listGroupStatuses(groupId: $group, domain: $domain) {{ {STATUS_FIELDS} }} }}"""
LIST_NODES = f"""query Nodes($group: ID!, $domain: String!) {{
  listNodesInGroup(groupId: $group, domain: $domain) {{ {NODE_FIELDS} }} }}"""
NODE_STATUS = f"query Status($node: ID!) {{ getNodeStatus(nodeId: $node) {{ {STATUS_FIELDS} }} }}"
EVENTS_SINCE = f"""query Events($group: ID!, $domain: String!, $since: String!) {{
  getEventsSince(groupId: $group, domain: $domain, since: $since) {{ {EVENT_FIELDS} }} }}"""
POLL = f"""query Poll($group: ID!, $domain: String!, $since: String!) {{
  pollGroupData(groupId: $group, domain: $domain, since: $since)
  {{ events {{ {EVENT_FIELDS} }} nodeStatuses {{ {STATUS_FIELDS} }} }} }}"""
SEARCH = f"""query Search($prefix: String!, $limit: Int) {{
  searchGroupsByNamePrefix(namePrefix: $prefix, limit: $limit) {{ {GROUP_FIELDS} }} }}"""
