"""The DynamoDB data source: runs AppSync's request objects through any DynamoDB, in process or over boto3.

Source: AppSync developer guide, "JavaScript resolver function reference for DynamoDB" and its page on condition
expressions (read 2026-11).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from sandbox.appsync.context import Context, DataSourceError
from sandbox.appsync.data_sources import batch, transact
from sandbox.appsync.data_sources.expressions import put_expression
from sandbox.appsync.data_sources.paging import PagingTokens
from sandbox.appsync.typed_values import from_typed_map
from sandbox.dynamodb.readings import Reading

EngineCall = Callable[[str, dict[str, Any]], dict[str, Any]]
"""`call(operation, request)` in DynamoDB JSON; raises an exception with `code`, `message`, `status` and `extra`."""

Request = Mapping[str, Any]


class DynamoDBDataSource:
    """Requests go to `table_name`; batches and transactions name their tables themselves.

    `return_item_on_failure` puts the stored item into `ctx.result` after a failed condition. AWS's prose says so, all
    its samples show null; null is the default here.
    """

    def __init__(self, table_name: str, call: EngineCall, *, return_item_on_failure: bool = False) -> None:
        self.table_name = table_name
        self.call = call
        self.return_item_on_failure = return_item_on_failure
        self._paging = PagingTokens()
        self._operations: dict[str, Callable[[Request, Context], None]] = {
            "GetItem": self._get_item,
            "PutItem": self._put_item,
            "UpdateItem": self._update_item,
            "DeleteItem": self._delete_item,
            "Query": self._query,
            "Scan": self._scan,
            "BatchGetItem": lambda request, ctx: batch.get_items(self.call, request, ctx),
            "BatchPutItem": lambda request, ctx: batch.put_items(self.call, request, ctx),
            "BatchDeleteItem": lambda request, ctx: batch.delete_items(self.call, request, ctx),
            "TransactGetItems": lambda request, ctx: transact.get_items(self.call, request, ctx),
            "TransactWriteItems": lambda request, ctx: transact.write_items(self.call, request, ctx),
        }

    def execute(self, request: Request, ctx: Context) -> None:
        """Leave the answer in `ctx.result`, or the failure in `ctx.error` with `ctx.result` None."""
        try:
            operation = self._operations[request["operation"]]
        except (KeyError, TypeError):
            raise ValueError(
                f"a DynamoDB request needs an operation out of {', '.join(self._operations)}, got {request!r}"
            ) from None
        try:
            operation(request, ctx)
        except Exception as failure:
            if not hasattr(failure, "code"):
                raise
            ctx.answer(None)
            ctx.error = data_source_error(failure, ctx)
            if request["operation"] in transact.RESULTS:
                transact.report_cancellation(request["operation"], failure, ctx)

    def _get_item(self, request: Request, ctx: Context) -> None:
        call: dict[str, Any] = {"TableName": self.table_name, "Key": request["key"]}
        if request.get("consistentRead"):
            call["ConsistentRead"] = True
        if "projection" in request:
            put_expression(call, "ProjectionExpression", request["projection"])
        item = self.call("GetItem", call).get("Item")
        ctx.answer(item, plain_item if item else None)

    def _put_item(self, request: Request, ctx: Context) -> None:
        item = {**request["key"], **request.get("attributeValues", {})}
        call: dict[str, Any] = {"TableName": self.table_name, "Item": item}
        condition = request.get("condition")
        if condition is None:
            self.call("PutItem", call)
        else:
            put_expression(call, "ConditionExpression", condition)
            try:
                self.call("PutItem", call)
            except Exception as failure:
                stored = self._stored_after_failed_condition(failure, request)
                ignored = set(condition.get("equalsIgnore", ()))
                if stored is None or _without(stored, ignored) != _without(item, ignored):
                    self._reject(failure, stored, ctx)
                    return
                item = stored
        ctx.answer(item, from_typed_map)

    def _update_item(self, request: Request, ctx: Context) -> None:
        call: dict[str, Any] = {"TableName": self.table_name, "Key": request["key"], "ReturnValues": "ALL_NEW"}
        if "update" in request:
            put_expression(call, "UpdateExpression", request["update"])
        condition = request.get("condition")
        if condition is not None:
            put_expression(call, "ConditionExpression", condition)
        try:
            answer = self.call("UpdateItem", call)
        except Exception as failure:
            self._reject(failure, self._stored_after_failed_condition(failure, request), ctx)
            return
        ctx.answer(answer["Attributes"], from_typed_map)

    def _delete_item(self, request: Request, ctx: Context) -> None:
        call: dict[str, Any] = {"TableName": self.table_name, "Key": request["key"], "ReturnValues": "ALL_OLD"}
        condition = request.get("condition")
        if condition is not None:
            put_expression(call, "ConditionExpression", condition)
        try:
            deleted = self.call("DeleteItem", call).get("Attributes")
        except Exception as failure:
            stored = self._stored_after_failed_condition(failure, request)
            if stored is not None:
                self._reject(failure, stored, ctx)
                return
            deleted = None
        ctx.answer(deleted, from_typed_map if deleted else None)

    def _stored_after_failed_condition(self, failure: Exception, request: Request) -> dict[str, Any] | None:
        """AppSync's own read of the item, charged to the table; any other failure is raised again."""
        condition = request.get("condition")
        if condition is None or getattr(failure, "code", "") != "ConditionalCheckFailedException":
            raise failure
        strategy = condition.get("conditionalCheckFailedHandler", {}).get("strategy", "Reject")
        if strategy != "Reject":  # Custom would ask a Lambda function, whose event AWS's pages leave open
            raise ValueError(f"conditionalCheckFailedHandler has strategy {strategy!r}; only Reject is imitated")
        answer = self.call(
            "GetItem",
            {
                "TableName": self.table_name,
                "Key": request["key"],
                "ConsistentRead": condition.get("consistentRead", True),
            },
        )
        return answer.get("Item") or None

    def _reject(self, failure: Exception, stored: dict[str, Any] | None, ctx: Context) -> None:
        shown = stored if self.return_item_on_failure else None
        ctx.answer(shown, from_typed_map if shown else None)
        ctx.error = data_source_error(failure, ctx)

    def _query(self, request: Request, ctx: Context) -> None:
        call: dict[str, Any] = {"TableName": self.table_name}
        put_expression(call, "KeyConditionExpression", request["query"])
        if request.get("scanIndexForward") is False:
            call["ScanIndexForward"] = False
        self._read_many("Query", call, request, ctx)

    def _scan(self, request: Request, ctx: Context) -> None:
        call: dict[str, Any] = {"TableName": self.table_name}
        if "totalSegments" in request:
            call["TotalSegments"] = request["totalSegments"]
            call["Segment"] = request["segment"]
        self._read_many("Scan", call, request, ctx)

    def _read_many(self, operation: str, call: dict[str, Any], request: Request, ctx: Context) -> None:
        if request.get("index") is not None:
            call["IndexName"] = request["index"]
        if request.get("limit") is not None:
            call["Limit"] = request["limit"]
        if request.get("consistentRead"):
            call["ConsistentRead"] = True
        if request.get("select") is not None:
            call["Select"] = request["select"]
        if request.get("filter") is not None:
            put_expression(call, "FilterExpression", request["filter"])
        if request.get("projection") is not None:
            put_expression(call, "ProjectionExpression", request["projection"])
        token = request.get("nextToken")
        if token is not None:
            start = self._paging.open(token, operation, call)
            if start is None:
                ctx.error = DataSourceError("Invalid pagination token given.", "DynamoDB:IllegalArgumentException")
                ctx.answer(None)
                return
            call["ExclusiveStartKey"] = start
        answer = self.call(operation, call)
        last = answer.get("LastEvaluatedKey")
        ctx.answer(
            {
                "items": answer.get("Items", ()),
                "nextToken": self._paging.seal(last, operation, call) if last else None,
                "scannedCount": answer.get("ScannedCount", 0),
            },
            _decode_page,
        )


def data_source_error(failure: Exception, ctx: Context) -> DataSourceError:
    """`ctx.error` of a failed call, worded as AppSync words what its SDK raises."""
    code = getattr(failure, "code", "InternalServerError")
    message = getattr(failure, "message", None) or str(failure)
    status = getattr(failure, "status", 400)
    request_id = ctx.util.auto_id().replace("-", "").upper()
    return DataSourceError(
        f"{message} (Service: DynamoDb, Status Code: {status}, Request ID: {request_id})", f"DynamoDB:{code}"
    )


def plain_item(item: dict[str, Any]) -> dict[str, Any]:
    """The plain values of an item that was read. Lists and maps in it may be shared: resolvers do not change them."""
    if not isinstance(item, Reading):
        return from_typed_map(item)
    plain = item.plain
    if plain is None:
        plain = item.plain = from_typed_map(item)
    return dict(plain)


def _decode_page(page: dict[str, Any]) -> dict[str, Any]:
    page["items"] = [plain_item(item) for item in page["items"]]
    return page


def _without(item: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in names}
