"""Mesh v2's rules, in every layout: what each operation answers, refuses and leaves behind."""

from __future__ import annotations

from typing import Any

import mesh_api as m
import pytest
from mesh_api import Mesh

from sandbox.dynamodb.errors import DynamoDBError

DOMAIN = "203.0.113.1"
EVENT = {"eventName": "clicked", "firedAt": "2026-11-30T14:54:12.345Z"}


def of(group: Any, **more: Any) -> dict[str, Any]:
    """Variables that name a group."""
    return {"group": group["id"], "domain": group["domain"], **more}


# ---- createDomain --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("forwarded", "domain"),
    [
        ("203.0.113.1, 70.132.0.1", "203.0.113.1"),
        ("203.0.113.1", "203.0.113.1"),
        (" 2001:db8::1 ,10.0.0.1", "2001:db8::1"),
        (None, "192.0.2.9"),
    ],
)
def test_a_domain_is_the_first_address_of_x_forwarded_for(deployed: Mesh, forwarded: str | None, domain: str) -> None:
    headers = {} if forwarded is None else {"x_forwarded_for": forwarded}
    assert deployed.data("mutation { createDomain }", **headers) == domain
    assert deployed.calls == []


# ---- createGroup ---------------------------------------------------------------------------------------------------


def test_a_new_group_lives_for_the_configured_time_and_tells_its_host_how_often_to_call(mesh: Mesh) -> None:
    group = mesh.create_group(domain="三年二組", name="グループ")
    assert group == {
        "id": group["id"],
        "domain": "三年二組",
        "fullId": f"{group['id']}@三年二組",
        "name": "グループ",
        "hostId": "host-1",
        "createdAt": "2026-11-30T14:54:12.250Z",
        "expiresAt": "2026-11-30T15:29:12.250Z",
        "heartbeatIntervalSeconds": 60,
        "useWebSocket": True,
        "pollingIntervalSeconds": None,
    }
    assert mesh.data(m.LIST_GROUPS, {"domain": "三年二組"}) == [
        {**group, "expiresAt": _listed_expiry(mesh, group["expiresAt"])}
    ]


def _listed_expiry(mesh: Mesh, expires_at: str) -> str:
    """The architecture layout stores expiry as whole seconds."""
    return expires_at[:20] + "000Z" if mesh.config.layout == "architecture" else expires_at


def test_creating_again_as_the_same_host_of_the_domain_gives_the_same_group(mesh: Mesh) -> None:
    first = mesh.create_group()
    mesh.now_s += 30
    assert mesh.create_group(name="other name")["id"] == first["id"]
    assert mesh.create_group(host="host-2")["id"] != first["id"]
    assert mesh.create_group(domain="elsewhere")["id"] != first["id"]
    assert len(mesh.data(m.LIST_GROUPS, {"domain": DOMAIN})) == 2


def test_a_host_whose_group_is_gone_gets_a_new_one(mesh: Mesh) -> None:
    first = mesh.create_group()
    mesh.now_s += 152  # past the host TTL of 150 s without a heartbeat
    assert mesh.create_group()["id"] != first["id"]


def test_a_polling_group_carries_its_polling_interval(mesh: Mesh) -> None:
    group = mesh.create_group(ws=False)
    assert (group["useWebSocket"], group["pollingIntervalSeconds"]) == (False, 2)
    node = mesh.data(m.JOIN_GROUP.replace("true", "false"), of(group, node="node-1"))
    assert (node["useWebSocket"], node["pollingIntervalSeconds"]) == (False, 2)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"domain": "界" * 257}, "Domain must be 256 characters or less"),
        ({"max": 0}, "maxConnectionTimeSeconds must be at least 1"),
        ({"max": 2101}, "maxConnectionTimeSeconds cannot exceed 2100"),
    ],
)
def test_what_create_group_refuses(mesh: Mesh, given: dict[str, Any], message: str) -> None:
    variables = {"name": "n", "host": "h", "domain": DOMAIN, "ws": True, **given}
    error = mesh.error(m.CREATE_GROUP, variables)
    assert (error["errorType"], error["message"]) == ("ValidationError", message)
    assert mesh.items() == {}


