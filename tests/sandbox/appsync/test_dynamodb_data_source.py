"""AppSync's data-source requests against the real engine: what a resolver function gets back, and what it costs.

Expected values: AppSync developer guide, the DynamoDB function reference and its pages on condition expressions,
batches and transactions (read 2026-11).
"""

from __future__ import annotations

from typing import Any

import pytest
from mesh_api import Mesh

from sandbox.appsync.context import Context, RequestInfo, Util
from sandbox.appsync.data_sources.dynamodb import DynamoDBDataSource
from sandbox.appsync.errors import ResolverError
from sandbox.appsync.resolvers import Function, PipelineResolver
from sandbox.appsync.typed_values import from_typed, to_typed
from sandbox.dynamodb.errors import DynamoDBError

TABLE = "MeshV2Table"


class Source:
    """A data source over a fresh table and the calls it makes."""

    def __init__(self, **given: Any) -> None:
        self.mesh = Mesh(world="off")
        self.data_source = DynamoDBDataSource(TABLE, self.mesh._call, **given)

    def run(self, request: dict[str, Any]) -> Context:
        self.mesh.calls.clear()
        ctx = Context({}, RequestInfo({}), None, Util(self.mesh.clock))
        self.data_source.execute(request, ctx)
        return ctx

    def result(self, request: dict[str, Any]) -> Any:
        ctx = self.run(request)
        assert ctx.error is None, ctx.error.message
        return ctx.result

    @property
    def operations(self) -> list[str]:
        return [operation for operation, _ in self.mesh.calls]


@pytest.fixture
def source() -> Source:
    return Source()


def key(sk: str, pk: str = "p") -> dict[str, Any]:
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def put(sk: str, condition: dict[str, Any] | None = None, **values: Any) -> dict[str, Any]:
    request: dict[str, Any] = {
        "operation": "PutItem",
        "key": key(sk),
        "attributeValues": {name: to_typed(value) for name, value in values.items()},
    }
    return request if condition is None else {**request, "condition": condition}


@pytest.mark.parametrize(
    "value",
    ["", "学校", 0, -7, 2**40, 1.5, True, False, None, [], [1, "a", None], {}, {"a": {"b": [1.25]}}],
)
def test_plain_values_survive_the_typed_form(value: Any) -> None:
    assert from_typed(to_typed(value)) == value


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ({"N": "12"}, 12),
        ({"N": "1E3"}, 1000),
        ({"N": "0.5"}, 0.5),
        ({"SS": ["a", "b"]}, ["a", "b"]),
        ({"NS": ["1", "2.5"]}, [1, 2.5]),
        ({"B": "AAEC"}, "AAEC"),
    ],
)
def test_what_a_resolver_sees_is_javascripts_values(typed: dict[str, Any], plain: Any) -> None:
    assert from_typed(typed) == plain


def test_get_put_update_delete_give_items(source: Source) -> None:
    assert source.result({"operation": "GetItem", "key": key("a")}) is None
    assert source.result(put("a", n=1, t="x")) == {"pk": "p", "sk": "a", "n": 1, "t": "x"}
    updated = source.result(
        {
            "operation": "UpdateItem",
            "key": key("a"),
            "update": {
                "expression": "SET #n = #n + :one REMOVE t",
                "expressionNames": {"#n": "n"},
                "expressionValues": {":one": {"N": "1"}},
            },
        }
    )
    assert updated == {"pk": "p", "sk": "a", "n": 2}  # whole, untouched attributes included
    assert source.result({"operation": "GetItem", "key": key("a"), "consistentRead": True})["n"] == 2
    assert source.mesh.calls[0][1]["ConsistentRead"] is True
    assert source.result({"operation": "DeleteItem", "key": key("a")}) == {"pk": "p", "sk": "a", "n": 2}
    assert source.result({"operation": "DeleteItem", "key": key("a")}) is None


def test_a_projection_limits_what_get_returns(source: Source) -> None:
    source.run(put("a", n=1, name="x"))
    projection = {"expression": "#name", "expressionNames": {"#name": "name"}}
    assert source.result({"operation": "GetItem", "key": key("a"), "projection": projection}) == {"name": "x"}


