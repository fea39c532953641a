"""The layout of the architecture document (2026-01): statuses under their node, nodes and events under their group.

The document calls reading all statuses of a group a scan; here it is a Query of the group's nodes and one BatchGetItem
of their statuses. A host has no node row, so neither that nor a dissolution finds its status.
"""

from __future__ import annotations

from capacity.workloads.mesh.items import EPOCH, SMALL, Data, Flag, ItemKind, event_kind
from capacity.workloads.mesh.steps import (
    Delete,
    DeleteForFound,
    DeleteFound,
    Get,
    GetEach,
    Layout,
    Operation,
    Put,
    PutEvents,
    Query,
    Update,
)

DOMAIN = "DOMAIN#{domain}"
GROUP = "GROUP#{group}@{domain}"

KINDS = {
    "group": ItemKind(
        "group",
        {
            "pk": DOMAIN,
            "sk": "GROUP#{group}#METADATA",
            "GSI1PK": DOMAIN,
            "GSI1SK": "GROUP#{instant}",
            "groupId": "{group}",
            "domain": "{domain}",
            "name": "{group_name}",
            "hostId": "{node}",
            "createdAt": "{instant}",
            "expiresAt": EPOCH,
            "ttl": EPOCH,
            "useWebSocket": Flag,
            "pollingIntervalSeconds": SMALL,
        },
    ),
    "node": ItemKind(
        "node",
        {
            "pk": GROUP,
            "sk": "NODE#{node}",
            "nodeId": "{node}",
            "name": "Node {node}",
            "groupId": "{group}",
            "domain": "{domain}",
            "ttl": EPOCH,
        },
    ),
    "status": ItemKind(
        "status",
        {
            "pk": "NODE#{node}",
            "sk": "STATUS#LATEST",
            "nodeId": "{node}",
            "groupId": "{group}",
            "domain": "{domain}",
            "data": Data,
            "timestamp": "{instant}",
        },
    ),
    "event": event_kind(GROUP),
}

_CHECK = Get("group", cause="group check")
_NODES = Query(GROUP, "NODE#", cause="query of the group")
_STATUSES = GetEach("status", of="node", cause="status of each node")
_SINCE = Query(GROUP, "EVENT#", after_cursor=True, beyond="NODE#", limit=100, cause="events since")
_EXISTING = Query(DOMAIN, "GROUP#", cause="query of the domain")

OPERATIONS = {
    "createDomain": Operation((), resolver="lambda"),
    "createGroup": Operation((_EXISTING, Put("group")), again=(_EXISTING, Get("group"))),
    "joinGroup": Operation((_CHECK, Put("node"))),
    "leaveGroup": Operation((Delete("node"), Delete("status")), resolver="lambda"),
    "dissolveGroup": Operation(
        (
            _CHECK,
            Query(GROUP, "", cause="query of the group"),
            Delete("group"),
            DeleteFound(GROUP, ""),
            DeleteForFound("status", "NODE#", cause="status of each node"),
        ),
        resolver="lambda",
    ),
    "renewHeartbeat": Operation((_CHECK, Update("group"))),
    "sendMemberHeartbeat": Operation((_CHECK, Update("node"))),
    "reportDataByNode": Operation((_CHECK, Put("status"))),
    "fireEventsByNode": Operation((_CHECK,)),
    "recordEventsByNode": Operation((_CHECK, PutEvents("event")), resolver="lambda"),
    "listGroupsByDomain": Operation((Query(DOMAIN, "GROUP#", index="GSI1", cause="query of the domain"),)),
    "listGroupStatuses": Operation((_NODES, _STATUSES)),
    "listNodesInGroup": Operation((_NODES,)),
    "getNodeStatus": Operation((Get("status"),)),
    "getEventsSince": Operation((_SINCE,)),
    "pollGroupData": Operation((_SINCE, _NODES, _STATUSES)),
    "searchGroupsByNamePrefix": Operation((Query("", "", cause="scan of the table"),)),
}

LAYOUT = Layout("architecture", KINDS, OPERATIONS)
