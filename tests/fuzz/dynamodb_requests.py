"""DynamoDB requests of any shape."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import orjson
from hypothesis import strategies as st

from capacity.workloads.mesh.tables import TABLES
from sandbox.cloudwatch.store import MetricStore
from sandbox.dynamodb.api import DynamoDBApi
from sandbox.dynamodb.config import EngineConfig
from sandbox.dynamodb.engine import Engine
from sandbox.http.message import Request
from tests.fuzz.mutations import NOW_S, damaged, json_garbage, mutated

_ITEM = {
    "pk": {"S": "p"},
    "sk": {"S": "s"},
    "n": {"N": "1"},
    "l": {"L": [{"M": {"a": {"SS": ["x"]}}}]},
    "b": {"B": "AA=="},
}
_KEY = {"pk": {"S": "p"}, "sk": {"S": "s"}}
_VALUES = {":v": {"N": "1"}, ":s": {"S": "s"}}
_CALLS: dict[str, dict[str, Any]] = {
    "PutItem": {
        "TableName": "MeshV2Table",
        "Item": _ITEM,
        "ConditionExpression": "attribute_not_exists(pk) OR n < :v",
        "ExpressionAttributeValues": {":v": {"N": "1"}},
        "ReturnValues": "ALL_OLD",
        "ReturnConsumedCapacity": "INDEXES",
    },
    "GetItem": {
        "TableName": "MeshV2Table",
        "Key": _KEY,
        "ProjectionExpression": "#n, l[0].a",
        "ConsistentRead": True,
        "ExpressionAttributeNames": {"#n": "n"},
    },
    "UpdateItem": {
        "TableName": "MeshV2Table",
        "Key": _KEY,
        "UpdateExpression": "SET n = if_not_exists(n, :v) + :v, l[1] = :s REMOVE b",
        "ExpressionAttributeValues": _VALUES,
        "ReturnValues": "UPDATED_NEW",
    },
    "DeleteItem": {"TableName": "MeshV2Table", "Key": _KEY, "ReturnValues": "ALL_OLD"},
    "Query": {
        "TableName": "MeshV2Table",
        "KeyConditionExpression": "pk = :p AND begins_with(sk, :s)",
        "FilterExpression": "size(l) > :v",
        "ExpressionAttributeValues": {":p": {"S": "p"}, **_VALUES},
        "Limit": 10,
        "ScanIndexForward": False,
        "ExclusiveStartKey": _KEY,
    },
    "Scan": {"TableName": "MeshV2Table", "Limit": 5, "Segment": 0, "TotalSegments": 2, "Select": "COUNT"},
    "BatchGetItem": {"RequestItems": {"MeshV2Table": {"Keys": [_KEY]}}},
    "BatchWriteItem": {
        "RequestItems": {
            "MeshV2Table": [
                {"PutRequest": {"Item": _ITEM}},
                {"DeleteRequest": {"Key": {"pk": {"S": "q"}, "sk": {"S": "s"}}}},
            ]
        }
    },
    "TransactWriteItems": {
        "TransactItems": [{"Put": {"TableName": "MeshV2Table", "Item": _ITEM}}],
        "ClientRequestToken": "t",
    },
    "TransactGetItems": {"TransactItems": [{"Get": {"TableName": "MeshV2Table", "Key": _KEY}}]},
    "CreateTable": {
        "TableName": "Other",
        "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
    },
    "UpdateTable": {"TableName": "MeshV2Table", "BillingMode": "PAY_PER_REQUEST"},
    "DescribeTable": {"TableName": "MeshV2Table"},
    "ListTables": {"Limit": 1, "ExclusiveStartTableName": "A"},
    "UpdateTimeToLive": {
        "TableName": "MeshV2Table",
        "TimeToLiveSpecification": {"AttributeName": "ttl", "Enabled": True},
    },
    "TagResource": {
        "ResourceArn": "arn:aws:dynamodb:ap-northeast-1:000000000000:table/MeshV2Table",
        "Tags": [{"Key": "k", "Value": "v"}],
    },
}


def calls() -> st.SearchStrategy[tuple[str, bytes]]:
    choices: list[st.SearchStrategy[tuple[str, bytes]]] = []
    for name, request in _CALLS.items():
        text = json.dumps(request).encode()
        choices += [
            st.tuples(st.just(name), mutated(request, json_garbage).map(lambda value: json.dumps(value).encode())),
            st.tuples(st.just(name), damaged(text)),
        ]
    expressions = st.lists(
        st.sampled_from(
            [
                "pk",
                "#n",
                ":v",
                ":s",
                "=",
                "<",
                "AND",
                "OR",
                "NOT",
                "(",
                ")",
                "BETWEEN",
                "IN",
                ",",
                "SET",
                "REMOVE",
                "ADD",
                "DELETE",
                "size",
                "begins_with",
                "attribute_type",
                "[0]",
                ".",
                "+",
                "-",
                "l[99999999999]",
            ]
        ),
        max_size=14,
    ).map(" ".join)
    nested = st.integers(1, 8_000).map(lambda n: "(" * n + "pk = :s" + ")" * n)
    long = st.integers(1, 3_000).map(lambda n: " AND ".join(["pk = :s"] * n))
    choices.append(
        st.one_of(expressions, nested, long).map(
            lambda text: (
                "Scan",
                json.dumps(
                    {"TableName": "MeshV2Table", "FilterExpression": text, "ExpressionAttributeValues": _VALUES}
                ).encode(),
            )
        )
    )
    choices.append(
        st.integers(1, 5_000).map(
            lambda n: (
                "PutItem",
                b'{"TableName":"MeshV2Table","Item":{"pk":' + b'{"M":{"a":' * n + b'{"S":"x"}' + b"}}" * n + b"}}",
            )
        )
    )
    return st.one_of(choices)


@cache
def _dynamodb() -> DynamoDBApi:
    engine = Engine(lambda: NOW_S, MetricStore(lambda: NOW_S, 10), EngineConfig(world="off"))
    engine.call("CreateTable", replace(TABLES["deployed"], name="MeshV2Table").create_table_request())
    return DynamoDBApi(engine)


def ask(given: tuple[str, bytes]) -> str:
    operation, content = given
    headers = {"x-amz-target": f"DynamoDB_20120810.{operation}", "authorization": "AWS4-HMAC-SHA256 Credential=k"}
    answer = _dynamodb().handle(Request("POST", "/", "", headers, content, "127.0.0.1"))
    assert answer.status in (200, 400, 413), (operation, answer.status, answer.body[:300])
    orjson.loads(answer.body)
    if _dynamodb_has_grown():
        _dynamodb.cache_clear()
    return "read" if answer.status == 200 else "refused"


def _dynamodb_has_grown() -> bool:
    listed = _dynamodb().handle(
        Request(
            "POST",
            "/",
            "",
            {"x-amz-target": "DynamoDB_20120810.ListTables", "authorization": "AWS4-HMAC-SHA256 Credential=k"},
            b"{}",
            "127.0.0.1",
        )
    )
    names = orjson.loads(listed.body)["TableNames"]
    return len(names) > 20 or "MeshV2Table" not in names
