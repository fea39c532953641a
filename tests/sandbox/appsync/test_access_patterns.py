"""The access patterns that the two design documents name, read on tables that the operations have filled.

phase1: the table design of 2025-01, six patterns. architecture: the document of 2026-01, seven.
"""

from __future__ import annotations

from typing import Any

import mesh_api as m
import pytest
from mesh_api import Mesh

DOMAIN = "203.0.113.1"
EVENT = {"eventName": "clicked", "firedAt": "2026-11-30T14:54:12.345Z", "payload": '{"button":"A"}'}


class Filled:
    """One domain with two groups, the first with two members, reports and an event."""

    def __init__(self, layout: str) -> None:
        self.mesh = Mesh(layout)
        self.group = self.mesh.create_group("host-1", DOMAIN, "My Group")["id"]
        self.mesh.now_s += 1
        self.other = self.mesh.create_group("host-2", DOMAIN)["id"]
        for node in ("node_001", "node_002"):
            self.mesh.join(self.group, node)
        self.mesh.report(self.group, "node_001", temperature="25", humidity="60")
        self.mesh.record(self.group, [EVENT], "node_001")

    def get(self, pk: str, sk: str) -> dict[str, Any]:
        key = {"pk": {"S": pk}, "sk": {"S": sk}}
        item: dict[str, Any] = self.mesh.engine.call("GetItem", {"TableName": "MeshV2Table", "Key": key})["Item"]
        return item

    def query(self, condition: str, index: str | None = None, **values: str) -> list[dict[str, Any]]:
        request: dict[str, Any] = {
            "TableName": "MeshV2Table",
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": {f":{name}": {"S": value} for name, value in values.items()},
        }
        if index is not None:
            request["IndexName"] = index
        items: list[dict[str, Any]] = self.mesh.engine.call("Query", request)["Items"]
        return items


@pytest.fixture
def phase1() -> Filled:
    return Filled("phase1")


@pytest.fixture
def architecture() -> Filled:
    return Filled("architecture")


def names(item: dict[str, Any]) -> set[str]:
    return set(item)


# ---- phase 1 -------------------------------------------------------------------------------------------------------


def test_phase1_lists_a_domains_groups(phase1: Filled) -> None:
    rows = phase1.query("pk = :d AND begins_with(sk, :g)", d=f"DOMAIN#{DOMAIN}", g="GROUP#")
    groups = [row["id"]["S"] for row in rows if row["sk"]["S"].endswith("#METADATA")]
    assert sorted(groups) == sorted([phase1.group, phase1.other])


def test_phase1_reads_a_groups_metadata(phase1: Filled) -> None:
    item = phase1.get(f"DOMAIN#{DOMAIN}", f"GROUP#{phase1.group}#METADATA")
    assert names(item) == {
        "pk", "sk", "id", "domain", "fullId", "name", "hostId", "createdAt", "gsi_pk", "gsi_sk"
    }  # fmt: skip
    assert item["fullId"] == {"S": f"{phase1.group}@{DOMAIN}"}


def test_phase1_lists_a_groups_nodes(phase1: Filled) -> None:
    rows = phase1.query("pk = :d AND begins_with(sk, :n)", d=f"DOMAIN#{DOMAIN}", n=f"GROUP#{phase1.group}#NODE#")
    assert [row["nodeId"]["S"] for row in rows] == ["node_001", "node_002"]


def test_phase1_keeps_a_nodes_data_in_its_row(phase1: Filled) -> None:
    item = phase1.get(f"DOMAIN#{DOMAIN}", f"GROUP#{phase1.group}#NODE#node_001")
    assert names(item) == {"pk", "sk", "nodeId", "groupId", "domain", "name", "data", "timestamp"}
    assert item["data"]["L"][0]["M"] == {"key": {"S": "temperature"}, "value": {"S": "25"}}


def test_phase1_finds_the_group_of_a_node(phase1: Filled) -> None:
    item = phase1.get("NODE#node_001", "METADATA")
    assert names(item) == {"pk", "sk", "nodeId", "groupId", "domain"}
    assert item["groupId"] == {"S": phase1.group}


def test_phase1_finds_the_domain_of_a_group_by_index(phase1: Filled) -> None:
    (entry,) = phase1.query("gsi_pk = :g", "GroupIdIndex", g=f"GROUP#{phase1.group}")
    assert entry["gsi_sk"] == {"S": f"DOMAIN#{DOMAIN}"}


# ---- architecture --------------------------------------------------------------------------------------------------


def test_architecture_reads_a_group(architecture: Filled) -> None:
    item = architecture.get(f"DOMAIN#{DOMAIN}", f"GROUP#{architecture.group}#METADATA")
    assert names(item) == {
        "pk", "sk", "GSI1PK", "GSI1SK", "groupId", "domain", "name", "hostId", "createdAt", "expiresAt", "ttl",
        "useWebSocket", "pollingIntervalSeconds",
    }  # fmt: skip
    assert item["GSI1SK"] == {"S": "GROUP#2026-11-30T14:54:12.250Z"}
    assert set(item["expiresAt"]) == {"N"}


def test_architecture_lists_a_domains_groups_by_time_of_creation(architecture: Filled) -> None:
    rows = architecture.query("GSI1PK = :d AND begins_with(GSI1SK, :g)", "GSI1", d=f"DOMAIN#{DOMAIN}", g="GROUP#")
    assert [row["groupId"]["S"] for row in rows] == [architecture.group, architecture.other]