def test_a_domain_may_have_256_characters_however_many_bytes_they_take(mesh: Mesh) -> None:
    domain = "界" * 256  # 768 bytes
    group = mesh.create_group(domain=domain)
    assert mesh.join(group["id"], domain=domain)["domain"] == domain


# ---- joining, staying, leaving -------------------------------------------------------------------------------------


def test_a_member_joins_and_inherits_the_groups_end(mesh: Mesh) -> None:
    group = mesh.create_group()
    mesh.now_s += 10
    assert mesh.join(group["id"], "ノード") == {
        "id": "ノード",
        "name": "Node ノード",
        "groupId": group["id"],
        "domain": DOMAIN,
        "expiresAt": _listed_expiry(mesh, group["expiresAt"]),
        "heartbeatIntervalSeconds": 120,
        "useWebSocket": True,
        "pollingIntervalSeconds": None,
    }
    (node,) = mesh.data(m.LIST_NODES, of(group))
    assert (node["id"], node["name"], node["groupId"]) == ("ノード", "Node ノード", group["id"])


def test_a_host_heartbeat_keeps_the_group_and_does_not_move_its_end(mesh: Mesh) -> None:
    group = mesh.create_group()
    for _ in range(3):
        mesh.now_s += 100
        renewed = mesh.data(m.RENEW, of(group, host="host-1"))
        assert renewed["expiresAt"] == _listed_expiry(mesh, group["expiresAt"])
        assert renewed["heartbeatIntervalSeconds"] == 60
    assert mesh.join(group["id"])["groupId"] == group["id"]


def test_a_member_heartbeat_extends_the_nodes_row(mesh: Mesh) -> None:
    group = mesh.create_group()
    mesh.join(group["id"])
    mesh.now_s += 100
    answer = mesh.data(m.MEMBER_HEARTBEAT, of(group, node="node-1"))
    assert answer == {
        "nodeId": "node-1",
        "groupId": group["id"],
        "domain": DOMAIN,
        "expiresAt": "2026-11-30T15:05:52.000Z",  # now, in whole seconds, and 600 s
        "heartbeatIntervalSeconds": 120,
    }


def test_leaving_takes_the_node_out_of_every_list(mesh: Mesh) -> None:
    group = mesh.create_group()
    mesh.join(group["id"])
    mesh.report(group["id"], t="25")
    answer = mesh.data(m.LEAVE, of(group, node="node-1"))
    assert (answer["peerId"], answer["groupId"], answer["domain"]) == ("node-1", group["id"], DOMAIN)
    assert mesh.data(m.LIST_NODES, of(group)) == []
    assert mesh.data(m.LIST_STATUSES, of(group)) == []
    assert mesh.data(m.NODE_STATUS, {"node": "node-1"}) is None


def test_dissolving_leaves_nothing_of_the_group_but_its_events(mesh: Mesh) -> None:
    group = mesh.create_group(domain="学校")
    for node in ("ノード1", "ノード2"):
        mesh.join(group["id"], node, "学校")
        mesh.report(group["id"], node, "学校", 温度="25")
    answer = mesh.data(m.DISSOLVE, of(group, host="host-1"))
    assert answer["groupDissolve"]["groupId"] == group["id"]
    assert (answer["groupId"], answer["domain"], answer["nodeStatus"]) == (group["id"], "学校", None)
    assert mesh.items() == {}
    assert mesh.error(m.JOIN_GROUP, of(group, node="late"))["errorType"] == "GroupNotFound"


# ---- who may, and when a group is missing --------------------------------------------------------------------------

CHECKED = {
    "joinGroup": (m.JOIN_GROUP, {"node": "node-1"}),
    "renewHeartbeat": (m.RENEW, {"host": "host-1"}),
    "sendMemberHeartbeat": (m.MEMBER_HEARTBEAT, {"node": "node-1"}),
    "reportDataByNode": (m.REPORT, {"node": "node-1", "data": []}),
    "fireEventsByNode": (m.FIRE, {"node": "node-1", "events": []}),
    "dissolveGroup": (m.DISSOLVE, {"host": "host-1"}),
}


