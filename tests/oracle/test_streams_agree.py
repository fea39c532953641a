"""Stream records: which writes leave one, and how large it is."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capacity.dynamodb.attribute_value import Item
from capacity.dynamodb.streams import StreamView, record_bytes
from capacity.dynamodb.table import Key, Table
from capacity.dynamodb.writes import Write
from tests.oracle.dynamodb_local import WireClient
from tests.unit.capacity.strategies import items

pytestmark = pytest.mark.oracle

STREAMS = "DynamoDBStreams_20120810"
TABLE = Table("streams_agree", Key("#pk", "#sk"), {"#pk": "S", "#sk": "N"})
KEY: Item = {"#pk": {"S": "k"}, "#sk": {"N": "-7"}}


def recorded_bytes(client: WireClient, table: Table, view: StreamView, items: list[Item | None]) -> list[int]:
    """Sizes of the records that these writes leave in the stream of a new table; None deletes the item."""
    enabled = {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": view}}
    created = client.call("CreateTable", table.create_table_request() | enabled)
    for item in items:
        if item is None:
            client.call("DeleteItem", {"TableName": table.name, "Key": KEY})
        else:
            client.call("PutItem", {"TableName": table.name, "Item": item})
    stream = {"StreamArn": created["TableDescription"]["LatestStreamArn"]}
    (shard,) = client.call("DescribeStream", stream, STREAMS)["StreamDescription"]["Shards"]
    start = stream | {"ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
    iterator = client.call("GetShardIterator", start, STREAMS)
    records = client.call("GetRecords", iterator, STREAMS)["Records"]
    client.call("DeleteTable", {"TableName": table.name})
    return [record["dynamodb"]["SizeBytes"] for record in records]


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(contents=st.lists(st.none() | items, min_size=1, max_size=4), view=st.sampled_from(StreamView))
def test_records_are_as_large_as_the_outside_engine_says(
    dynamodb_local: WireClient, contents: list[Item | None], view: StreamView
) -> None:
    versions: list[Item | None] = [KEY | {"first": {"S": "1"}}]
    versions += [None if content is None else content | KEY for content in contents]
    writes = [Write(old, new) for old, new in pairwise([None, *versions])]
    sizes = [record_bytes(TABLE, write, view) for write in writes]
    assert recorded_bytes(dynamodb_local, TABLE, view, versions) == [size for size in sizes if size]
