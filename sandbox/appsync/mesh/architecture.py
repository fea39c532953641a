"""The layout of the architecture document (2026-01).

Groups stay under their domain, nodes and events under their group, statuses under their node, so that reports of one
school spread over as many partition keys as it has nodes. GSI1 lists a domain's groups by creation time.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox.appsync.context import Context
from sandbox.appsync.data_sources.dynamodb import DynamoDBDataSource
from sandbox.appsync.mesh.layout import (
    UNEXPIRED_ROWS,
    Item,
    Key,
    Layout,
    Request,
    filtered,
    get,
    key,
    node_name,
    put,
    query,
    update_group,
)
from sandbox.appsync.resolvers import Function

# `ttl` is a group's presence: every host heartbeat sets it one host TTL ahead. Both figures are epoch seconds here.
_LIVING = "#ttl > :now AND expiresAt > :now"
_TTL = {"#ttl": "ttl"}


KEYS_PER_BATCH_GET = 100


class Architecture(Layout):
    """Groups under `DOMAIN#{domain}`, nodes under `GROUP#{group}@{domain}`, statuses under `NODE#{node}`."""

    name = "architecture"

    # ---- groups ----------------------------------------------------------------------------------------------------

    def group_key(self, domain: str, group_id: str) -> Key:
        return key(f"DOMAIN#{domain}", f"GROUP#{group_id}#METADATA")

    def put_group(self, group: Item, ctx: Context) -> Request:
        domain, group_id = group["domain"], group["id"]
        return put(
            self.group_key(domain, group_id),
            {
                "GSI1PK": f"DOMAIN#{domain}",
                "GSI1SK": f"GROUP#{group['createdAt']}",
                "groupId": group_id,
                "domain": domain,
                "name": group["name"],
                "hostId": group["hostId"],
                "createdAt": group["createdAt"],
                "expiresAt": ctx.util.iso8601_to_epoch_ms(group["expiresAt"]) // 1000,
                "ttl": ctx.util.now_epoch_seconds() + ctx.env.host_heartbeat_ttl_s,
                "useWebSocket": group["useWebSocket"],
                "pollingIntervalSeconds": group["pollingIntervalSeconds"],
            },
        )

    def read_group(self, item: Item, ctx: Context) -> Item:
        return {
            **item,
            "id": item["groupId"],
            "fullId": f"{item['groupId']}@{item['domain']}",
            "expiresAt": ctx.util.epoch_ms_to_iso8601(item["expiresAt"] * 1000),
            "aliveUntil": item["ttl"],
        }

    def find_groups(self, domain: str, host_id: str | None, ctx: Context) -> Request:
        return query(
            "pk = :pk AND begins_with(sk, :prefix)",
            {":pk": f"DOMAIN#{domain}", ":prefix": "GROUP#"},
            filter=filtered(
                f"hostId = :hostId AND {_LIVING}",
                {":hostId": host_id, ":now": ctx.util.now_epoch_seconds()},
                _TTL,
            ),
        )

    def list_groups(self, domain: str, ctx: Context) -> Request:
        return query(
            "GSI1PK = :pk AND begins_with(GSI1SK, :prefix)",
            {":pk": f"DOMAIN#{domain}", ":prefix": "GROUP#"},
            index="GSI1",
            filter=filtered(_LIVING, {":now": ctx.util.now_epoch_seconds()}, _TTL),
        )

    def search_groups(self, name_prefix: str, limit: int, ctx: Context) -> Request:
        """A Scan: the design has no index by name."""
        return {
            "operation": "Scan",
            "filter": filtered(
                f"begins_with(#name, :prefix) AND attribute_exists(hostId) AND {_LIVING}",
                {":prefix": name_prefix, ":now": ctx.util.now_epoch_seconds()},
                {"#name": "name", **_TTL},
            ),
        }

    def renew_group(self, domain: str, group_id: str, ctx: Context) -> Request:
        until_s = ctx.util.now_epoch_seconds() + ctx.env.host_heartbeat_ttl_s
        return update_group(self.group_key(domain, group_id), {"ttl": until_s})

    # ---- nodes and their statuses ----------------------------------------------------------------------------------

    def group_partition(self, domain: str, group_id: str) -> str:
        return self.events_partition(domain, group_id)

    def node_key(self, domain: str, group_id: str, node_id: str) -> Key:
        return key(self.group_partition(domain, group_id), f"NODE#{node_id}")

    @staticmethod
    def status_key(node_id: str) -> Key:
        return key(f"NODE#{node_id}", "STATUS#LATEST")

    def join(self, domain: str, group_id: str, node_id: str, ctx: Context) -> Request:
        return put(
            self.node_key(domain, group_id, node_id),
            {
                "nodeId": node_id,
                "name": node_name(node_id),
                "groupId": group_id,
                "domain": domain,
                "ttl": ctx.util.now_epoch_seconds() + ctx.env.member_heartbeat_ttl_s,
            },
        )

    def list_nodes(self, domain: str, group_id: str, ctx: Context) -> Request:
        return query(
            "pk = :pk AND begins_with(sk, :prefix)",
            {":pk": self.group_partition(domain, group_id), ":prefix": "NODE#"},
            filter=filtered(UNEXPIRED_ROWS, {":now": ctx.util.now_epoch_seconds()}, _TTL),
        )

    def is_node(self, item: Item) -> bool:
        return True

    def report(self, domain: str, group_id: str, node_id: str, data: list[Item], now: str, ctx: Context) -> Request:
        return put(
            self.status_key(node_id),
            {"nodeId": node_id, "groupId": group_id, "domain": domain, "data": data, "timestamp": now},
        )

    def status_functions(self, dynamodb: DynamoDBDataSource) -> Sequence[Function]:
        """The document calls this a scan; here: the group's node rows, then the status of each of them."""

        def nodes_request(ctx: Context) -> Request:
            return self.list_nodes(ctx.args["domain"], ctx.args["groupId"], ctx)

        def nodes_response(ctx: Context) -> list[str]:
            ctx.raise_error()
            return [item["nodeId"] for item in ctx.result["items"]][:KEYS_PER_BATCH_GET]

        def statuses_request(ctx: Context) -> Request:
            keys = [self.status_key(node_id) for node_id in ctx.prev.result]
            if not keys:
                ctx.early_return([])
            return {"operation": "BatchGetItem", "tables": {self.table_name: {"keys": keys}}}

        def statuses_response(ctx: Context) -> list[Item]:
            ctx.raise_error()
            here = (ctx.args["groupId"], ctx.args["domain"])
            found = ctx.result["data"][self.table_name]
            return [self.read_status(item) for item in found if item and (item["groupId"], item["domain"]) == here]

        return [
            Function("fetchNodes", dynamodb, nodes_request, nodes_response),
            Function("fetchNodeStatuses", dynamodb, statuses_request, statuses_response),
        ]

    def node_status_functions(self, dynamodb: DynamoDBDataSource) -> Sequence[Function]:
        def request(ctx: Context) -> Request:
            return get(self.status_key(ctx.args["nodeId"]))

        def response(ctx: Context) -> Item | None:
            ctx.raise_error()
            return self.read_status(ctx.result) if ctx.result else None

        return [Function("fetchNodeStatus", dynamodb, request, response)]

    # ---- leaving and dissolving ------------------------------------------------------------------------------------

    def leave_calls(self, domain: str, group_id: str, node_id: str) -> list[tuple[str, Request]]:
        keys = (self.node_key(domain, group_id, node_id), self.status_key(node_id))
        return [("DeleteItem", {"TableName": self.table_name, "Key": item_key}) for item_key in keys]

    def rows_of_group(self, domain: str, group_id: str) -> Request:
        """Nodes and events together: they share the group's partition key."""
        return {
            "TableName": self.table_name,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": self.group_partition(domain, group_id)}},
        }

    def keys_to_dissolve(self, domain: str, group_id: str, rows: list[Request]) -> list[Key]:
        """The group, its rows, and the status of every node."""
        keys = [self.group_key(domain, group_id)]
        keys += [{"pk": row["pk"], "sk": row["sk"]} for row in rows]
        keys += [self.status_key(row["nodeId"]["S"]) for row in rows if row["sk"]["S"].startswith("NODE#")]
        return keys