@pytest.mark.parametrize("operation", CHECKED)
@pytest.mark.parametrize("reason", ["never created", "past its end", "its host has gone"])
def test_operations_on_a_missing_group_answer_group_not_found(mesh: Mesh, operation: str, reason: str) -> None:
    group: Any = {"id": "none", "domain": DOMAIN}
    if reason != "never created":
        group = mesh.create_group()
        mesh.join(group["id"])
    if reason == "its host has gone":
        mesh.now_s += 152
    if reason == "past its end":
        while mesh.now_s < m.START_S + 2050:
            mesh.now_s += 100
            mesh.data(m.RENEW, of(group, host="host-1"))
        mesh.now_s = m.START_S + 2102
    text, variables = CHECKED[operation]
    error = mesh.error(text, of(group, **variables))
    assert error["errorType"] == "GroupNotFound"
    assert error["path"] == [operation]
    assert f"{group['id']}@{DOMAIN}" in error["message"]


def test_a_group_is_there_until_the_last_second_of_its_host_ttl(mesh: Mesh) -> None:
    group = mesh.create_group()
    mesh.now_s = int(m.START_S) + 150.9
    mesh.join(group["id"])
    mesh.now_s = int(m.START_S) + 151.0
    assert mesh.error(m.JOIN_GROUP, of(group, node="late"))["errorType"] == "GroupNotFound"


def test_recording_events_into_a_missing_group_fails_as_its_lambda_function_does(mesh: Mesh) -> None:
    error = mesh.error(m.RECORD, {"group": "none", "domain": DOMAIN, "node": "n", "events": [EVENT]})
    assert error["message"] == "Group not found"
    assert mesh.items() == {}


@pytest.mark.parametrize("text", [m.RENEW, m.DISSOLVE])
def test_only_the_host_may_renew_and_dissolve(mesh: Mesh, text: str) -> None:
    group = mesh.create_group()
    mesh.join(group["id"], "host-2")
    before = mesh.items()
    assert mesh.error(text, of(group, host="host-2"))["errorType"] == "Unauthorized"
    assert mesh.items() == before


def test_a_heartbeat_of_a_node_that_never_joined_is_refused_after_a_second_read(mesh: Mesh) -> None:
    group = mesh.create_group()
    operations = mesh.operations_of(
        lambda: mesh.error(m.MEMBER_HEARTBEAT, of(group, node="stranger"))["errorType"] == "NodeNotFound"
    )
    assert operations == ["GetItem", "UpdateItem", "GetItem"]  # AppSync reads the item after a failed condition
    assert mesh.calls[-1][1]["ConsistentRead"] is True
    assert mesh.error(m.MEMBER_HEARTBEAT, of(group, node="stranger"))["errorType"] == "NodeNotFound"


# ---- reports and statuses ------------------------------------------------------------------------------------------


def test_a_report_is_answered_stored_and_listed(mesh: Mesh) -> None:
    group = mesh.create_group()
    mesh.join(group["id"])
    mesh.now_s += 1
    message = mesh.report(group["id"], 温度="25.5", empty="")
    status = {
        "nodeId": "node-1",
        "groupId": group["id"],
        "domain": DOMAIN,
        "data": [{"key": "温度", "value": "25.5"}, {"key": "empty", "value": ""}],
        "timestamp": "2026-11-30T14:54:13.250Z",
    }
    assert message == {
        "groupId": group["id"],
        "domain": DOMAIN,
        "nodeStatus": status,
        "batchEvent": None,
        "groupDissolve": None,
    }
    assert mesh.data(m.LIST_STATUSES, of(group)) == [status]
    assert mesh.data(m.NODE_STATUS, {"node": "node-1"}) == status
    polled = mesh.data(m.POLL, of(group, since="2026-11-30T00:00:00Z"))
    assert polled == {"events": [], "nodeStatuses": [status]}


def test_the_latest_report_replaces_the_one_before(mesh: Mesh) -> None:
    group = mesh.create_group()
    mesh.join(group["id"])
    mesh.report(group["id"], a="1")
    mesh.report(group["id"], b="2")
    assert mesh.data(m.NODE_STATUS, {"node": "node-1"})["data"] == [{"key": "b", "value": "2"}]


