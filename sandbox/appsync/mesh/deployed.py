"""The layout of the deployed code (public repository, read 2026-09).

A domain's groups, nodes and statuses share one partition key; a group's events have their own. Two indexes, both with
projection ALL: GroupIdIndex holds groups and statuses, GroupNameIndex holds every group of the service under one key.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from sandbox.appsync.context import Context
from sandbox.appsync.data_sources.dynamodb import DynamoDBDataSource
from sandbox.appsync.mesh.domain_partition import DomainPartition
from sandbox.appsync.mesh.layout import Item, Key, Request, filtered, get, key, node_name, put, query
from sandbox.appsync.resolvers import Function

ALL_GROUPS = "ALL_GROUPS"
_LIVING = "heartbeatAt > :threshold AND expiresAt > :now"


class Deployed(DomainPartition):
    """Groups, nodes and statuses under `DOMAIN#{domain}`; a status is a row beside its node's."""

    name = "deployed"
    failed_group_read_is_missing = True  # js/functions/checkGroupExists.js does not look at ctx.error (read 2026-11)

    # ---- groups ----------------------------------------------------------------------------------------------------

    def put_group(self, group: Item, ctx: Context) -> Request:
        now_s = ctx.util.now_epoch_seconds()
        domain, group_id = group["domain"], group["id"]
        return put(
            self.group_key(domain, group_id),
            {
                **group,
                "heartbeatAt": now_s,
                "ttl": now_s + ctx.env.host_heartbeat_ttl_s,
                "gsi_pk": f"GROUP#{group_id}",
                "gsi_sk": f"DOMAIN#{domain}",
                "gsi2_pk": ALL_GROUPS,
                "gsi2_sk": group["name"],
            },
        )

    def read_group(self, item: Item, ctx: Context) -> Item:
        # The deployed code looks at each of these only if it is there; older versions stored groups without them.
        seen_s = item.get("heartbeatAt")
        item["aliveUntil"] = math.inf if seen_s is None else seen_s + ctx.env.host_heartbeat_ttl_s
        item.setdefault("useWebSocket", True)
        item.setdefault("pollingIntervalSeconds", None)
        return item

    def find_groups(self, domain: str, host_id: str | None, ctx: Context) -> Request:
        living = self._living(ctx)
        if host_id is None:
            kept = filtered(_LIVING, living)
        else:
            kept = filtered(f"hostId = :hostId AND {_LIVING}", {**living, ":hostId": host_id})
        return query(
            "pk = :pk AND begins_with(sk, :prefix)", {":pk": f"DOMAIN#{domain}", ":prefix": "GROUP#"}, filter=kept
        )

    def search_groups(self, name_prefix: str, limit: int, ctx: Context) -> Request:
        return query(
            "gsi2_pk = :pk AND begins_with(gsi2_sk, :prefix)",
            {":pk": ALL_GROUPS, ":prefix": name_prefix},
            index="GroupNameIndex",
            filter=filtered(_LIVING, self._living(ctx)),
            limit=limit,
        )

    def _living(self, ctx: Context) -> Item:
        threshold_s = ctx.util.now_epoch_seconds() - ctx.env.host_heartbeat_ttl_s
        return {":threshold": threshold_s, ":now": ctx.util.now_iso8601()}

    # ---- nodes and their statuses ----------------------------------------------------------------------------------

    def status_key(self, domain: str, group_id: str, node_id: str) -> Key:
        return key(f"DOMAIN#{domain}", f"GROUP#{group_id}#NODE#{node_id}#STATUS")

    def join(self, domain: str, group_id: str, node_id: str, ctx: Context) -> Request:
        node = {
            "id": node_id,
            "nodeId": node_id,
            "groupId": group_id,
            "domain": domain,
            "name": node_name(node_id),
            "joinedAt": ctx.util.now_iso8601(),
            "ttl": ctx.util.now_epoch_seconds() + ctx.env.member_heartbeat_ttl_s,
        }
        return self.put_node_twice(domain, group_id, node_id, node, node)

    def is_node(self, item: Item) -> bool:
        return not item["sk"].endswith("#STATUS")

    def report(self, domain: str, group_id: str, node_id: str, data: list[Item], now: str, ctx: Context) -> Request:
        return {
            "operation": "PutItem",
            "key": self.status_key(domain, group_id, node_id),
            "attributeValues": {
                "nodeId": {"S": node_id},
                "groupId": {"S": group_id},
                "domain": {"S": domain},
                "data": {"L": [{"M": {"key": {"S": each["key"]}, "value": {"S": each["value"]}}} for each in data]},
                "timestamp": {"S": now},
                "ttl": {"N": str(ctx.util.now_epoch_seconds() + ctx.env.member_heartbeat_ttl_s)},
                "gsi_pk": {"S": f"NODE#{node_id}"},
                "gsi_sk": {"S": "STATUS"},
            },
        }

    def status_functions(self, dynamodb: DynamoDBDataSource) -> Sequence[Function]:
        def request(ctx: Context) -> Request:
            return self.list_nodes(ctx.args["domain"], ctx.args["groupId"], ctx)

        def response(ctx: Context) -> list[Item]:
            ctx.raise_error()
            return [self.read_status(item) for item in ctx.result["items"] if not self.is_node(item)]

        return [Function("fetchNodeStatuses", dynamodb, request, response)]

    def node_status_functions(self, dynamodb: DynamoDBDataSource) -> Sequence[Function]:
        def find_request(ctx: Context) -> Request:
            return get(self.own_record_key(ctx.args["nodeId"]))

        def find_response(ctx: Context) -> Item | None:
            ctx.raise_error()
            record = ctx.result
            if not record or record["ttl"] <= ctx.util.now_epoch_seconds():
                return None
            found: Item = record
            return found

        def fetch_request(ctx: Context) -> Request:
            record = ctx.prev.result
            if record is None:  # a function must name an operation, so the deployed code reads a key that nothing has
                return get(key("NONE", "NONE"))
            return get(self.status_key(record["domain"], record["groupId"], record["nodeId"]))

        def fetch_response(ctx: Context) -> Item | None:
            ctx.raise_error()
            return self.read_status(ctx.result) if ctx.result else None

        return [
            Function("findNodeMetadata", dynamodb, find_request, find_response),
            Function("fetchNodeStatus", dynamodb, fetch_request, fetch_response),
        ]

    # ---- leaving ---------------------------------------------------------------------------------------------------

    def leave_calls(self, domain: str, group_id: str, node_id: str) -> list[tuple[str, Request]]:
        status = {"TableName": self.table_name, "Key": self.status_key(domain, group_id, node_id)}
        return [*super().leave_calls(domain, group_id, node_id), ("DeleteItem", status)]
