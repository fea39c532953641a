"""The four operations that run in Lambda functions, each with a DynamoDB client of its own.

A handler takes AppSync's event. What it raises becomes the field's error; a client's failure is not caught, so it
arrives as `Lambda:Unhandled`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from sandbox.appsync.context import Context, RequestInfo, Util
from sandbox.appsync.data_sources.dynamodb import EngineCall
from sandbox.appsync.data_sources.lambda_function import Handler, LambdaError
from sandbox.appsync.mesh.group_presence import absence_of
from sandbox.appsync.mesh.layout import Item, Layout
from sandbox.appsync.mesh.settings import MeshSettings
from sandbox.appsync.typed_values import from_typed_map, to_typed_map

BATCH_WRITE_ITEMS = 25  # DynamoDB's limit of one BatchWriteItem

Event = dict[str, Any]


class MeshFunction:
    """What every handler has: the layout, a client (`call`), the settings, the time and a source of UUIDs."""

    def __init__(
        self,
        layout: Layout,
        call: EngineCall,
        settings: MeshSettings,
        clock: Callable[[], float],
        new_id: Callable[[], str],
    ) -> None:
        self.layout = layout
        self.call = call
        self.settings = settings
        self.clock = clock
        self.new_id = new_id
        self._ctx = Context({}, RequestInfo({}), settings, Util(clock))

    def __call__(self, event: Event) -> Any:
        raise NotImplementedError

    def find_group(self, domain: str, group_id: str) -> Item | None:
        """The group, unless it is missing, past its expiry or left by its host."""
        request = {"TableName": self.layout.table_name, "Key": self.layout.group_key(domain, group_id)}
        item = self.call("GetItem", request).get("Item")
        if not item:
            return None
        group = self.layout.read_group(from_typed_map(item), self._ctx)
        return group if absence_of(group, int(self.clock()), self._ctx.util) is None else None


class CreateDomain(MeshFunction):
    """The source address of the request: the first entry of `x-forwarded-for`."""

    def __call__(self, event: Event) -> str:
        forwarded: str = event["request"]["headers"]["x-forwarded-for"]
        return forwarded.split(",", 1)[0].strip() or "none"


class LeaveGroup(MeshFunction):
    """Takes the node's records out, then its status."""

    def __call__(self, event: Event) -> Item:
        args = event["arguments"]
        domain, group_id, node_id = args["domain"], args["groupId"], args["nodeId"]
        for operation, request in self.layout.leave_calls(domain, group_id, node_id):
            self.call(operation, request)
        return {
            "peerId": node_id,
            "groupId": group_id,
            "domain": domain,
            "message": f"Peer {node_id} successfully left group {group_id}",
        }


class DissolveGroup(MeshFunction):
    """Host only. Deletes what the group left in the table, one DeleteItem each."""

    def __call__(self, event: Event) -> Item:
        args = event["arguments"]
        domain, group_id, host_id = args["domain"], args["groupId"], args["hostId"]
        group = self.find_group(domain, group_id)
        if group is None:
            raise LambdaError(f"Group not found: {group_id}@{domain}", "GroupNotFound")
        if group["hostId"] != host_id:
            raise LambdaError("Only the host can dissolve the group", "Unauthorized")
        rows = self.call("Query", self.layout.rows_of_group(domain, group_id)).get("Items", [])
        for item_key in self.layout.keys_to_dissolve(domain, group_id, rows):
            self.call("DeleteItem", {"TableName": self.layout.table_name, "Key": item_key})
        message = f"Group {group_id}@{domain} has been dissolved successfully."
        return {
            "groupId": group_id,
            "domain": domain,
            "groupDissolve": {"groupId": group_id, "domain": domain, "message": message},
        }


class RecordEvents(MeshFunction):
    """Stores a batch of events in slices of 25. All carry one server timestamp, of one-second resolution.

    Unprocessed items of a slice are not retried: the deployed code does not look at them either.
    """

    def __call__(self, event: Event) -> Item:
        args = event["arguments"]
        domain, group_id, node_id, events = args["domain"], args["groupId"], args["nodeId"], args["events"]
        if self.find_group(domain, group_id) is None:
            raise LambdaError("Group not found")
        now_s = int(self.clock())
        timestamp = datetime.fromtimestamp(now_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        cursor = f"EVENT#{timestamp}"
        items = []
        for each in events:
            order_key = each.get("orderKey")
            tail = f"{order_key}#{self.new_id()[:8]}" if order_key else self.new_id()
            cursor = f"EVENT#{timestamp}#{tail}"
            item = {
                "pk": self.layout.events_partition(domain, group_id),
                "sk": cursor,
                "eventName": each["eventName"],
                "firedByNodeId": node_id,
                "groupId": group_id,
                "domain": domain,
                "payload": each.get("payload"),
                "timestamp": timestamp,
                "ttl": now_s + self.settings.event_ttl_s,
            }
            if order_key:
                item["orderKey"] = order_key
            items.append({"PutRequest": {"Item": to_typed_map(item)}})
        remaining = iter(items)
        while slice_of_items := list(islice(remaining, BATCH_WRITE_ITEMS)):
            self.call("BatchWriteItem", {"RequestItems": {self.layout.table_name: slice_of_items}})
        return {"groupId": group_id, "domain": domain, "recordedCount": len(items), "nextSince": cursor}


FUNCTIONS: dict[str, Callable[..., Handler]] = {
    "createDomain": CreateDomain,
    "leaveGroup": LeaveGroup,
    "dissolveGroup": DissolveGroup,
    "recordEventsByNode": RecordEvents,
}
"""Field name -> the function behind it."""
