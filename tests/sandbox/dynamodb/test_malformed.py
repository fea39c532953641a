"""Malformed input never gives a 500 and never changes data: valid requests with one part replaced by something else."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import orjson
import pytest
from random_operations import Operations

from sandbox.dynamodb.api import DynamoDBApi
from sandbox.dynamodb.config import EngineConfig
from sandbox.dynamodb.engine import Engine
from sandbox.http.message import Request, Response

MUTATIONS_PER_SEED = 2_500
GARBAGE: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1.5,
    10**18,
    "",
    "x",
    "#a",
    ":v",
    "日本",
    "\x00",
    [],
    [[]],
    [None],
    ["x"],
    {},
    {"S": None},
    {"S": "x"},
    {"N": "x"},
    {"N": 5},
    {"Q": "x"},
    {"S": "x", "N": "1"},
    {"M": {"a": {"L": [{"NULL": False}]}}},
    {"": {"S": "x"}},
    {"L": {"S": "x"}},
    {"B": "!!"},
    {"SS": [1]},
    {"NS": ["1", "1.0"]},
    "SET a = :v",
    "a = ",
    "((",
    "attribute_exists(a) AND",
    "a[99999999999999999999] = :v0",
    "size(a) = size(b)",
    "SET a = b + c - d",
    "a.b.c[0].d",
]


def post(api: DynamoDBApi, operation: str, body: bytes) -> Response:
    headers = {"x-amz-target": f"DynamoDB_20120810.{operation}", "authorization": "AWS4-HMAC-SHA256 Credential=k"}
    return api.handle(Request("POST", "/", "", headers, body))


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value, by path."""
    found = [path]
    if isinstance(value, dict):
        for name, each in value.items():
            found += places(each, (*path, name))
    elif isinstance(value, list):
        for position, each in enumerate(value):
            found += places(each, (*path, position))
    return found


def replaced(request: dict[str, Any], path: tuple[Any, ...], garbage: Any) -> Any:
    if not path:
        return garbage
    request = copy.deepcopy(request)
    holder: Any = request
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = garbage
    return request


def content(engine: Engine) -> dict[str, Any]:
    return {
        name: (
            {record.order: record.text for record in table.records},
            {index.name: [(entry.order, entry.text) for entry in index.records] for index in table.indexes},
            table.size_bytes,
        )
        for name, table in engine.tables.items()
    }


@pytest.mark.parametrize("seed", [1, 2])
def test_one_part_replaced(seed: int) -> None:
    random = Random(seed)
    operations = Operations(seed)
    engine = Engine(config=EngineConfig(world="off"))
    api = DynamoDBApi(engine)
    for table in operations.tables:
        assert post(api, "CreateTable", orjson.dumps(table)).status == 200
    refused = 0
    for _ in range(MUTATIONS_PER_SEED):
        operation, request = operations.next()
        post(api, operation, orjson.dumps(request))
        before = content(engine)
        bad = replaced(request, random.choice(places(request)), random.choice(GARBAGE))
        answer = post(api, operation, orjson.dumps(bad))
        assert answer.status in (200, 400), (operation, bad, answer.body)
        orjson.loads(answer.body)
        if answer.status == 400:
            refused += 1
            assert content(engine) == before, (operation, bad, answer.body)
    assert refused > MUTATIONS_PER_SEED / 4
    for table in engine.tables.values():
        check_consistent(table)


def check_consistent(table: Any) -> None:
    """Indexes hold what their items say, and sizes add up."""
    assert {record.order for record in table.records} == set(table.rows)
    assert table.size_bytes == sum(record.size_bytes for record in table.rows.values())
    if table.collection_bytes is not None:
        locals_ = [index.records for index in table.indexes if not index.is_global]
        everything = sum(record.size_bytes for records in (table.records, *locals_) for record in records)
        assert sum(table.collection_bytes.values()) == everything
    for position, index in enumerate(table.indexes):
        expected = {}
        for record in table.rows.values():
            item = orjson.loads(record.text)
            order = index.keys.entry_order(item, record.order)
            entry = record.entries[position]
            assert (entry is None) == (order is None)
            if order is not None:
                expected[order] = index.entry_of(item)
        assert {entry.order: orjson.loads(entry.text) for entry in index.records} == expected
        assert index.size_bytes == sum(entry.size_bytes for entry in index.records)


@pytest.mark.parametrize("seed", [3])
def test_control_operations_with_one_part_replaced(seed: int) -> None:
    random = Random(seed)
    api = DynamoDBApi(Engine(config=EngineConfig(world="adaptive")))
    for number in range(600):
        operations = Operations(1000 + number)
        table = operations.tables[0]
        update = {
            "TableName": table["TableName"],
            "BillingMode": "PROVISIONED",
            "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
            "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
            "AttributeDefinitions": [{"AttributeName": "new", "AttributeType": "S"}],
            "GlobalSecondaryIndexUpdates": [
                {
                    "Create": {
                        "IndexName": "new",
                        "KeySchema": [{"AttributeName": "new", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "ALL"},
                        "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5},
                    }
                }
            ],
        }
        ttl = {
            "TableName": table["TableName"],
            "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"},
        }
        for operation, request in (("CreateTable", table), ("UpdateTable", update), ("UpdateTimeToLive", ttl)):
            bad = replaced(request, random.choice(places(request)), random.choice(GARBAGE))
            answer = post(api, operation, orjson.dumps(bad))
            assert answer.status in (200, 400), (operation, bad, answer.body)
            if answer.status == 400:
                post(api, operation, orjson.dumps(request))
        described = post(api, "DescribeTable", orjson.dumps({"TableName": table["TableName"]}))
        assert described.status in (200, 400)


@pytest.mark.parametrize(
    ("target", "body", "code"),
    [
        ("DynamoDB_20120810.PutItem", b"", "SerializationException"),
        ("DynamoDB_20120810.PutItem", b"{", "SerializationException"),
        ("DynamoDB_20120810.PutItem", b"[]", "SerializationException"),
        ("DynamoDB_20120810.PutItem", b"\xff\xfe", "SerializationException"),
        ("DynamoDB_20120810.Nonsense", b"{}", "UnknownOperationException"),
        ("DynamoDB_20111205.PutItem", b"{}", "UnknownOperationException"),
        ("", b"{}", "UnknownOperationException"),
        (
            "DynamoDB_20120810.PutItem",
            b'{"TableName":"abc","Item":{"pk":{"S":"' + b"\\ud800" + b'"}}}',
            "SerializationException",
        ),
    ],
)
def test_bodies_and_targets_that_are_none(target: str, body: bytes, code: str) -> None:
    api = DynamoDBApi(Engine())
    headers = {"x-amz-target": target, "authorization": "AWS4-HMAC-SHA256 Credential=k"}
    answer = api.handle(Request("POST", "/", "", headers, body))
    assert answer.status == 400
    assert orjson.loads(answer.body)["__type"].rpartition("#")[2] == code


def test_a_request_without_signature_is_told_so() -> None:
    answer = DynamoDBApi(Engine()).handle(
        Request("POST", "/", "", {"x-amz-target": "DynamoDB_20120810.ListTables"}, b"{}")
    )
    assert orjson.loads(answer.body) == {
        "__type": "com.amazon.coral.service#MissingAuthenticationTokenException",
        "message": "Request is missing Authentication Token",
    }
