"""The layout of the first table design (phase 1, 2025-01): a node's data lives in its row of the group.

The design names no heartbeat: a beat adds `heartbeatAt` and `ttl` to the group, or `ttl` to the node's row. A host has
no row until it reports.
"""

from __future__ import annotations

from capacity.workloads.mesh.items import EPOCH, Attribute, Data, ItemKind, event_kind
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

_GROUP: dict[str, Attribute] = {
    "pk": DOMAIN,
    "sk": "GROUP#{group}#METADATA",
    "id": "{group}",
    "domain": "{domain}",
    "fullId": "{group}@{domain}",
    "name": "{group_name}",
    "hostId": "{node}",
    "createdAt": "{instant}",
    "gsi_pk": "GROUP#{group}",
    "gsi_sk": DOMAIN,
}
_BELONGS: dict[str, Attribute] = {"nodeId": "{node}", "groupId": "{group}", "domain": "{domain}"}
_NODE: dict[str, Attribute] = {
    "pk": DOMAIN,
    "sk": "GROUP#{group}#NODE#{node}",
    **_BELONGS,
    "name": "Node {node}",
    "timestamp": "{instant}",
}

KINDS = {
    "group": ItemKind("group", _GROUP),
    "living group": ItemKind("living group", {**_GROUP, "heartbeatAt": EPOCH, "ttl": EPOCH}),
    "node": ItemKind("node", {**_NODE, "data": "   "}),  # an empty list: 3 bytes
    "status": ItemKind("status", {**_NODE, "data": Data}),
    "record": ItemKind("record", {"pk": "NODE#{node}", "sk": "METADATA", **_BELONGS}),
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
        (Delete("node", transactional=True), Delete("record", transactional=True)), resolver="lambda"
    ),
    "dissolveGroup": Operation(
        (_CHECK, _EVERYTHING, DeleteFound(DOMAIN, "GROUP#{group}"), DeleteForFound("record", "#NODE#")),
        resolver="lambda",
    ),
    "renewHeartbeat": Operation((_CHECK, Update("living group"))),
    "sendMemberHeartbeat": Operation((_CHECK, Update("status"))),
    "reportDataByNode": Operation((_CHECK, Update("status"))),
    "fireEventsByNode": Operation((_CHECK,)),
    "recordEventsByNode": Operation((_CHECK, PutEvents("event")), resolver="lambda"),
    "listGroupsByDomain": Operation((_GROUPS,)),
    "listGroupStatuses": Operation((_MEMBERS,)),
    "listNodesInGroup": Operation((_MEMBERS,)),
    "getNodeStatus": Operation((Get("record"), Get("status"))),
    "getEventsSince": Operation((_SINCE,)),
    "pollGroupData": Operation((_SINCE, _MEMBERS)),
    "searchGroupsByNamePrefix": Operation((Query("", "", cause="scan of the table"),)),
}

LAYOUT = Layout("phase1", KINDS, OPERATIONS)
