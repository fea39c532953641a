"""BatchGetItem, BatchPutItem and BatchDeleteItem of the DynamoDB data source.

Answers keep the order of the request: `data[table][i]` belongs to `tables[table][i]`, null for a missing item and for
one that was not processed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sandbox.appsync.context import Context
from sandbox.appsync.data_sources.expressions import put_expression
from sandbox.appsync.typed_values import from_typed_map

Call = Callable[[str, dict[str, Any]], dict[str, Any]]


def get_items(call: Call, request: Mapping[str, Any], ctx: Context) -> None:
    items: dict[str, Any] = {}
    for table, wanted in request["tables"].items():
        entry: dict[str, Any] = {"Keys": wanted["keys"]}
        if wanted.get("consistentRead"):
            entry["ConsistentRead"] = True
        if wanted.get("projection") is not None:
            put_expression(entry, "ProjectionExpression", wanted["projection"])
        items[table] = entry
    answer = call("BatchGetItem", {"RequestItems": items})
    found = answer.get("Responses", {})
    left = answer.get("UnprocessedKeys", {})
    ctx.answer(
        {
            "data": {
                table: [_find(key, found.get(table, ())) for key in wanted["keys"]]
                for table, wanted in request["tables"].items()
            },
            "unprocessedKeys": {
                table: [from_typed_map(key) for key in left.get(table, {}).get("Keys", ())]
                for table in request["tables"]
            },
        }
    )


def put_items(call: Call, request: Mapping[str, Any], ctx: Context) -> None:
    _write(call, request, ctx, "PutRequest", "Item", "unprocessedItems")


def delete_items(call: Call, request: Mapping[str, Any], ctx: Context) -> None:
    _write(call, request, ctx, "DeleteRequest", "Key", "unprocessedKeys")


def _write(call: Call, request: Mapping[str, Any], ctx: Context, kind: str, member: str, unprocessed_name: str) -> None:
    tables = request["tables"]
    answer = call(
        "BatchWriteItem",
        {"RequestItems": {table: [{kind: {member: entry}} for entry in entries] for table, entries in tables.items()}},
    )
    left = {
        table: [each[kind][member] for each in answer.get("UnprocessedItems", {}).get(table, ())] for table in tables
    }
    ctx.answer(
        {
            "data": {
                table: [None if entry in left[table] else from_typed_map(entry) for entry in entries]
                for table, entries in tables.items()
            },
            unprocessed_name: {table: [from_typed_map(entry) for entry in entries] for table, entries in left.items()},
        }
    )


def _find(key: Mapping[str, Any], items: Any) -> dict[str, Any] | None:
    for item in items:
        if all(item.get(name) == value for name, value in key.items()):
            return from_typed_map(item)
    return None
