"""DescribeTable, DeleteTable, ListTables, DescribeLimits, DescribeEndpoints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.dynamodb.errors import DynamoDBError, validation
from sandbox.dynamodb.shapes import request_shape

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

PAGE_TABLES = 100


def describe_table(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("DescribeTable").check(request)
    return {"Table": engine.describe(engine.named_table(request["TableName"]))}


def delete_table(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("DeleteTable").check(request)
    table = engine.named_table(request["TableName"])
    if table.description["DeletionProtectionEnabled"]:
        raise validation(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )
    status = engine.status(table)
    if status != "ACTIVE":
        raise DynamoDBError(
            "ResourceInUseException",
            f"Attempt to change a resource which is still in use: Table is being {status.lower()[:-3]}ed: {table.name}",
        )
    engine.drop_table(table)
    return {"TableDescription": engine.describe(table)}


def list_tables(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("ListTables").check(request)
    start = request.get("ExclusiveStartTableName")
    limit = int(request.get("Limit") or PAGE_TABLES)
    names = [name for name in engine.table_names() if start is None or name > start]
    answer: dict[str, Any] = {"TableNames": names[:limit]}
    if len(names) > limit:
        answer["LastEvaluatedTableName"] = names[limit - 1]
    return answer


def describe_limits(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    """Quotas of a new account (Developer Guide, ServiceQuotas, 2023-02)."""
    return {
        "AccountMaxReadCapacityUnits": 80_000,
        "AccountMaxWriteCapacityUnits": 80_000,
        "TableMaxReadCapacityUnits": 40_000,
        "TableMaxWriteCapacityUnits": 40_000,
    }


def describe_endpoints(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    return {"Endpoints": [{"Address": f"dynamodb.{engine.config.region}.amazonaws.com", "CachePeriodInMinutes": 1440}]}
