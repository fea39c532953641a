"""TagResource, UntagResource, ListTagsOfResource."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.dynamodb.errors import DynamoDBError, validation
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.tables import TableState

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

PAGE_TAGS = 10


def tag_resource(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("TagResource").check(request)
    table = _table(engine, request["ResourceArn"])
    if not request["Tags"]:
        raise validation("Atleast one Tag needs to be provided as Input.")
    table.tags.update({tag["Key"]: tag["Value"] for tag in request["Tags"]})
    return {}


def untag_resource(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("UntagResource").check(request)
    table = _table(engine, request["ResourceArn"])
    if not request["TagKeys"]:
        raise validation("Atleast one Tag Key needs to be provided as Input.")
    for key in request["TagKeys"]:
        table.tags.pop(key, None)
    return {}


def list_tags_of_resource(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("ListTagsOfResource").check(request)
    table = _table(engine, request["ResourceArn"])
    tags = [{"Key": key, "Value": value} for key, value in sorted(table.tags.items())]
    token = request.get("NextToken")
    start = int(token) if token is not None and token.isdigit() else 0
    answer: dict[str, Any] = {"Tags": tags[start : start + PAGE_TAGS]}
    if len(tags) > start + PAGE_TAGS:
        answer["NextToken"] = str(start + PAGE_TAGS)
    return answer


def _table(engine: Engine, arn: str) -> TableState:
    name = arn.rpartition(":table/")[2]
    if not arn.startswith("arn:aws:dynamodb:") or not name:
        raise validation(f"Invalid TableArn: Invalid ResourceArn provided as input {arn}")
    table = engine.find(name)
    if table is None:
        raise DynamoDBError("ResourceNotFoundException", f"Requested resource not found: ResourcArn: {arn} not found")
    return table
