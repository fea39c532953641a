"""What phase1 and deployed have in common: a domain's groups and nodes share the partition key `DOMAIN#{domain}`, and a
node has a second record of its own, by which its group is found.
"""

from __future__ import annotations

from sandbox.appsync.context import Context
from sandbox.appsync.mesh.layout import UNEXPIRED_ROWS, Item, Key, Layout, Request, filtered, key, query, update_group
from sandbox.appsync.typed_values import to_typed_map


class DomainPartition(Layout):
    """Keys and requests of a layout that puts a whole domain under one partition key."""

    def group_key(self, domain: str, group_id: str) -> Key:
        return key(f"DOMAIN#{domain}", f"GROUP#{group_id}#METADATA")

    def node_key(self, domain: str, group_id: str, node_id: str) -> Key:
        return key(f"DOMAIN#{domain}", f"GROUP#{group_id}#NODE#{node_id}")

    @staticmethod
    def own_record_key(node_id: str) -> Key:
        return key(f"NODE#{node_id}", "METADATA")

    def list_groups(self, domain: str, ctx: Context) -> Request:
        return self.find_groups(domain, None, ctx)

    def renew_group(self, domain: str, group_id: str, ctx: Context) -> Request:
        now_s = ctx.util.now_epoch_seconds()
        return update_group(
            self.group_key(domain, group_id), {"heartbeatAt": now_s, "ttl": now_s + ctx.env.host_heartbeat_ttl_s}
        )

    def put_node_twice(self, domain: str, group_id: str, node_id: str, node: Item, own_record: Item) -> Request:
        """The transaction of joinGroup: the row in the group and the node's own record."""
        rows = ((self.node_key(domain, group_id, node_id), node), (self.own_record_key(node_id), own_record))
        return {
            "operation": "TransactWriteItems",
            "transactItems": [
                {"table": self.table_name, "operation": "PutItem", "key": row, "attributeValues": to_typed_map(values)}
                for row, values in rows
            ],
        }

    def list_nodes(self, domain: str, group_id: str, ctx: Context) -> Request:
        return query(
            "pk = :pk AND begins_with(sk, :prefix)",
            {":pk": f"DOMAIN#{domain}", ":prefix": f"GROUP#{group_id}#NODE#"},
            filter=filtered(UNEXPIRED_ROWS, {":now": ctx.util.now_epoch_seconds()}, {"#ttl": "ttl"}),
        )

    def leave_calls(self, domain: str, group_id: str, node_id: str) -> list[tuple[str, Request]]:
        members = [
            {"Delete": {"TableName": self.table_name, "Key": item_key}}
            for item_key in (self.node_key(domain, group_id, node_id), self.own_record_key(node_id))
        ]
        return [("TransactWriteItems", {"TransactItems": members})]

    def rows_of_group(self, domain: str, group_id: str) -> Request:
        return {
            "TableName": self.table_name,
            "KeyConditionExpression": "pk = :pk AND begins_with(sk, :prefix)",
            "ExpressionAttributeValues": {":pk": {"S": f"DOMAIN#{domain}"}, ":prefix": {"S": f"GROUP#{group_id}"}},
        }

    def keys_to_dissolve(self, domain: str, group_id: str, rows: list[Request]) -> list[Key]:
        """Every row, then an own record for every row that names a node, status rows included: the deployed code does
        not tell them apart, and a delete of nothing is charged."""
        keys = [{"pk": row["pk"], "sk": row["sk"]} for row in rows]
        keys += [self.own_record_key(row["nodeId"]["S"]) for row in rows if "#NODE#" in row["sk"]["S"]]
        return keys
