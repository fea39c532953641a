"""boto3, unchanged, against the engine behind the sandbox's HTTP server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import boto3
import pytest
from boto3.dynamodb.conditions import Attr, Key
from botocore.config import Config
from botocore.exceptions import ClientError
from served_engine import Served, boto3_client, key_table

from sandbox.dynamodb.engine import Engine


@pytest.fixture
def client(engine: Engine, serve: Callable[[Engine], Served]) -> Any:
    return boto3_client(serve(engine).url)


@pytest.fixture
def table(engine: Engine, serve: Callable[[Engine], Served]) -> Any:
    resource = boto3.resource(
        "dynamodb",
        endpoint_url=serve(engine).url,
        region_name="ap-northeast-1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
        config=Config(retries={"total_max_attempts": 1}),
    )
    index = {
        "IndexName": "by_kind",
        "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    request = key_table(attributes=[{"AttributeName": "kind", "AttributeType": "S"}], GlobalSecondaryIndexes=[index])
    return resource.create_table(**request)


def test_an_item_goes_in_and_comes_out_by_the_resource_interface(table: Any) -> None:
    item = {"pk": "a", "sk": "1", "kind": "x", "n": 5, "tags": {"b", "a"}, "deep": {"list": [1, None, True, b"\x01"]}}
    table.put_item(Item=item)
    assert table.get_item(Key={"pk": "a", "sk": "1"})["Item"] == {**item, "deep": {"list": [1, None, True, b"\x01"]}}
    assert table.item_count == 0 or table.table_status == "ACTIVE"


def test_query_scan_and_index_by_conditions_of_boto3(table: Any) -> None:
    with table.batch_writer() as batch:
        for number in range(30):
            batch.put_item(
                Item={"pk": "a", "sk": f"{number:03d}", "kind": "odd" if number % 2 else "even", "n": number}
            )
    answer = table.query(
        KeyConditionExpression=Key("pk").eq("a") & Key("sk").between("010", "019"), FilterExpression=Attr("n").gt(14)
    )
    assert [item["n"] for item in answer["Items"]] == [15, 16, 17, 18, 19]
    assert (answer["Count"], answer["ScannedCount"]) == (5, 10)
    odd = table.query(IndexName="by_kind", KeyConditionExpression=Key("kind").eq("odd"), ScanIndexForward=False)
    assert [item["sk"] for item in odd["Items"]][:2] == ["029", "027"]
    assert set(odd["Items"][0]) == {"pk", "sk", "kind"}
    assert table.scan(Select="COUNT")["Count"] == 30


def test_pages_follow_one_another_without_gap_or_overlap(client: Any) -> None:
    client.create_table(**key_table())
    for number in range(25):
        client.put_item(TableName="things", Item={"pk": {"S": f"p{number % 5}"}, "sk": {"S": f"{number:03d}"}})
    pages = client.get_paginator("scan").paginate(TableName="things", PaginationConfig={"PageSize": 4})
    keys = [(item["pk"]["S"], item["sk"]["S"]) for page in pages for item in page["Items"]]
    assert len(keys) == len(set(keys)) == 25


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda client: client.get_item(TableName="absent", Key={"pk": {"S": "a"}}), "ResourceNotFoundException"),
        (lambda client: client.get_item(TableName="things", Key={"pk": {"S": "a"}}), "ValidationException"),
        (lambda client: client.describe_table(TableName="absent"), "ResourceNotFoundException"),
        (lambda client: client.create_table(**key_table()), "ResourceInUseException"),
        (lambda client: client.execute_statement(Statement="SELECT * FROM things"), "UnknownOperationException"),
    ],
)
def test_errors_arrive_as_the_exceptions_that_clients_know(client: Any, call: Callable[[Any], Any], code: str) -> None:
    client.create_table(**key_table())
    with pytest.raises(ClientError) as caught:
        call(client)
    assert caught.value.response["Error"]["Code"] == code
    assert caught.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_typed_exceptions_and_the_item_of_a_failed_condition(client: Any) -> None:
    client.create_table(**key_table(sort=False))
    client.put_item(TableName="things", Item={"pk": {"S": "a"}, "v": {"N": "1"}})
    with pytest.raises(client.exceptions.ConditionalCheckFailedException) as caught:
        client.put_item(
            TableName="things",
            Item={"pk": {"S": "a"}},
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    assert caught.value.response["Item"] == {"pk": {"S": "a"}, "v": {"N": "1"}}


def test_transactions_cancel_with_reasons_and_change_nothing(client: Any) -> None:
    client.create_table(**key_table(sort=False))
    put = {"Put": {"TableName": "things", "Item": {"pk": {"S": "new"}}}}
    check = {
        "ConditionCheck": {
            "TableName": "things",
            "Key": {"pk": {"S": "other"}},
            "ConditionExpression": "attribute_exists(pk)",
        }
    }
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(TransactItems=[put, check])
    reasons = caught.value.response["CancellationReasons"]
    assert [reason["Code"] for reason in reasons] == ["None", "ConditionalCheckFailed"]
    assert "Item" not in client.get_item(TableName="things", Key={"pk": {"S": "new"}})
    client.transact_write_items(TransactItems=[put])
    got = client.transact_get_items(
        TransactItems=[
            {"Get": {"TableName": "things", "Key": {"pk": {"S": "new"}}}},
            {"Get": {"TableName": "things", "Key": {"pk": {"S": "gone"}}}},
        ]
    )
    assert got["Responses"] == [{"Item": {"pk": {"S": "new"}}}, {}]


def test_every_answer_carries_the_crc32_of_its_body_and_a_request_id(client: Any) -> None:
    metadata = client.list_tables()["ResponseMetadata"]
    assert metadata["HTTPHeaders"]["x-amz-crc32"]
    assert metadata["RequestId"]


def test_a_signature_is_checked_when_the_secret_is_known(
    make_engine: Callable[..., Engine], serve: Callable[[Engine], Served]
) -> None:
    import time

    engine = make_engine(secret_access_key="right")
    engine.clock = time.time
    url = serve(engine).url
    assert boto3_client(url, secret="right").list_tables()["TableNames"] == []
    with pytest.raises(ClientError) as caught:
        boto3_client(url, secret="wrong").list_tables()
    assert caught.value.response["Error"]["Code"] == "InvalidSignatureException"
