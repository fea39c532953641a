"""DescribeTable answers, held against botocore's model of them, NoSQL Workbench models, and sample items."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from botocore.validate import ParamValidator

from capacity.dynamodb.table import Key, Throughput
from capacity.physics.autoscaling import TargetTracking
from capacity.templates import Description, TemplateError, add_items, read_description
from capacity.templates.load import parse_description

ANSWER: dict[str, Any] = {
    "Table": {
        "TableName": "orders",
        "TableStatus": "ACTIVE",
        "CreationDateTime": "2026-11-01T00:00:00+09:00",
        "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "order", "KeyType": "RANGE"}],
        "AttributeDefinitions": [
            {"AttributeName": "customer", "AttributeType": "S"},
            {"AttributeName": "order", "AttributeType": "S"},
            {"AttributeName": "shop", "AttributeType": "S"},
        ],
        "ProvisionedThroughput": {"ReadCapacityUnits": 30, "WriteCapacityUnits": 60},
        "TableSizeBytes": 5_000_000,
        "ItemCount": 10_000,
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by_shop",
                "KeySchema": [{"AttributeName": "shop", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
                "IndexStatus": "ACTIVE",
                "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
            }
        ],
    }
}


def model_faults(operation: str, answer: dict[str, Any]) -> str:
    shape = botocore.session.get_session().get_service_model("dynamodb").operation_model(operation).output_shape
    return str(ParamValidator().validate(answer, shape).generate_report())


def test_a_saved_answer_of_describe_table() -> None:
    assert model_faults("DescribeTable", ANSWER) == ""
    description = parse_description(json.dumps(ANSWER, indent=2), "orders.json")
    (orders,) = description.tables
    assert orders.table.key == Key("customer", "order")
    assert orders.table.throughput == Throughput(30, 60)
    assert orders.table.index("by_shop").throughput == Throughput(5, 6)
    assert (orders.item_count, orders.size_bytes) == (10_000, 5_000_000)
    assert orders.knows == frozenset()  # neither TTL nor auto scaling nor callers are in this answer
    assert orders.place.line == 2


def test_ttl_is_known_when_its_own_answer_stands_beside() -> None:
    ttl = {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}}
    assert model_faults("DescribeTimeToLive", ttl) == ""
    (orders,) = parse_description(json.dumps(ANSWER | ttl), "orders.json").tables
    assert orders.table.ttl_attribute == "expires"
    assert "time to live" in orders.knows


def test_an_answer_that_was_cut_is_told_what_it_lacks() -> None:
    cut = {"Table": {key: value for key, value in ANSWER["Table"].items() if key not in ("KeySchema", "TableName")}}
    with pytest.raises(TemplateError) as caught:
        parse_description(json.dumps(cut), "orders.json")
    assert [fault.message for fault in caught.value.faults] == [
        "TableName is missing; for example TableName: posts",
        "KeySchema has no HASH; for example KeySchema: [{AttributeName: pk, KeyType: HASH}]",
    ]


MODEL = {
    "ModelName": "Posts",
    "ModelMetadata": {"Author": "", "DateCreated": "Jul 1, 2026", "Description": "", "Version": "3.0"},
    "DataModel": [
        {
            "TableName": "posts",
            "KeyAttributes": {"PartitionKey": {"AttributeName": "pk", "AttributeType": "S"},
                              "SortKey": {"AttributeName": "sk", "AttributeType": "S"}},
            "NonKeyAttributes": [{"AttributeName": "body", "AttributeType": "S"}],
            "GlobalSecondaryIndexes": [
                {"IndexName": "by_day",
                 "KeyAttributes": {"PartitionKey": {"AttributeName": "day", "AttributeType": "S"}},
                 "Projection": {"ProjectionType": "KEYS_ONLY"}}
            ],
            "TableData": [{"pk": {"S": "a"}, "sk": {"S": "1"}, "body": {"S": "text"}, "day": {"S": "monday"}}],
            "DataAccess": {"MySql": {}},
            "BillingMode": "PROVISIONED",
            "ProvisionedCapacitySettings": {
                "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
                "AutoScalingRead": {"ScalableTargetRequest": {"MinCapacity": 1, "MaxCapacity": 10, "ServiceRole": "r"},
                                    "ScalingPolicyConfiguration": {"TargetValue": 70}},
            },
        }
    ],
}  # fmt: skip


def test_a_workbench_model_brings_its_sample_items() -> None:
    (posts,) = parse_description(json.dumps(MODEL), "model.json").tables
    assert posts.table.key == Key("pk", "sk")
    assert posts.table.throughput == Throughput(5, 6)
    assert posts.table.index("by_day").throughput == Throughput(5, 6)
    assert posts.scaling[None, "read"] == TargetTracking(1, 10, 0.7)
    assert (None, "write") not in posts.scaling
    assert posts.items == ({"pk": {"S": "a"}, "sk": {"S": "1"}, "body": {"S": "text"}, "day": {"S": "monday"}},)


def describe(tmp_path: Path, items: object) -> Description:
    template, samples = tmp_path / "orders.json", tmp_path / "items.json"
    template.write_text(json.dumps(ANSWER), encoding="utf-8")
    samples.write_text(json.dumps(items), encoding="utf-8")
    return add_items(read_description(template), samples)


PLAIN, TYPED = (
    {"customer": "c", "order": "o", "total": 12.5},
    {"customer": {"S": "c"}, "order": {"S": "o"}, "total": {"N": "12.5"}},
)


@pytest.mark.parametrize(
    "items", [[PLAIN], [TYPED], {"Items": [TYPED], "Count": 1, "ScannedCount": 1}, {"orders": [PLAIN]}],
    ids=["plain JSON", "DynamoDB JSON", "an answer of Scan", "by table"],
)  # fmt: skip
def test_sample_items_in_every_form_are_the_same_items(tmp_path: Path, items: object) -> None:
    assert describe(tmp_path, items).tables[0].items == (TYPED,)


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ({"order": [PLAIN]}, "there is no table 'order'; there are orders"),
        ([{"customer": "c"}], "the item lacks the key order"),
        (["text"], "'text' is no item"),
        ("text", "expected a list of items"),
    ],
)
def test_sample_items_that_are_none(tmp_path: Path, items: object, message: str) -> None:
    with pytest.raises(TemplateError, match=message):
        describe(tmp_path, items)