NEW = {"expression": "attribute_not_exists(pk)"}


def test_a_failed_condition_reads_the_item_again_and_rejects(source: Source) -> None:
    source.run(put("a", n=1))
    ctx = source.run(put("a", NEW, n=2))
    assert source.operations == ["PutItem", "GetItem"]
    assert source.mesh.calls[1][1]["ConsistentRead"] is True
    assert ctx.result is None
    assert ctx.error is not None
    assert ctx.error.type == "DynamoDB:ConditionalCheckFailedException"
    assert ctx.error.message.startswith(
        "The conditional request failed (Service: DynamoDb, Status Code: 400, Request ID: "
    )


def test_a_failed_condition_is_rejected_by_default_and_no_other_strategy_is_passed_over_in_silence(
    source: Source,
) -> None:
    source.run(put("a", n=1))
    reject = {**NEW, "conditionalCheckFailedHandler": {"strategy": "Reject"}}
    assert source.run(put("a", reject, n=2)).error is not None
    custom = {**NEW, "conditionalCheckFailedHandler": {"strategy": "Custom", "lambdaArn": "arn:aws:lambda:::f"}}
    with pytest.raises(ValueError, match="only Reject is imitated"):
        source.run(put("a", custom, n=2))


def test_the_second_read_may_be_eventually_consistent_and_its_item_shown(source: Source) -> None:
    shown = Source(return_item_on_failure=True)
    shown.run(put("a", n=1))
    ctx = shown.run(put("a", {**NEW, "consistentRead": False}, n=2))
    assert shown.mesh.calls[1][1]["ConsistentRead"] is False
    assert ctx.error is not None
    assert ctx.result == {"pk": "p", "sk": "a", "n": 1}


@pytest.mark.parametrize(
    ("ignored", "succeeds"),
    [([], False), (["n"], True), (["n", "t"], True), (["t"], False)],
)
def test_a_put_of_what_is_there_already_succeeds_apart_from_ignored_attributes(
    source: Source, ignored: list[str], succeeds: bool
) -> None:
    source.run(put("a", n=1, t="x"))
    ctx = source.run(put("a", {**NEW, "equalsIgnore": ignored}, n=2, t="x"))
    assert (ctx.error is None) == succeeds
    if succeeds:
        assert ctx.result == {"pk": "p", "sk": "a", "n": 1, "t": "x"}


def test_a_conditional_delete_of_nothing_succeeds_and_of_something_else_is_rejected(source: Source) -> None:
    delete = {"operation": "DeleteItem", "key": key("a"), "condition": {"expression": "attribute_exists(nope)"}}
    assert source.result(delete) is None
    source.run(put("a", n=1))
    assert source.run(delete).error is not None


def test_an_update_whose_condition_fails_is_never_taken_as_done(source: Source) -> None:
    update = {
        "operation": "UpdateItem",
        "key": key("a"),
        "update": {"expression": "SET n = :n", "expressionValues": {":n": {"N": "1"}}},
        "condition": {"expression": "attribute_exists(pk)"},
    }
    ctx = source.run(update)
    assert ctx.error is not None
    assert source.operations == ["UpdateItem", "GetItem"]


def query(**more: Any) -> dict[str, Any]:
    condition = {"expression": "pk = :p", "expressionValues": {":p": {"S": "p"}}}
    return {"operation": "Query", "query": condition, **more}


def test_query_answers_items_a_token_and_how_many_were_read(source: Source) -> None:
    for sk in "abcde":
        source.run(put(sk, n=ord(sk)))
    assert [item["sk"] for item in source.result(query())["items"]] == list("abcde")
    assert [item["sk"] for item in source.result(query(scanIndexForward=False))["items"]] == list("edcba")
    kept = {"expression": "n > :n", "expressionValues": {":n": {"N": "99"}}}
    page = source.result(query(filter=kept))
    assert ([item["sk"] for item in page["items"]], page["scannedCount"], page["nextToken"]) == (["d", "e"], 5, None)


