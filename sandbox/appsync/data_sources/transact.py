"""TransactGetItems and TransactWriteItems of the DynamoDB data source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sandbox.appsync.context import Context
from sandbox.appsync.data_sources.expressions import put_expression
from sandbox.appsync.typed_values import from_typed_map

Call = Callable[[str, dict[str, Any]], dict[str, Any]]


def get_items(call: Call, request: Mapping[str, Any], ctx: Context) -> None:
    gets = []
    for wanted in request["transactItems"]:
        get: dict[str, Any] = {"TableName": wanted["table"], "Key": wanted["key"]}
        if wanted.get("projection") is not None:
            put_expression(get, "ProjectionExpression", wanted["projection"])
        gets.append({"Get": get})
    answer = call("TransactGetItems", {"TransactItems": gets})
    items = [each.get("Item") for each in answer.get("Responses", ())]
    ctx.answer({"items": [from_typed_map(item) if item else None for item in items], "cancellationReasons": None})


def write_items(call: Call, request: Mapping[str, Any], ctx: Context) -> None:
    call("TransactWriteItems", {"TransactItems": [_member(item) for item in request["transactItems"]]})
    keys = [from_typed_map(item["key"]) for item in request["transactItems"]]
    ctx.answer({"keys": keys, "cancellationReasons": None})


RESULTS = {"TransactGetItems": "items", "TransactWriteItems": "keys"}
"""What a transaction's result has beside its cancellationReasons."""


def report_cancellation(operation: str, failure: Exception, ctx: Context) -> None:
    """`ctx.result` of a cancelled transaction: one reason per member, in the order of the request."""
    if getattr(failure, "code", "") != "TransactionCanceledException":
        return
    reasons = (getattr(failure, "extra", None) or {}).get("CancellationReasons", ())
    ctx.answer({RESULTS[operation]: None, "cancellationReasons": [_reason(reason) for reason in reasons]})


def _reason(reason: Mapping[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = {"type": reason.get("Code", "None"), "message": reason.get("Message")}
    if reason.get("Item"):
        shown["item"] = from_typed_map(reason["Item"])
    return shown


def _member(item: Mapping[str, Any]) -> dict[str, Any]:
    member: dict[str, Any] = {"TableName": item["table"]}
    operation = item["operation"]
    if operation == "PutItem":
        member["Item"] = {**item["key"], **item.get("attributeValues", {})}
    else:
        member["Key"] = item["key"]
    if operation == "UpdateItem":
        put_expression(member, "UpdateExpression", item["update"])
    condition = item.get("condition")
    if condition is not None:
        put_expression(member, "ConditionExpression", condition)
        if condition.get("returnValuesOnConditionCheckFailure", True):  # AppSync's default, not DynamoDB's
            member["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return {_MEMBERS[operation]: member}


_MEMBERS = {"PutItem": "Put", "UpdateItem": "Update", "DeleteItem": "Delete", "ConditionCheck": "ConditionCheck"}
