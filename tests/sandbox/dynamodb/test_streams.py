"""Streams through boto3: views, order, iterators, trimming."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError
from served_engine import Clock, Served, boto3_client, key_table

from sandbox.dynamodb.engine import Engine


@pytest.fixture
def clients(engine: Engine, serve: Callable[[Engine], Served]) -> tuple[Any, Any]:
    url = serve(engine).url
    return boto3_client(url), boto3_client(url, "dynamodbstreams")


def write(client: Any) -> None:
    """An insert, a change, an identical overwrite, and a removal of one item; a removal of nothing."""
    for version in ("1", "2", "2"):
        client.put_item(TableName="things", Item={"pk": {"S": "a"}, "v": {"N": version}})
    client.delete_item(TableName="things", Key={"pk": {"S": "a"}})
    client.delete_item(TableName="things", Key={"pk": {"S": "nothing"}})


def records(streams: Any, kind: str = "TRIM_HORIZON", **more: Any) -> list[Any]:
    (stream,) = streams.list_streams(TableName="things")["Streams"]
    arn = stream["StreamArn"]
    (shard,) = streams.describe_stream(StreamArn=arn)["StreamDescription"]["Shards"]
    iterator = streams.get_shard_iterator(StreamArn=arn, ShardId=shard["ShardId"], ShardIteratorType=kind, **more)
    return list(streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"])


@pytest.mark.parametrize(
    ("view", "images"),
    [
        ("KEYS_ONLY", set()),
        ("NEW_IMAGE", {"NewImage"}),
        ("OLD_IMAGE", {"OldImage"}),
        ("NEW_AND_OLD_IMAGES", {"NewImage", "OldImage"}),
    ],
)
def test_records_come_in_order_with_the_images_of_the_view(
    clients: tuple[Any, Any], view: str, images: set[str]
) -> None:
    client, streams = clients
    specification = {"StreamEnabled": True, "StreamViewType": view}
    client.create_table(**key_table(sort=False, StreamSpecification=specification))
    write(client)
    got = records(streams)
    assert [each["eventName"] for each in got] == ["INSERT", "MODIFY", "REMOVE"]
    numbers = [int(each["dynamodb"]["SequenceNumber"]) for each in got]
    assert numbers == sorted(set(numbers))
    changed = got[1]["dynamodb"]
    assert changed["Keys"] == {"pk": {"S": "a"}}
    assert {name for name in changed if name.endswith("Image")} == images
    if "NewImage" in images:
        assert changed["NewImage"]["v"] == {"N": "2"}
    if "OldImage" in images:
        assert changed["OldImage"]["v"] == {"N": "1"}
    assert changed["StreamViewType"] == view


def test_iterators_start_where_they_say(clients: tuple[Any, Any]) -> None:
    client, streams = clients
    specification = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    client.create_table(**key_table(sort=False, StreamSpecification=specification))
    write(client)
    numbers = [each["dynamodb"]["SequenceNumber"] for each in records(streams)]
    at = records(streams, "AT_SEQUENCE_NUMBER", SequenceNumber=numbers[1])
    after = records(streams, "AFTER_SEQUENCE_NUMBER", SequenceNumber=numbers[1])
    assert [each["dynamodb"]["SequenceNumber"] for each in at] == numbers[1:]
    assert [each["dynamodb"]["SequenceNumber"] for each in after] == numbers[2:]
    assert records(streams, "LATEST") == []


def test_records_are_kept_for_24_hours(clients: tuple[Any, Any], clock: Clock) -> None:
    client, streams = clients
    specification = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    client.create_table(**key_table(sort=False, StreamSpecification=specification))
    write(client)
    number = records(streams)[0]["dynamodb"]["SequenceNumber"]
    clock.advance(86_401.0)
    assert records(streams) == []
    with pytest.raises(ClientError) as caught:
        records(streams, "AT_SEQUENCE_NUMBER", SequenceNumber=number)
    assert caught.value.response["Error"]["Code"] == "TrimmedDataAccessException"


def test_a_stream_that_was_closed_can_be_read_to_its_end(clients: tuple[Any, Any]) -> None:
    client, streams = clients
    specification = {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
    client.create_table(**key_table(sort=False, StreamSpecification=specification))
    write(client)
    client.update_table(TableName="things", StreamSpecification={"StreamEnabled": False})
    write(client)
    assert len(records(streams)) == 3
    (stream,) = streams.list_streams()["Streams"]
    assert streams.describe_stream(StreamArn=stream["StreamArn"])["StreamDescription"]["StreamStatus"] == "DISABLED"
