"""The deployed layout: every group, node and status of a school under one partition key, two ALL indexes.

Source: the public deployed code, read in 2026-04..09.
"""

from __future__ import annotations

from capacity.workloads.mesh.items import EPOCH, SMALL, Attribute, Data, Flag, ItemKind, event_kind
from capacity.workloads.mesh.steps import (
    Delete,
    DeleteForFound,
    DeleteFound,
    Get,
    Layout,
    Operation,
    Put,
    PutEvents,
    Query,
    Update,
)

DOMAIN = "DOMAIN#{domain}"
EVENTS = "GROUP#{group}@{domain}"

_NODE: dict[str, Attribute] = {
    "id": "{node}",
    "nodeId": "{node}",
    "groupId": "{group}",
    "domain": "{domain}",
    "name": "Node {node}",
    "joinedAt": "{instant}",
    "ttl": EPOCH,
}

KINDS = {
    "group": ItemKind(
        "group",
        {
            "pk": DOMAIN,
            "sk": "GROUP#{group}#METADATA",
            "id": "{group}",
            "domain": "{domain}",
            "fullId": "{group}@{domain}",
            "name": "{group_name}",
            "hostId": "{node}",
            "createdAt": "{instant}",
            "expiresAt": "{instant}",
            "heartbeatAt": EPOCH,
            "ttl": EPOCH,
            "useWebSocket": Flag,
            "pollingIntervalSeconds": SMALL,
            "gsi_pk": "GROUP#{group}",
            "gsi_sk": DOMAIN,
            "gsi2_pk": "ALL_GROUPS",
            "gsi2_sk": "{group_name}",
        },
    ),
    "node": ItemKind("node", {"pk": DOMAIN, "sk": "GROUP#{group}#NODE#{node}", **_NODE}),
    "record": ItemKind("record", {"pk": "NODE#{node}", "sk": "METADATA", **_NODE}),
    "status": ItemKind(
        "status",
        {
            "pk": DOMAIN,
            "sk": "GROUP#{group}#NODE#{node}#STATUS",
            "nodeId": "{node}",
            "groupId": "{group}",
            "domain": "{domain}",
            "data": Data,
            "timestamp": "{instant}",
            "ttl": EPOCH,
            "gsi_pk": "NODE#{node}",
            "gsi_sk": "STATUS",
        },
    ),
    "event": event_kind(EVENTS),
}

_CHECK = Get("group", cause="group check")
_GROUPS = Query(DOMAIN, "GROUP#", cause="query of the domain")
_MEMBERS = Query(DOMAIN, "GROUP#{group}#NODE#", cause="query of the group")
_SINCE = Query(EVENTS, "EVENT#", after_cursor=True, limit=100, cause="events since")
_EVERYTHING = Query(DOMAIN, "GROUP#{group}", cause="query of the group")

OPERATIONS = {
    "createDomain": Operation((), resolver="lambda"),
    "createGroup": Operation((_GROUPS, Put("group")), again=(_GROUPS, Get("group"))),
    "joinGroup": Operation((_CHECK, Put("node", transactional=True), Put("record", transactional=True))),
    "leaveGroup": Operation(
        (Delete("node", transactional=True), Delete("record", transactional=True), Delete("status")), resolver="lambda"
    ),
    "dissolveGroup": Operation(
        (_CHECK, _EVERYTHING, DeleteFound(DOMAIN, "GROUP#{group}"), DeleteForFound("record", "#NODE#")),
        resolver="lambda",
    ),
    "renewHeartbeat": Operation((_CHECK, Update("group"))),
    "sendMemberHeartbeat": Operation((_CHECK, Update("node"))),
    "reportDataByNode": Operation((_CHECK, Put("status"))),
    "fireEventsByNode": Operation((_CHECK,)),
    "recordEventsByNode": Operation((_CHECK, PutEvents("event")), resolver="lambda"),
    "listGroupsByDomain": Operation((_GROUPS,)),
    "listGroupStatuses": Operation((_MEMBERS,)),
    "listNodesInGroup": Operation((_MEMBERS,)),
    "getNodeStatus": Operation((Get("record"), Get("status"))),
    "getEventsSince": Operation((_SINCE,)),
    "pollGroupData": Operation((_SINCE, _MEMBERS)),
    "searchGroupsByNamePrefix": Operation(
        (Query("ALL_GROUPS", "{group_name}", index="GroupNameIndex", cause="query by name"),)
    ),
}

LAYOUT = Layout("deployed", KINDS, OPERATIONS)