def test_statuses_of_one_group_do_not_show_another_groups(mesh: Mesh) -> None:
    one, two = mesh.create_group("host-1"), mesh.create_group("host-2")
    for group, node in ((one, "node-1"), (two, "node-2")):
        mesh.join(group["id"], node)
        mesh.report(group["id"], node, v=node)
    assert [s["nodeId"] for s in mesh.data(m.LIST_STATUSES, of(one))] == ["node-1"]
    assert [n["id"] for n in mesh.data(m.LIST_NODES, of(two))] == ["node-2"]


def test_the_status_of_an_unknown_node_is_null(mesh: Mesh) -> None:
    assert mesh.data(m.NODE_STATUS, {"node": "nobody"}) is None


# ---- events --------------------------------------------------------------------------------------------------------


def test_fired_events_are_published_and_not_stored(mesh: Mesh) -> None:
    group = mesh.create_group()
    before = mesh.items()
    events = [{**EVENT, "payload": "一", "orderKey": "20261130145412-0000001"}, {**EVENT, "payload": ""}]
    message = mesh.data(m.FIRE, of(group, node="node-1", events=events))
    batch = message["batchEvent"]
    assert [(e["name"], e["payload"], e["timestamp"], e["orderKey"], e["cursor"]) for e in batch["events"]] == [
        ("clicked", "一", EVENT["firedAt"], "20261130145412-0000001", None),
        ("clicked", None, EVENT["firedAt"], None, None),
    ]
    assert (batch["firedByNodeId"], batch["timestamp"]) == ("node-1", "2026-11-30T14:54:12.250Z")
    assert (message["nodeStatus"], message["groupDissolve"]) == (None, None)
    assert mesh.items() == before


def test_recorded_events_come_back_in_the_order_of_their_keys_with_cursors(mesh: Mesh) -> None:
    group = mesh.create_group()
    events = [{**EVENT, "eventName": f"e{n}", "orderKey": f"20261130145412-{n:07d}"} for n in (1, 2, 3)]
    recorded = mesh.record(group["id"], events)
    assert recorded["recordedCount"] == 3
    found = mesh.data(m.EVENTS_SINCE, of(group, since="2026-11-30T14:54:11Z"))
    assert [event["name"] for event in found] == ["e1", "e2", "e3"]
    assert {event["timestamp"] for event in found} == {"2026-11-30T14:54:12Z"}  # one second, the server's
    assert found[-1]["cursor"] == recorded["nextSince"]
    assert found[0]["cursor"].startswith("EVENT#2026-11-30T14:54:12Z#20261130145412-0000001#")
    assert len(found[0]["cursor"].rsplit("#", 1)[1]) == 8
    assert mesh.data(m.EVENTS_SINCE, of(group, since=found[1]["cursor"])) == found[2:]
    assert mesh.data(m.POLL, of(group, since=found[0]["cursor"]))["events"] == found[1:]


def test_events_without_an_order_key_end_in_a_uuid(mesh: Mesh) -> None:
    group = mesh.create_group()
    since = mesh.record(group["id"], [EVENT])["nextSince"]
    prefix, tail = since.rsplit("#", 1)
    assert prefix == "EVENT#2026-11-30T14:54:12Z"
    assert len(tail) == 36


def test_the_cursor_rule_loses_an_event_recorded_in_the_same_second_with_a_smaller_key(mesh: Mesh) -> None:
    group = mesh.create_group()
    mine = mesh.record(group["id"], [{**EVENT, "orderKey": "20261130145412-0000009"}])["nextSince"]
    mesh.record(group["id"], [{**EVENT, "orderKey": "20261130145412-0000001"}], node="node-2")
    assert mesh.data(m.EVENTS_SINCE, of(group, since=mine)) == []