def test_architecture_reads_a_node_and_lists_a_groups_nodes(architecture: Filled) -> None:
    partition = f"GROUP#{architecture.group}@{DOMAIN}"
    assert names(architecture.get(partition, "NODE#node_001")) == {
        "pk", "sk", "nodeId", "name", "groupId", "domain", "ttl"
    }  # fmt: skip
    rows = architecture.query("pk = :g AND begins_with(sk, :n)", g=partition, n="NODE#")
    assert [row["nodeId"]["S"] for row in rows] == ["node_001", "node_002"]


def test_architecture_reads_a_nodes_latest_status(architecture: Filled) -> None:
    item = architecture.get("NODE#node_001", "STATUS#LATEST")
    assert names(item) == {"pk", "sk", "nodeId", "groupId", "domain", "data", "timestamp"}


def test_architecture_reads_all_statuses_of_a_group_node_by_node(architecture: Filled) -> None:
    operations = architecture.mesh.operations_of(
        lambda: architecture.mesh.data(m.LIST_STATUSES, {"group": architecture.group, "domain": DOMAIN})
    )
    assert operations == ["Query", "BatchGetItem"]


def test_architecture_reads_events_since_a_moment_in_order(architecture: Filled) -> None:
    partition = f"GROUP#{architecture.group}@{DOMAIN}"
    rows = architecture.query("pk = :g AND sk > :s", g=partition, s="EVENT#2026-11-30T14:54:00Z")
    events = [row for row in rows if row["sk"]["S"].startswith("EVENT#")]
    assert [names(event) for event in events] == [
        {"pk", "sk", "eventName", "firedByNodeId", "groupId", "domain", "payload", "timestamp", "ttl"}
    ]


# ---- deployed ------------------------------------------------------------------------------------------------------

CALLS = {
    "createGroup": (["Query", "PutItem"], lambda f: f.mesh.create_group("host-3")),
    "createGroup again": (["Query", "GetItem"], lambda f: f.mesh.create_group("host-1")),
    "joinGroup": (["GetItem", "TransactWriteItems"], lambda f: f.mesh.join(f.group, "node_009")),
    "reportDataByNode": (["GetItem", "PutItem"], lambda f: f.mesh.report(f.group, "node_001", a="1")),
    "renewHeartbeat": (["GetItem", "UpdateItem"], lambda f: f.ask(m.RENEW, host="host-1")),
    "sendMemberHeartbeat": (["GetItem", "UpdateItem"], lambda f: f.ask(m.MEMBER_HEARTBEAT, node="node_001")),
    "fireEventsByNode": (["GetItem"], lambda f: f.ask(m.FIRE, node="node_001", events=[EVENT])),
    "recordEventsByNode": (["GetItem", "BatchWriteItem"], lambda f: f.mesh.record(f.group, [EVENT], "node_001")),
    "listGroupsByDomain": (["Query"], lambda f: f.ask(m.LIST_GROUPS)),
    "listGroupStatuses": (["Query"], lambda f: f.ask(m.LIST_STATUSES)),
    "listNodesInGroup": (["Query"], lambda f: f.ask(m.LIST_NODES)),
    "getNodeStatus": (["GetItem", "GetItem"], lambda f: f.ask(m.NODE_STATUS, node="node_001")),
    "getEventsSince": (["Query"], lambda f: f.ask(m.EVENTS_SINCE, since="2026")),
    "pollGroupData": (["Query", "Query"], lambda f: f.ask(m.POLL, since="2026")),
    "searchGroupsByNamePrefix": (["Query"], lambda f: f.ask(m.SEARCH, prefix="My")),
    "leaveGroup": (["TransactWriteItems", "DeleteItem"], lambda f: f.ask(m.LEAVE, node="node_001")),
    # 2 nodes and 1 status found beside the group: 4 deletes, then one own record per node or status row
    "dissolveGroup": (["GetItem", "Query"] + ["DeleteItem"] * 7, lambda f: f.ask(m.DISSOLVE, host="host-1")),
}


class Deployed(Filled):
    def __init__(self) -> None:
        super().__init__("deployed")

    def ask(self, text: str, **more: Any) -> Any:
        return self.mesh.data(text, {"group": self.group, "domain": DOMAIN, **more})


@pytest.mark.parametrize("operation", CALLS)
def test_deployed_operations_make_the_calls_of_the_contract(operation: str) -> None:
    filled = Deployed()
    expected, run = CALLS[operation]
    assert filled.mesh.operations_of(lambda: run(filled)) == expected
    reads = [request for name, request in filled.mesh.calls if name in ("GetItem", "Query")]
    assert not any(request.get("ConsistentRead") for request in reads)


def test_deployed_writes_a_status_into_one_index_and_a_heartbeat_into_both() -> None:
    filled = Deployed()

    def units(request: dict[str, Any], operation: str) -> tuple[float, dict[str, float]]:
        consumed = filled.mesh.engine.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})[
            "ConsumedCapacity"
        ]
        indexes = {name: index["CapacityUnits"] for name, index in consumed.get("GlobalSecondaryIndexes", {}).items()}
        return consumed["Table"]["CapacityUnits"], indexes

    filled.mesh.calls.clear()
    filled.mesh.report(filled.group, "node_001", a="1")
    filled.ask(m.RENEW, host="host-1")
    (put,) = [request for name, request in filled.mesh.calls if name == "PutItem"]
    (update,) = [request for name, request in filled.mesh.calls if name == "UpdateItem"]
    filled.mesh.now_s += 1
    put["Item"]["timestamp"] = {"S": "2026-11-30T15:00:00.000Z"}
    update["ExpressionAttributeValues"][":ttl"] = {"N": "1796050999"}
    assert units(put, "PutItem") == (1.0, {"GroupIdIndex": 1.0})
    assert units(update, "UpdateItem") == (1.0, {"GroupIdIndex": 1.0, "GroupNameIndex": 1.0})
