"""Which operations there are. One that is not here is unknown, and answered as AWS answers an unknown one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sandbox.dynamodb.operations.batch_get_item import batch_get_item
from sandbox.dynamodb.operations.batch_write_item import batch_write_item
from sandbox.dynamodb.operations.create_table import create_table
from sandbox.dynamodb.operations.delete_item import delete_item
from sandbox.dynamodb.operations.get_item import get_item
from sandbox.dynamodb.operations.put_item import put_item
from sandbox.dynamodb.operations.query import query
from sandbox.dynamodb.operations.scan import scan
from sandbox.dynamodb.operations.stream_reads import describe_stream, get_records, get_shard_iterator, list_streams
from sandbox.dynamodb.operations.tables import (
    delete_table,
    describe_endpoints,
    describe_limits,
    describe_table,
    list_tables,
)
from sandbox.dynamodb.operations.tags import list_tags_of_resource, tag_resource, untag_resource
from sandbox.dynamodb.operations.time_to_live import describe_time_to_live, update_time_to_live
from sandbox.dynamodb.operations.transact_get_items import transact_get_items
from sandbox.dynamodb.operations.transact_write_items import transact_write_items
from sandbox.dynamodb.operations.update_item import update_item
from sandbox.dynamodb.operations.update_table import update_table

Emit = Callable[[bytes], Any]
Operation = Callable[[Any, dict[str, Any], Emit], dict[str, Any]]

OPERATIONS: dict[str, Operation] = {
    "BatchGetItem": batch_get_item,
    "BatchWriteItem": batch_write_item,
    "CreateTable": create_table,
    "DeleteItem": delete_item,
    "DeleteTable": delete_table,
    "DescribeEndpoints": describe_endpoints,
    "DescribeLimits": describe_limits,
    "DescribeTable": describe_table,
    "DescribeTimeToLive": describe_time_to_live,
    "GetItem": get_item,
    "ListTables": list_tables,
    "ListTagsOfResource": list_tags_of_resource,
    "PutItem": put_item,
    "Query": query,
    "Scan": scan,
    "TagResource": tag_resource,
    "TransactGetItems": transact_get_items,
    "TransactWriteItems": transact_write_items,
    "UntagResource": untag_resource,
    "UpdateItem": update_item,
    "UpdateTable": update_table,
    "UpdateTimeToLive": update_time_to_live,
}

STREAM_OPERATIONS: dict[str, Operation] = {
    "DescribeStream": describe_stream,
    "GetRecords": get_records,
    "GetShardIterator": get_shard_iterator,
    "ListStreams": list_streams,
}
