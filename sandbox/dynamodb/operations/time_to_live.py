"""UpdateTimeToLive and DescribeTimeToLive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.dynamodb.errors import validation
from sandbox.dynamodb.shapes import request_shape

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine


def update_time_to_live(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("UpdateTimeToLive").check(request)
    table = engine.named_table(request["TableName"])
    specification = request["TimeToLiveSpecification"]
    name, enabled = specification["AttributeName"], specification["Enabled"]
    if enabled:
        if table.ttl_attribute is not None:
            raise validation("TimeToLive is already enabled")
        engine.expiry.enable(table, name)
    else:
        if table.ttl_attribute is None:
            raise validation("TimeToLive is already disabled")
        if table.ttl_attribute != name:
            raise validation(
                "TimeToLive is active on a different AttributeName: current AttributeName is " + table.ttl_attribute
            )
        engine.expiry.disable(table)
    return {"TimeToLiveSpecification": {"AttributeName": name, "Enabled": enabled}}


def describe_time_to_live(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("DescribeTimeToLive").check(request)
    table = engine.named_table(request["TableName"])
    if table.ttl_attribute is None:
        return {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    return {"TimeToLiveDescription": {"AttributeName": table.ttl_attribute, "TimeToLiveStatus": "ENABLED"}}
