"""CreateTable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from sandbox.dynamodb.description import table_description
from sandbox.dynamodb.errors import DynamoDBError
from sandbox.dynamodb.schema import check_create_table, check_quotas
from sandbox.dynamodb.shapes import request_shape

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("CreateTable")


def create_table(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    _SHAPE.check(request)
    check_create_table(request)
    check_quotas(request, engine.config.most_units)
    name = request["TableName"]
    if engine.find(name) is not None:
        raise DynamoDBError("ResourceInUseException", f"Table already exists: {name}")
    now_s = engine.clock()
    engine.created_tables += 1
    request = orjson.loads(orjson.dumps(request))  # the caller may go on with his own
    description = table_description(request, engine.config, now_s, engine.created_tables)
    table = engine.add_table(description, request)
    return {"TableDescription": engine.describe(table)}