def test_pages_follow_each_other_by_token_and_a_token_is_good_for_its_own_query_alone(source: Source) -> None:
    for sk in "abcde":
        source.run(put(sk))
    found, token = [], None
    while True:
        page = source.result(query(limit=2, nextToken=token))
        found += [item["sk"] for item in page["items"]]
        token = page["nextToken"]
        if token is None:
            break
        last = token
    assert found == list("abcde")
    for other in (
        {"operation": "Scan", "nextToken": last},
        query(nextToken=last[:-4] + "AAAA"),
        query(nextToken="no token"),
        query(nextToken=7),
        query(nextToken="é"),
    ):
        ctx = source.run(other)
        assert ctx.error is not None
        assert ctx.error.message == "Invalid pagination token given."


def test_scan_reads_everything_and_by_segments(source: Source) -> None:
    for sk in "abc":
        source.run(put(sk))
    assert len(source.result({"operation": "Scan"})["items"]) == 3
    segments = [source.result({"operation": "Scan", "totalSegments": 2, "segment": n})["items"] for n in (0, 1)]
    assert sorted(item["sk"] for items in segments for item in items) == list("abc")


def test_batches_answer_in_the_order_of_the_request(source: Source) -> None:
    items = [{**key(sk), "n": {"N": str(number)}} for number, sk in enumerate("ab")]
    written = source.result({"operation": "BatchPutItem", "tables": {TABLE: items}})
    assert written == {
        "data": {TABLE: [{"pk": "p", "sk": "a", "n": 0}, {"pk": "p", "sk": "b", "n": 1}]},
        "unprocessedItems": {TABLE: []},
    }
    got = source.result({"operation": "BatchGetItem", "tables": {TABLE: {"keys": [key("b"), key("x"), key("a")]}}})
    assert [item and item["sk"] for item in got["data"][TABLE]] == ["b", None, "a"]
    assert got["unprocessedKeys"] == {TABLE: []}
    deleted = source.result({"operation": "BatchDeleteItem", "tables": {TABLE: [key("a"), key("x")]}})
    assert deleted["data"][TABLE] == [{"pk": "p", "sk": "a"}, {"pk": "p", "sk": "x"}]
    assert source.result({"operation": "GetItem", "key": key("a")}) is None


def write(sk: str, operation: str = "PutItem", **more: Any) -> dict[str, Any]:
    return {"table": TABLE, "operation": operation, "key": key(sk), **more}


def test_a_transaction_answers_its_keys(source: Source) -> None:
    source.run(put("old"))
    result = source.result(
        {
            "operation": "TransactWriteItems",
            "transactItems": [
                write("a", attributeValues={"n": {"N": "1"}}),
                write("b", "UpdateItem", update={"expression": "SET n = :n", "expressionValues": {":n": {"N": "2"}}}),
                write("old", "DeleteItem"),
                write("none", "ConditionCheck", condition=NEW),
            ],
        }
    )
    assert [each["sk"] for each in result["keys"]] == ["a", "b", "old", "none"]
    assert result["cancellationReasons"] is None
    got = source.result(
        {
            "operation": "TransactGetItems",
            "transactItems": [{"table": TABLE, "key": key(sk)} for sk in ("a", "b", "old")],
        }
    )
    assert [item and item["n"] for item in got["items"]] == [1, 2, None]


def test_a_cancelled_transaction_tells_a_reason_for_each_member_and_the_stored_item(source: Source) -> None:
    source.run(put("b", n=5))
    ctx = source.run(
        {
            "operation": "TransactWriteItems",
            "transactItems": [
                write("a", attributeValues={}),
                write("b", attributeValues={}, condition=NEW),
            ],
        }
    )
    assert ctx.error is not None
    assert ctx.error.type == "DynamoDB:TransactionCanceledException"
    assert ctx.result["keys"] is None
    innocent, guilty = ctx.result["cancellationReasons"]
    assert innocent["type"] == "None"
    assert guilty["type"] == "ConditionalCheckFailed"
    assert guilty["item"] == {"pk": "p", "sk": "b", "n": 5}
    assert source.result({"operation": "GetItem", "key": key("a")}) is None


