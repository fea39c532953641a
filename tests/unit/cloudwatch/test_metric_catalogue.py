"""Which series are asked for, and what it means when one is empty."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from capacity.measurement.metric_catalogue import OPERATIONS, as_markdown, catalogue, queries_for, total

DOCUMENT = Path(__file__).parents[3] / "docs" / "measuring.md"

TABLE = {"TableName": "T"}
INDEX = {"TableName": "T", "GlobalSecondaryIndexName": "I"}
PUT = {"TableName": "T", "Operation": "PutItem"}
API = {"GraphQLAPIId": "a1"}


def dimension_names(metric: str, **asked) -> set[frozenset[str]]:
    return {frozenset(name for name, _ in query.dimensions) for query in queries_for(**asked) if query.metric == metric}


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        pytest.param(
            "ConsumedWriteCapacityUnits",
            {frozenset(["TableName"]), frozenset(["TableName", "GlobalSecondaryIndexName"])},
            id="an index needs both dimensions, the table its own alone",
        ),
        pytest.param(
            "ThrottledRequests", {frozenset(["TableName", "Operation"])}, id="throttled requests by operation"
        ),
        pytest.param("SuccessfulRequestLatency", {frozenset(["TableName", "Operation"])}, id="latency by operation"),
        pytest.param("UserErrors", {frozenset()}, id="user errors are the account's"),
        pytest.param("ConditionalCheckFailedRequests", {frozenset(["TableName"])}, id="failed conditions of the table"),
        pytest.param("Requests", {frozenset(["GraphQLAPIId"])}, id="AppSync by API"),
    ],
)
def test_dimensions_are_whole(metric: str, expected: set[frozenset[str]]) -> None:
    """DynamoDB and AppSync guides, metrics and dimensions (2026-11-30)."""
    assert dimension_names(metric, table_name="T", index_names=["I"], api_id="a1") == expected


def test_every_operation_that_mesh_uses_is_asked_for() -> None:
    operations = {
        dict(query.dimensions)["Operation"] for query in queries_for("T") if query.metric == "SuccessfulRequestLatency"
    }
    assert operations == set(OPERATIONS)
    assert {"TransactWriteItems", "BatchWriteItem", "Query"} <= operations


def test_what_is_not_named_is_not_asked_for() -> None:
    assert {query.namespace for query in queries_for("T")} == {"AWS/DynamoDB"}
    assert {query.namespace for query in queries_for(api_id="a1")} == {"AWS/AppSync"}
    assert {query.namespace for query in queries_for(function_names=["f"])} == {"AWS/Lambda"}
    assert queries_for() == []


def test_nothing_is_asked_for_twice() -> None:
    queries = queries_for("T", ["I", "J"], "a1", ["f"])
    assert len({(query.namespace, query.metric, query.dimensions) for query in queries}) == len(queries)


def test_witnesses_exist() -> None:
    known = catalogue()
    assert all(each.witness is None or (each.namespace, each.witness) in known for each in known.values())


def rows(*given: tuple[str, dict[str, str], str, float | None]) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "namespace": "AWS/AppSync" if "GraphQLAPIId" in dimensions else "AWS/DynamoDB",
                "metric": metric,
                "dimensions": ",".join(f"{name}={value}" for name, value in sorted(dimensions.items())),
                "statistic": statistic,
                "value": value,
            }
            for metric, dimensions, statistic, value in given
        ]
    )


CONSUMED = "ConsumedWriteCapacityUnits"
THROTTLES = "WriteThrottleEvents"


@pytest.mark.parametrize(
    ("given", "metric", "dimensions", "expected"),
    [
        pytest.param([(CONSUMED, TABLE, "Sum", 3.0), (CONSUMED, TABLE, "Sum", 4.5)], CONSUMED, TABLE, 7.5, id="a sum"),
        pytest.param([(CONSUMED, TABLE, "Sum", None)], CONSUMED, TABLE, None, id="no points of consumption: unknown"),
        pytest.param([(CONSUMED, TABLE, "Sum", 0.0)], CONSUMED, TABLE, 0.0, id="a sample of zero is zero"),
        pytest.param([(CONSUMED, TABLE, "Sum", 3.0)], THROTTLES, TABLE, None, id="never asked for: unknown"),
        pytest.param(
            [(CONSUMED, TABLE, "Sum", 3.0), (THROTTLES, TABLE, "Sum", None)],
            THROTTLES, TABLE, 0.0, id="no throttles while the table was publishing: zero",
        ),
        pytest.param(
            [(CONSUMED, TABLE, "Sum", None), (THROTTLES, TABLE, "Sum", None)],
            THROTTLES, TABLE, None, id="nothing published at all: unknown",
        ),
        pytest.param(
            [(CONSUMED, TABLE, "Sum", 3.0), (CONSUMED, INDEX, "Sum", None), (THROTTLES, INDEX, "Sum", None)],
            THROTTLES, INDEX, None, id="the table is no witness for its index",
        ),
        pytest.param(
            [(CONSUMED, TABLE, "Sum", 3.0), ("ThrottledRequests", PUT, "Sum", None)],
            "ThrottledRequests", PUT, 0.0, id="the table is a witness for its operations",
        ),
        pytest.param(
            [(CONSUMED, TABLE, "Sum", 3.0), ("UserErrors", {}, "Sum", None)],
            "UserErrors", {}, 0.0, id="any table is a witness for the account",
        ),
        pytest.param(
            [("Requests", API, "Sum", None), ("4XXError", API, "Sum", None)],
            "4XXError", API, None, id="an API that nobody saw has unknown errors",
        ),
        pytest.param(
            [("Requests", API, "Sum", 9.0), ("4XXError", API, "Sum", None)],
            "4XXError", API, 0.0, id="one that was seen has none",
        ),
        pytest.param([(CONSUMED, TABLE, "Maximum", 3.0)], CONSUMED, TABLE, None, id="another statistic is no sum"),
    ],
)  # fmt: skip
def test_unknown_is_not_zero(given, metric, dimensions, expected) -> None:
    frame = rows(*given)
    assert total(frame, frame["namespace"].iloc[-1], metric, dimensions) == expected


def test_a_metric_outside_the_catalogue_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(KeyError, match="no metric AWS/DynamoDB 'Consumed'"):
        total(rows((CONSUMED, TABLE, "Sum", 1.0)), "AWS/DynamoDB", "Consumed", TABLE)


def test_the_document_shows_the_catalogue_as_it_is() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    _, _, after = text.partition("cloudwatch_metrics.yaml -->\n")
    table, _, _ = after.partition("<!-- end of metrics -->")
    assert table == as_markdown(), "write the table of docs/measuring.md anew from as_markdown()"
