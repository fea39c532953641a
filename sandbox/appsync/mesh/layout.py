"""What a table layout must say: the keys, the items and the requests of every access that Mesh v2 makes.

A request is an AppSync data-source object; a reading turns an item into the GraphQL type's fields. The events' keys are
the same in every layout and live here; the rest is each layout's own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from sandbox.appsync.context import Context
from sandbox.appsync.data_sources.dynamodb import DynamoDBDataSource
from sandbox.appsync.resolvers import Function
from sandbox.appsync.typed_values import to_typed_map

Request = dict[str, Any]
Item = dict[str, Any]
Key = dict[str, dict[str, str]]

EVENTS_PER_READ = 100


def key(pk: str, sk: str) -> Key:
    """A primary key in typed form."""
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def get(item_key: Key) -> Request:
    return {"operation": "GetItem", "key": item_key}


def put(item_key: Key, attributes: Item) -> Request:
    return {"operation": "PutItem", "key": item_key, "attributeValues": to_typed_map(attributes)}


def query(expression: str, values: Item, **more: Any) -> Request:
    """A Query; further members of the request object as keywords (index, filter, limit, scanIndexForward)."""
    return {
        "operation": "Query",
        "query": {"expression": expression, "expressionValues": to_typed_map(values)},
        **more,
    }


def filtered(expression: str, values: Item, names: dict[str, str] | None = None) -> Request:
    """The `filter` member of a Query or Scan."""
    given: Request = {"expression": expression, "expressionValues": to_typed_map(values)}
    if names:
        given["expressionNames"] = names
    return given


UNEXPIRED_ROWS = "attribute_not_exists(#ttl) OR #ttl > :now"


class Layout(ABC):
    """One table design. `name` is that of its table description in `capacity.workloads.mesh.tables`."""

    name: str
    failed_group_read_is_missing = False
    """Whether the group check takes a read that failed, a throttled one say, for a group that is not there."""

    def __init__(self, table_name: str) -> None:
        self.table_name = table_name

    # ---- groups ----------------------------------------------------------------------------------------------------

    @abstractmethod
    def group_key(self, domain: str, group_id: str) -> Key: ...

    @abstractmethod
    def put_group(self, group: Item, ctx: Context) -> Request:
        """Store a new group: id, domain, fullId, name, hostId, createdAt, expiresAt, useWebSocket,
        pollingIntervalSeconds."""

    @abstractmethod
    def read_group(self, item: Item, ctx: Context) -> Item:
        """The item as the Group type, with `aliveUntil`, the last epoch second at which its host counts as present."""

    @abstractmethod
    def find_groups(self, domain: str, host_id: str | None, ctx: Context) -> Request:
        """Every living group of a domain, or those of one host."""

    @abstractmethod
    def list_groups(self, domain: str, ctx: Context) -> Request: ...

    @abstractmethod
    def search_groups(self, name_prefix: str, limit: int, ctx: Context) -> Request: ...

    @abstractmethod
    def renew_group(self, domain: str, group_id: str, ctx: Context) -> Request: ...

    def get_group(self, domain: str, group_id: str) -> Request:
        return get(self.group_key(domain, group_id))

    def is_group(self, item: Item) -> bool:
        sk: str = item["sk"]
        return sk.endswith("#METADATA") and sk.startswith("GROUP#")

    # ---- nodes and their statuses ----------------------------------------------------------------------------------

    @abstractmethod
    def node_key(self, domain: str, group_id: str, node_id: str) -> Key: ...

    @abstractmethod
    def join(self, domain: str, group_id: str, node_id: str, ctx: Context) -> Request: ...

    @abstractmethod
    def list_nodes(self, domain: str, group_id: str, ctx: Context) -> Request: ...

    @abstractmethod
    def is_node(self, item: Item) -> bool: ...

    @abstractmethod
    def report(self, domain: str, group_id: str, node_id: str, data: list[Item], now: str, ctx: Context) -> Request: ...

    @abstractmethod
    def status_functions(self, dynamodb: DynamoDBDataSource) -> Sequence[Function]:
        """What ends in all statuses of a group: a list of NodeStatus."""

    @abstractmethod
    def node_status_functions(self, dynamodb: DynamoDBDataSource) -> Sequence[Function]:
        """What ends in one node's NodeStatus or None."""

    def renew_node(self, domain: str, group_id: str, node_id: str, ctx: Context) -> Request:
        return {
            "operation": "UpdateItem",
            "key": self.node_key(domain, group_id, node_id),
            "update": {
                "expression": "SET #ttl = :ttl",
                "expressionNames": {"#ttl": "ttl"},
                "expressionValues": {":ttl": _number(ctx.util.now_epoch_seconds() + ctx.env.member_heartbeat_ttl_s)},
            },
            "condition": {"expression": "attribute_exists(pk)"},
        }

    @staticmethod
    def read_node(item: Item) -> Item:
        node_id = item["nodeId"]
        return {
            "id": node_id,
            "name": item.get("name") or node_name(node_id),
            "groupId": item["groupId"],
            "domain": item["domain"],
        }

    @staticmethod
    def read_status(item: Item) -> Item:
        return {
            "nodeId": item["nodeId"],
            "groupId": item["groupId"],
            "domain": item["domain"],
            "data": item.get("data") or [],
            "timestamp": item["timestamp"],
        }

    # ---- leaving and dissolving, run by the Lambda functions with DynamoDB's own requests --------------------------

    @abstractmethod
    def leave_calls(self, domain: str, group_id: str, node_id: str) -> list[tuple[str, Request]]:
        """DynamoDB operations and requests, in order, that take a node out of its group."""

    @abstractmethod
    def rows_of_group(self, domain: str, group_id: str) -> Request:
        """The Query behind a dissolution."""

    @abstractmethod
    def keys_to_dissolve(self, domain: str, group_id: str, rows: list[Request]) -> list[Key]:
        """Keys to delete one by one, given the rows found (typed)."""

    # ---- events ----------------------------------------------------------------------------------------------------

    def events_partition(self, domain: str, group_id: str) -> str:
        return f"GROUP#{group_id}@{domain}"

    def events_since(self, domain: str, group_id: str, since: str) -> Request:
        cursor = since if since.startswith("EVENT#") else f"EVENT#{since}"
        return query(
            "pk = :pk AND sk > :sk",
            {":pk": self.events_partition(domain, group_id), ":sk": cursor},
            limit=EVENTS_PER_READ,
            scanIndexForward=True,
        )

    @staticmethod
    def read_event(item: Item) -> Item:
        return {
            "name": item["eventName"],
            "firedByNodeId": item["firedByNodeId"],
            "groupId": item["groupId"],
            "domain": item["domain"],
            "payload": item.get("payload"),
            "timestamp": item["timestamp"],
            "cursor": item["sk"],
            "orderKey": item.get("orderKey"),
        }


def node_name(node_id: str) -> str:
    """What a node is called: clients send no name when they join."""
    return f"Node {node_id}"


def update_group(group_key: Key, attributes: Item) -> Request:
    """SET each attribute of a group."""
    return {
        "operation": "UpdateItem",
        "key": group_key,
        "update": {
            "expression": "SET " + ", ".join(f"#{name} = :{name}" for name in attributes),
            "expressionNames": {f"#{name}": name for name in attributes},
            "expressionValues": to_typed_map({f":{name}": value for name, value in attributes.items()}),
        },
    }


def _number(value: int) -> dict[str, str]:
    return {"N": str(value)}