def test_a_cancelled_read_tells_its_reasons_and_no_items(source: Source) -> None:
    def cancelled(operation: str, request: dict[str, Any]) -> Any:
        reasons = [{"Code": "TransactionConflict", "Message": "Transaction is ongoing for the item"}, {"Code": "None"}]
        raise DynamoDBError("TransactionCanceledException", "cancelled", extra={"CancellationReasons": reasons})

    source.data_source.call = cancelled
    items = [{"table": TABLE, "key": key(sk)} for sk in "ab"]
    ctx = source.run({"operation": "TransactGetItems", "transactItems": items})
    assert ctx.error is not None
    assert ctx.error.type == "DynamoDB:TransactionCanceledException"
    assert ctx.result == {
        "items": None,
        "cancellationReasons": [
            {"type": "TransactionConflict", "message": "Transaction is ongoing for the item"},
            {"type": "None", "message": None},
        ],
    }


def test_an_item_may_be_nothing_but_its_key(source: Source) -> None:
    assert source.result({"operation": "PutItem", "key": key("a")}) == {"pk": "p", "sk": "a"}
    source.result({"operation": "TransactWriteItems", "transactItems": [write("b")]})
    assert source.result({"operation": "GetItem", "key": key("b")}) == {"pk": "p", "sk": "b"}


@pytest.mark.parametrize("request_", [None, {}, {"operation": "Dance"}, "GetItem"])
def test_a_request_without_an_operation_is_a_fault_of_the_resolver(source: Source, request_: Any) -> None:
    with pytest.raises(ValueError, match="operation out of GetItem, PutItem"):
        source.run(request_)


# ---- resolvers around it -------------------------------------------------------------------------------------------


def test_a_pipeline_hands_results_on_and_shares_one_stash(source: Source) -> None:
    def first(ctx: Context) -> dict[str, Any]:
        ctx.stash["seen"] = [ctx.prev.result]
        return put("a", n=1)

    def second(ctx: Context) -> dict[str, Any]:
        ctx.stash["seen"].append(ctx.prev.result)
        return {"operation": "GetItem", "key": key("a")}

    resolver = PipelineResolver(
        [
            Function("first", source.data_source, first, lambda ctx: ctx.result["n"] + 1),
            Function("skipped", source.data_source, lambda ctx: ctx.early_return("skipped")),
            Function("second", source.data_source, second, lambda ctx: {"n": ctx.result["n"] * 10}),
        ],
        before=lambda ctx: "before",
        after=lambda ctx: (ctx.prev.result["n"], ctx.result["n"], ctx.stash["seen"]),
    )
    ctx = Context({}, RequestInfo({}), None, Util())
    assert resolver.resolve(ctx) == (10, 10, ["before", "skipped"])  # the last output has both names


def test_an_early_return_before_the_pipeline_skips_it(source: Source) -> None:
    never = Function("never", source.data_source, lambda ctx: {}["never"])
    resolver = PipelineResolver([never], before=lambda ctx: ctx.early_return(7))
    assert resolver.resolve(Context({}, RequestInfo({}), None, Util())) == 7


def test_an_error_stops_the_pipeline(source: Source) -> None:
    stop = Function("stop", source.data_source, lambda ctx: ctx.util.error("no", "Refused", {"a": 1}, {"b": 2}))
    never = Function("never", source.data_source, lambda ctx: {}["never"])
    with pytest.raises(ResolverError) as error:
        PipelineResolver([stop, never]).resolve(Context({}, RequestInfo({}), None, Util()))
    assert (error.value.message, error.value.error_type) == ("no", "Refused")
    assert (error.value.data, error.value.error_info) == ({"a": 1}, {"b": 2})


def test_a_pipeline_has_one_to_ten_functions(source: Source) -> None:
    function = Function("f", source.data_source, lambda ctx: put("a"))
    PipelineResolver([function] * 10)
    for count in (0, 11):
        with pytest.raises(ValueError, match="1 to 10 functions"):
            PipelineResolver([function] * count)
