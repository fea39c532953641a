"""The GraphQL operations that a client sends, and the request bodies made from them.

Selection sets decide what subscribers receive, so reports and events select what the deployed client selects
(public code, 2026-09).
"""

from __future__ import annotations

from typing import Any

import orjson

_GROUP = "id domain fullId name hostId expiresAt"
_NODE_STATUS = "nodeId groupId domain data { key value } timestamp"
_EVENT = "name firedByNodeId groupId domain payload timestamp"
_BATCH_EVENT = f"events {{ {_EVENT} orderKey }} firedByNodeId groupId domain timestamp"

QUERIES: dict[str, str] = {
    "createDomain": "mutation CreateDomain { createDomain }",
    "createGroup": (
        "mutation CreateGroup($name: String!, $hostId: ID!, $domain: String!, $maxConnectionTimeSeconds: Int, "
        "$useWebSocket: Boolean!) { createGroup(name: $name, hostId: $hostId, domain: $domain, "
        "maxConnectionTimeSeconds: $maxConnectionTimeSeconds, useWebSocket: $useWebSocket) "
        f"{{ {_GROUP} heartbeatIntervalSeconds useWebSocket pollingIntervalSeconds }} }}"
    ),
    "joinGroup": (
        "mutation JoinGroup($groupId: ID!, $domain: String!, $nodeId: ID!, $useWebSocket: Boolean) "
        "{ joinGroup(groupId: $groupId, domain: $domain, nodeId: $nodeId, useWebSocket: $useWebSocket) "
        "{ id name groupId domain expiresAt heartbeatIntervalSeconds useWebSocket pollingIntervalSeconds } }"
    ),
    "leaveGroup": (
        "mutation LeaveGroup($groupId: ID!, $domain: String!, $nodeId: ID!) "
        "{ leaveGroup(groupId: $groupId, domain: $domain, nodeId: $nodeId) { peerId groupId domain message } }"
    ),
    "dissolveGroup": (
        "mutation DissolveGroup($groupId: ID!, $domain: String!, $hostId: ID!) "
        "{ dissolveGroup(groupId: $groupId, domain: $domain, hostId: $hostId) "
        "{ groupId domain groupDissolve { groupId domain message } } }"
    ),
    "renewHeartbeat": (
        "mutation RenewHeartbeat($groupId: ID!, $domain: String!, $hostId: ID!) "
        "{ renewHeartbeat(groupId: $groupId, domain: $domain, hostId: $hostId) "
        "{ groupId domain expiresAt heartbeatIntervalSeconds } }"
    ),
    "sendMemberHeartbeat": (
        "mutation SendMemberHeartbeat($groupId: ID!, $domain: String!, $nodeId: ID!) "
        "{ sendMemberHeartbeat(groupId: $groupId, domain: $domain, nodeId: $nodeId) "
        "{ nodeId groupId domain expiresAt heartbeatIntervalSeconds } }"
    ),
    "reportDataByNode": (
        "mutation ReportDataByNode($groupId: ID!, $domain: String!, $nodeId: ID!, $data: [SensorDataInput!]!) "
        "{ reportDataByNode(groupId: $groupId, domain: $domain, nodeId: $nodeId, data: $data) "
        f"{{ groupId domain nodeStatus {{ {_NODE_STATUS} }} }} }}"
    ),
    "fireEventsByNode": (
        "mutation FireEventsByNode($groupId: ID!, $domain: String!, $nodeId: ID!, $events: [EventInput!]!) "
        "{ fireEventsByNode(groupId: $groupId, domain: $domain, nodeId: $nodeId, events: $events) "
        f"{{ groupId domain batchEvent {{ {_BATCH_EVENT} }} }} }}"
    ),
    "recordEventsByNode": (
        "mutation RecordEventsByNode($groupId: ID!, $domain: String!, $nodeId: ID!, $events: [EventInput!]!) "
        "{ recordEventsByNode(groupId: $groupId, domain: $domain, nodeId: $nodeId, events: $events) "
        "{ groupId domain recordedCount nextSince } }"
    ),
    "listGroupsByDomain": (
        f"query ListGroupsByDomain($domain: String!) {{ listGroupsByDomain(domain: $domain) {{ {_GROUP} }} }}"
    ),
    "listGroupStatuses": (
        "query ListGroupStatuses($groupId: ID!, $domain: String!) "
        f"{{ listGroupStatuses(groupId: $groupId, domain: $domain) {{ {_NODE_STATUS} }} }}"
    ),
    "pollGroupData": (
        "query PollGroupData($groupId: ID!, $domain: String!, $since: String!) "
        "{ pollGroupData(groupId: $groupId, domain: $domain, since: $since) "
        f"{{ events {{ {_EVENT} cursor orderKey }} nodeStatuses {{ {_NODE_STATUS} }} }} }}"
    ),
    "onMessageInGroup": (
        "subscription OnMessageInGroup($groupId: ID!, $domain: String!) "
        "{ onMessageInGroup(groupId: $groupId, domain: $domain) { groupId domain "
        f"nodeStatus {{ {_NODE_STATUS} }} batchEvent {{ {_BATCH_EVENT} }} "
        "groupDissolve { groupId domain message } } }"
    ),
}

# A body is written 3,200 times a second: everything but the variables is encoded once.
_HEADS: dict[str, bytes] = {
    operation: b'{"query":' + orjson.dumps(query) + b',"variables":' for operation, query in QUERIES.items()
}


def body(operation: str, variables: dict[str, Any]) -> bytes:
    """The JSON body of a GraphQL request over HTTP."""
    return _HEADS[operation] + orjson.dumps(variables) + b"}"


def subscription_data(variables: dict[str, Any]) -> str:
    """`payload.data` of an AppSync real-time `start` message: a JSON text within the JSON message."""
    return body("onMessageInGroup", variables).decode()
