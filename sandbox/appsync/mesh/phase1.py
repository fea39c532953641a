"""The layout of the first table design (phase 1-2, 2025-01).

A node's data lives in its row of the group. GroupIdIndex finds a group's domain. The design knows no lifetime and no
TTL: a group's end is reckoned from `createdAt`, and heartbeats add `heartbeatAt` and `ttl` to the rows that they touch.
"""

from __future__ import annotations

from collections.abc import Sequence

from sandbox.appsync.context import Context
from sandbox.appsync.data_sources.dynamodb import DynamoDBDataSource
from sandbox.appsync.mesh.domain_partition import DomainPartition
from sandbox.appsync.mesh.layout import Item, Request, filtered, get, node_name, put, query
from sandbox.appsync.resolvers import Function
from sandbox.appsync.typed_values import to_typed_map

_LIVING = (
    "createdAt > :createdAfter AND "
    "(heartbeatAt > :threshold OR (attribute_not_exists(heartbeatAt) AND createdAt > :presentSince))"
)


class Phase1(DomainPartition):
    """Groups and nodes under `DOMAIN#{domain}`; a node's row holds its data.

    The group's item has no place for its own lifetime or mode. So `maxConnectionTimeSeconds` is checked, but a group
    lives for the configured maximum; and a client is told the mode that it asks for, WebSocket if it asks for none.
    """

    name = "phase1"

    # ---- groups ----------------------------------------------------------------------------------------------------

    def put_group(self, group: Item, ctx: Context) -> Request:
        domain, group_id = group["domain"], group["id"]
        stored = {name: group[name] for name in ("id", "domain", "fullId", "name", "hostId", "createdAt")}
        keys = {"gsi_pk": f"GROUP#{group_id}", "gsi_sk": f"DOMAIN#{domain}"}
        group.update(self._mode(group, ctx))
        return put(self.group_key(domain, group_id), {**stored, **keys})

    def read_group(self, item: Item, ctx: Context) -> Item:
        created_s = ctx.util.iso8601_to_epoch_ms(item["createdAt"]) // 1000
        present_s = item.get("heartbeatAt", created_s)
        return {**item, **self._mode(item, ctx), "aliveUntil": present_s + ctx.env.host_heartbeat_ttl_s}

    @staticmethod
    def _mode(item: Item, ctx: Context) -> Item:
        created_ms = ctx.util.iso8601_to_epoch_ms(item["createdAt"])
        expires_ms = created_ms + ctx.env.max_connection_time_s * 1000
        polling = ctx.args.get("useWebSocket") is False
        return {
            "expiresAt": ctx.util.epoch_ms_to_iso8601(expires_ms),
            "useWebSocket": not polling,
            "pollingIntervalSeconds": ctx.env.polling_interval_s if polling else None,
        }

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
        """A Scan: the design has no index by name."""
        return {
            "operation": "Scan",
            "filter": filtered(
                f"begins_with(#name, :prefix) AND {_LIVING}",
                {":prefix": name_prefix, **self._living(ctx)},
                {"#name": "name"},
            ),
        }

    @staticmethod
    def _living(ctx: Context) -> Item:
        now_s, env, util = ctx.util.now_epoch_seconds(), ctx.env, ctx.util
        return {
            ":threshold": now_s - env.host_heartbeat_ttl_s,
            ":createdAfter": util.epoch_ms_to_iso8601(util.now_epoch_ms() - env.max_connection_time_s * 1000),
            ":presentSince": util.epoch_ms_to_iso8601(util.now_epoch_ms() - env.host_heartbeat_ttl_s * 1000),
        }

    # ---- nodes and their data --------------------------------------------------------------------------------------

    def join(self, domain: str, group_id: str, node_id: str, ctx: Context) -> Request:
        belongs = {"nodeId": node_id, "groupId": group_id, "domain": domain}
        node = {**belongs, "name": node_name(node_id), "data": [], "timestamp": ctx.util.now_iso8601()}
        return self.put_node_twice(domain, group_id, node_id, node, belongs)

    def is_node(self, item: Item) -> bool:
        return True

    def report(self, domain: str, group_id: str, node_id: str, data: list[Item], now: str, ctx: Context) -> Request:
        """An update, so that the row keeps its name; a host, which has not joined, gets its row by its first report."""
        return {
            "operation": "UpdateItem",
            "key": self.node_key(domain, group_id, node_id),
            "update": {
                "expression": "SET nodeId = :node, groupId = :group, #domain = :domain, #data = :data, #at = :now",
                "expressionNames": {"#domain": "domain", "#data": "data", "#at": "timestamp"},
                "expressionValues": to_typed_map(
                    {":node": node_id, ":group": group_id, ":domain": domain, ":data": data, ":now": now}
                ),
            },
        }

    def status_functions(self, dynamodb: DynamoDBDataSource) -> Sequence[Function]:
        def request(ctx: Context) -> Request:
            return self.list_nodes(ctx.args["domain"], ctx.args["groupId"], ctx)

        def response(ctx: Context) -> list[Item]:
            ctx.raise_error()
            return [self.read_status(item) for item in ctx.result["items"]]

        return [Function("fetchNodeStatuses", dynamodb, request, response)]

    def node_status_functions(self, dynamodb: DynamoDBDataSource) -> Sequence[Function]:
        def find_request(ctx: Context) -> Request:
            return get(self.own_record_key(ctx.args["nodeId"]))

        def find_response(ctx: Context) -> Item | None:
            ctx.raise_error()
            record: Item | None = ctx.result
            return record

        def fetch_request(ctx: Context) -> Request:
            record = ctx.prev.result
            if record is None:
                ctx.early_return(None)
            return get(self.node_key(record["domain"], record["groupId"], record["nodeId"]))

        def fetch_response(ctx: Context) -> Item | None:
            ctx.raise_error()
            return self.read_status(ctx.result) if ctx.result else None

        return [
            Function("findNodeMetadata", dynamodb, find_request, find_response),
            Function("fetchNodeStatus", dynamodb, fetch_request, fetch_response),
        ]
