"""Mesh v2's 17 operations as resolvers over one layout.

Source: the deployed code's resolver kinds, errors and messages (public repository, read 2026-09).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.appsync.context import Context
from sandbox.appsync.data_sources.dynamodb import DynamoDBDataSource
from sandbox.appsync.data_sources.lambda_function import LambdaDataSource, event
from sandbox.appsync.data_sources.none import NoneDataSource
from sandbox.appsync.lambda_service import LambdaFunction
from sandbox.appsync.mesh.functions import FUNCTIONS
from sandbox.appsync.mesh.group_presence import Absence, absence_of
from sandbox.appsync.mesh.layout import Item, Layout, Request, node_name
from sandbox.appsync.mesh.settings import MeshSettings
from sandbox.appsync.resolvers import Function, PipelineResolver, Resolver, UnitResolver

MAX_DOMAIN_CHARACTERS = 256
SEARCH_LIMIT = 10


class Operations:
    """Builds the resolvers; every handler is a method that takes `ctx`."""

    def __init__(self, layout: Layout, dynamodb: DynamoDBDataSource) -> None:
        self.layout = layout
        self.dynamodb = dynamodb

    def resolvers(
        self,
        settings: MeshSettings,
        clock: Callable[[], float],
        new_id: Callable[[], str],
        function: LambdaFunction | None = None,
    ) -> dict[str, Resolver]:
        """Field name -> resolver; field names are unique over Query and Mutation."""
        layout, dynamodb = self.layout, self.dynamodb
        check = Function("checkGroupExists", dynamodb, self.check_request, self.check_response)

        def checked(name: str, request: Any, response: Any, source: Any = dynamodb) -> PipelineResolver:
            return PipelineResolver([check, Function(name, source, request, response)])

        statuses = layout.status_functions(dynamodb)
        resolvers: dict[str, Resolver] = {
            "createGroup": PipelineResolver(
                [
                    Function("checkExistingGroup", dynamodb, self.existing_request, self.existing_response),
                    Function("createGroupIfNotExists", dynamodb, self.create_request, self.create_response),
                ]
            ),
            "joinGroup": checked("joinGroup", self.join_request, self.join_response),
            "renewHeartbeat": checked("renewHeartbeat", self.renew_request, self.renew_response),
            "sendMemberHeartbeat": checked("updateNodeTTL", self.member_request, self.member_response),
            "reportDataByNode": checked("reportDataByNode", self.report_request, self.report_response),
            "fireEventsByNode": checked("fireEventsByNode", self.fire_request, self.fire_response, NoneDataSource()),
            "listGroupsByDomain": UnitResolver("listGroups", dynamodb, self.list_request, self.groups_response),
            "searchGroupsByNamePrefix": UnitResolver("search", dynamodb, self.search_request, self.search_response),
            "listNodesInGroup": UnitResolver("listNodes", dynamodb, self.nodes_request, self.nodes_response),
            "listGroupStatuses": PipelineResolver(statuses) if len(statuses) > 1 else statuses[0],
            "getNodeStatus": PipelineResolver(layout.node_status_functions(dynamodb)),
            "getEventsSince": UnitResolver("getEventsSince", dynamodb, self.events_request, self.events_response),
            "pollGroupData": PipelineResolver(
                [Function("fetchEventsForPoll", dynamodb, self.events_request, self.stash_events), *statuses],
                after=self.poll_response,
            ),
        }
        for name, build in FUNCTIONS.items():
            handler = build(layout, dynamodb.call, settings, clock, new_id)
            resolvers[name] = UnitResolver(name, LambdaDataSource(handler, function), event)
        return resolvers

    # ---- the group that an operation names -------------------------------------------------------------------------

    def check_request(self, ctx: Context) -> Request:
        return self.layout.get_group(ctx.args["domain"], ctx.args["groupId"])

    def check_response(self, ctx: Context) -> Item:
        if not self.layout.failed_group_read_is_missing:
            ctx.raise_error()
        args, util = ctx.args, ctx.util
        if not ctx.result:
            util.error(f"Group not found: {args['groupId']}@{args['domain']}", "GroupNotFound")
        group = self.layout.read_group(ctx.result, ctx)
        absence = absence_of(group, util.now_epoch_seconds(), util)
        if absence is not None:
            name = f"{args['groupId']}@{args['domain']}"
            if absence is Absence.EXPIRED:
                util.error(f"Group expired: {name} (expiresAt: {group['expiresAt']})", "GroupNotFound")
            util.error(f"Group not found: {name} (heartbeat expired)", "GroupNotFound")
        ctx.stash["group"] = group
        return group

    # ---- createGroup -----------------------------------------------------------------------------------------------

    def existing_request(self, ctx: Context) -> Request:
        return self.layout.find_groups(ctx.args["domain"], ctx.args["hostId"], ctx)

    def existing_response(self, ctx: Context) -> None:
        ctx.raise_error()
        ctx.stash["existing"] = next((item for item in ctx.result["items"] if self.layout.is_group(item)), None)

    def create_request(self, ctx: Context) -> Request:
        existing = ctx.stash["existing"]
        if existing is not None:
            return {"operation": "GetItem", "key": ctx.util.to_map_values({"pk": existing["pk"], "sk": existing["sk"]})}
        args, util = ctx.args, ctx.util
        domain = args["domain"]
        if len(domain) > MAX_DOMAIN_CHARACTERS:
            util.error(f"Domain must be {MAX_DOMAIN_CHARACTERS} characters or less", "ValidationError")
        longest_s = ctx.env.max_connection_time_s
        lifetime_s = args.get("maxConnectionTimeSeconds")
        if lifetime_s is None:
            lifetime_s = longest_s
        elif lifetime_s < 1:
            util.error("maxConnectionTimeSeconds must be at least 1", "ValidationError")
        elif lifetime_s > longest_s:
            util.error(f"maxConnectionTimeSeconds cannot exceed {longest_s}", "ValidationError")
        group_id = util.auto_id()
        now_ms = util.now_epoch_ms()
        group = {
            "id": group_id,
            "domain": domain,
            "fullId": f"{group_id}@{domain}",
            "name": args["name"],
            "hostId": args["hostId"],
            "createdAt": util.epoch_ms_to_iso8601(now_ms),
            "expiresAt": util.epoch_ms_to_iso8601(now_ms + lifetime_s * 1000),
            "useWebSocket": args["useWebSocket"],
            "pollingIntervalSeconds": None if args["useWebSocket"] else ctx.env.polling_interval_s,
        }
        ctx.stash["group"] = group
        return self.layout.put_group(group, ctx)

    def create_response(self, ctx: Context) -> Item:
        ctx.raise_error()
        group = ctx.stash.get("group")
        if group is None:
            # TTL may take the item between the two reads; what was found a moment ago is still the answer.
            group = self.layout.read_group(ctx.result or ctx.stash["existing"], ctx)
        return {**group, "heartbeatIntervalSeconds": ctx.env.host_heartbeat_interval_s}

    # ---- joining and staying ---------------------------------------------------------------------------------------

    def join_request(self, ctx: Context) -> Request:
        args = ctx.args
        return self.layout.join(args["domain"], args["groupId"], args["nodeId"], ctx)

    def join_response(self, ctx: Context) -> Item:
        ctx.raise_error()
        args, group = ctx.args, ctx.stash["group"]
        return {
            "id": args["nodeId"],
            "name": node_name(args["nodeId"]),
            "groupId": args["groupId"],
            "domain": args["domain"],
            "expiresAt": group.get("expiresAt"),
            "heartbeatIntervalSeconds": ctx.env.member_heartbeat_interval_s,
            "useWebSocket": group["useWebSocket"],
            "pollingIntervalSeconds": group["pollingIntervalSeconds"],
        }

    def renew_request(self, ctx: Context) -> Request:
        args = ctx.args
        if ctx.stash["group"]["hostId"] != args["hostId"]:
            ctx.util.error("Only the host can renew the heartbeat", "Unauthorized")
        return self.layout.renew_group(args["domain"], args["groupId"], ctx)

    def renew_response(self, ctx: Context) -> Item:
        ctx.raise_error()
        return {
            "groupId": ctx.args["groupId"],
            "domain": ctx.args["domain"],
            "expiresAt": ctx.stash["group"].get("expiresAt"),
            "heartbeatIntervalSeconds": ctx.env.host_heartbeat_interval_s,
        }

    def member_request(self, ctx: Context) -> Request:
        args = ctx.args
        return self.layout.renew_node(args["domain"], args["groupId"], args["nodeId"], ctx)

    def member_response(self, ctx: Context) -> Item:
        if ctx.error is not None and ctx.error.type == "DynamoDB:ConditionalCheckFailedException":
            ctx.util.error("Node not found", "NodeNotFound")
        ctx.raise_error()
        args = ctx.args
        until_s = ctx.util.now_epoch_seconds() + ctx.env.member_heartbeat_ttl_s
        return {
            "nodeId": args["nodeId"],
            "groupId": args["groupId"],
            "domain": args["domain"],
            "expiresAt": ctx.util.epoch_ms_to_iso8601(until_s * 1000),
            "heartbeatIntervalSeconds": ctx.env.member_heartbeat_interval_s,
        }

    # ---- reports and events ----------------------------------------------------------------------------------------

    def report_request(self, ctx: Context) -> Request:
        args = ctx.args
        now = ctx.stash["now"] = ctx.util.now_iso8601()
        return self.layout.report(args["domain"], args["groupId"], args["nodeId"], args["data"], now, ctx)

    def report_response(self, ctx: Context) -> Item:
        ctx.raise_error()
        args = ctx.args
        group_id, domain = args["groupId"], args["domain"]
        return {
            "groupId": group_id,
            "domain": domain,
            "nodeStatus": {
                "nodeId": args["nodeId"],
                "groupId": group_id,
                "domain": domain,
                "data": args["data"],
                "timestamp": ctx.stash["now"],
            },
        }

    def fire_request(self, ctx: Context) -> Request:
        return {"payload": None}

    def fire_response(self, ctx: Context) -> Item:
        args = ctx.args
        group_id, domain, node_id = args["groupId"], args["domain"], args["nodeId"]
        return {
            "groupId": group_id,
            "domain": domain,
            "batchEvent": {
                "events": [
                    {
                        "name": each["eventName"],
                        "firedByNodeId": node_id,
                        "groupId": group_id,
                        "domain": domain,
                        "payload": each.get("payload") or None,
                        "timestamp": each["firedAt"],
                        "orderKey": each.get("orderKey") or None,
                    }
                    for each in args["events"]
                ],
                "firedByNodeId": node_id,
                "groupId": group_id,
                "domain": domain,
                "timestamp": ctx.util.now_iso8601(),
            },
        }

    # ---- queries ---------------------------------------------------------------------------------------------------

    def list_request(self, ctx: Context) -> Request:
        return self.layout.list_groups(ctx.args["domain"], ctx)

    def search_request(self, ctx: Context) -> Request:
        prefix = ctx.args["namePrefix"]
        if not prefix:
            ctx.util.error("namePrefix must be at least 1 character", "ValidationError")
        limit = ctx.args.get("limit")
        if limit is None:
            limit = SEARCH_LIMIT
        elif limit < 1:
            ctx.util.error("limit must be at least 1", "ValidationError")
        ctx.stash["limit"] = limit
        return self.layout.search_groups(prefix, limit, ctx)

    def search_response(self, ctx: Context) -> list[Item]:
        limit: int = ctx.stash["limit"]
        return self.groups_response(ctx)[:limit]

    def groups_response(self, ctx: Context) -> list[Item]:
        ctx.raise_error()
        layout = self.layout
        interval_s = ctx.env.host_heartbeat_interval_s
        return [
            {**layout.read_group(item, ctx), "heartbeatIntervalSeconds": interval_s}
            for item in ctx.result["items"]
            if layout.is_group(item)
        ]

    def nodes_request(self, ctx: Context) -> Request:
        return self.layout.list_nodes(ctx.args["domain"], ctx.args["groupId"], ctx)

    def nodes_response(self, ctx: Context) -> list[Item]:
        ctx.raise_error()
        return [self.layout.read_node(item) for item in ctx.result["items"] if self.layout.is_node(item)]

    def events_request(self, ctx: Context) -> Request:
        args = ctx.args
        return self.layout.events_since(args["domain"], args["groupId"], args["since"])

    def events_response(self, ctx: Context) -> list[Item]:
        ctx.raise_error()
        # In the architecture layout node rows share the partition and sort behind every cursor: read, charged, dropped.
        return [self.layout.read_event(item) for item in ctx.result["items"] if item["sk"].startswith("EVENT#")]

    def stash_events(self, ctx: Context) -> None:
        ctx.stash["events"] = self.events_response(ctx)

    def poll_response(self, ctx: Context) -> Item:
        return {"events": ctx.stash["events"], "nodeStatuses": ctx.prev.result}