def test_a_batch_is_written_in_slices_of_25_and_read_100_at_a_time(mesh: Mesh) -> None:
    group = mesh.create_group()
    events = [{**EVENT, "orderKey": f"20261130145412-{n:07d}"} for n in range(1, 131)]
    operations = mesh.operations_of(lambda: mesh.record(group["id"], events))
    assert operations == ["GetItem"] + ["BatchWriteItem"] * 6
    slices = [len(r["RequestItems"][mesh.config.table_name]) for o, r in mesh.calls if o == "BatchWriteItem"]
    assert slices == [25, 25, 25, 25, 25, 5]
    first = mesh.data(m.EVENTS_SINCE, of(group, since="0"))
    rest = mesh.data(m.EVENTS_SINCE, of(group, since=first[-1]["cursor"]))
    assert [e["orderKey"] for e in first + rest] == [e["orderKey"] for e in events]
    assert (len(first), len(rest)) == (100, 30)


def test_an_event_lives_for_the_event_ttl(mesh: Mesh) -> None:
    group = mesh.create_group()
    mesh.record(group["id"], [EVENT])
    (event,) = (item for (_, sk), item in mesh.items().items() if sk.startswith("EVENT#"))
    assert event["ttl"] == {"N": str(int(m.START_S) + 10)}


# ---- finding groups ------------------------------------------------------------------------------------------------


def test_a_domain_lists_its_own_living_groups(mesh: Mesh) -> None:
    old = mesh.create_group("host-1")
    mesh.now_s += 100
    kept = mesh.create_group("host-2")
    mesh.create_group("host-3", domain="elsewhere")
    mesh.join(kept["id"])
    mesh.now_s += 60  # 160 s after the first group's only sign of life
    assert [group["id"] for group in mesh.data(m.LIST_GROUPS, {"domain": DOMAIN})] == [kept["id"]]
    assert old["id"] != kept["id"]


def test_groups_are_found_by_the_start_of_their_name_over_all_domains(mesh: Mesh) -> None:
    names = [("d1", "ab01"), ("d2", "ab02"), ("d3", "b003"), ("d4", "あい")]
    for domain, name in names:
        mesh.create_group(domain=domain, name=name)
    found = mesh.data(m.SEARCH, {"prefix": "ab"})
    assert sorted((group["domain"], group["name"]) for group in found) == names[:2]
    assert [group["name"] for group in mesh.data(m.SEARCH, {"prefix": "あ"})] == ["あい"]
    assert len(mesh.data(m.SEARCH, {"prefix": "ab", "limit": 1})) == 1
    for variables in ({"prefix": ""}, {"prefix": "a", "limit": 0}):
        assert mesh.error(m.SEARCH, variables)["errorType"] == "ValidationError"


def test_a_group_of_an_older_version_without_lifetime_or_heartbeat_can_be_joined(deployed: Mesh) -> None:
    keys = {"pk": f"DOMAIN#{DOMAIN}", "sk": "GROUP#old#METADATA"}
    item = {**keys, "id": "old", "domain": DOMAIN, "fullId": f"old@{DOMAIN}", "name": "n", "hostId": "host-1"}
    typed = {name: {"S": value} for name, value in item.items()}
    deployed.engine.call("PutItem", {"TableName": deployed.config.table_name, "Item": typed})
    node = deployed.join("old")
    assert (node["groupId"], node["expiresAt"], node["useWebSocket"]) == ("old", None, True)
    assert deployed.data(m.DISSOLVE, {"group": "old", "domain": DOMAIN, "host": "host-1"})["groupDissolve"]


@pytest.mark.parametrize(
    ("layout", "error_type"),
    [
        # the deployed check sees no item and does not look at ctx.error (public code, read 2026-11)
        ("deployed", "GroupNotFound"),
        ("architecture", "DynamoDB:ProvisionedThroughputExceededException"),
        ("phase1", "DynamoDB:ProvisionedThroughputExceededException"),
    ],
)
def test_what_a_client_is_told_when_the_read_of_its_group_is_throttled(layout: str, error_type: str) -> None:
    throttled = False

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if throttled and operation == "GetItem":
            raise DynamoDBError("ProvisionedThroughputExceededException", "-")
        return mesh.engine.call(operation, request)

    mesh = Mesh(layout, call=call)
    group = mesh.create_group()
    throttled = True
    mesh.calls.clear()
    variables = {"group": group["id"], "domain": group["domain"], "node": "n", "data": []}
    assert mesh.error(m.REPORT, variables)["errorType"] == error_type
    assert [operation for operation, _ in mesh.calls] == ["GetItem"]
