"""The operations of DynamoDB Streams: ListStreams, DescribeStream, GetShardIterator, GetRecords."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sandbox.dynamodb.errors import DynamoDBError, validation
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.streams import FIRST_SEQUENCE, Stream

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

ITERATOR_S = 900.0
"""An iterator is valid for 15 minutes (API reference, GetShardIterator)."""
PAGE_RECORDS = 1000
PAGE_BYTES = 1 << 20


def list_streams(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("ListStreams", streams=True).check(request)
    table, start = request.get("TableName"), request.get("ExclusiveStartStreamArn")
    limit = int(request.get("Limit") or 100)
    found = [stream for stream in engine.streams.values() if table is None or stream.table == table]
    found.sort(key=lambda stream: stream.arn)
    if start is not None:
        found = [stream for stream in found if stream.arn > start]
    answer: dict[str, Any] = {
        "Streams": [
            {"StreamArn": each.arn, "TableName": each.table, "StreamLabel": each.label} for each in found[:limit]
        ]
    }
    if len(found) > limit:
        answer["LastEvaluatedStreamArn"] = found[limit - 1].arn
    return answer


def describe_stream(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("DescribeStream", streams=True).check(request)
    stream = _stream(engine, request["StreamArn"])
    start = request.get("ExclusiveStartShardId")
    numbers: dict[str, str] = {"StartingSequenceNumber": str(FIRST_SEQUENCE + stream.first)}
    if not stream.enabled:
        numbers["EndingSequenceNumber"] = str(FIRST_SEQUENCE + max(stream.first, stream.next_position - 1))
    shards = [{"ShardId": stream.shard_id, "SequenceNumberRange": numbers}]
    table = engine.tables.get(stream.table)
    return {
        "StreamDescription": {
            "StreamArn": stream.arn,
            "StreamLabel": stream.label,
            "StreamStatus": "ENABLED" if stream.enabled else "DISABLED",
            "StreamViewType": stream.view,
            "CreationRequestDateTime": round(stream.created_s, 3),
            "TableName": stream.table,
            "KeySchema": table.description["KeySchema"] if table is not None else [],
            "Shards": [] if start is not None and start >= stream.shard_id else shards,
        }
    }


def get_shard_iterator(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("GetShardIterator", streams=True).check(request)
    stream = _stream(engine, request["StreamArn"])
    if request["ShardId"] != stream.shard_id:
        raise DynamoDBError(
            "ResourceNotFoundException", f"Requested resource not found: Shard: {request['ShardId']} not found"
        )
    now_s = engine.clock()
    stream.trim(now_s)
    kind, number = request["ShardIteratorType"], request.get("SequenceNumber")
    if kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        if number is None or not number.isdigit():
            raise validation("Invalid SequenceNumber")
        position = int(number) - FIRST_SEQUENCE + (1 if kind == "AFTER_SEQUENCE_NUMBER" else 0)
        if position < stream.first:
            raise DynamoDBError(
                "TrimmedDataAccessException", "The requested sequence number is beyond the trim horizon"
            )
    else:
        position = stream.first if kind == "TRIM_HORIZON" else stream.next_position
    return {"ShardIterator": _iterator(stream, position, now_s)}


def get_records(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    request_shape("GetRecords", streams=True).check(request)
    stream, position, made_s = _read_iterator(engine, request["ShardIterator"])
    now_s = engine.clock()
    if made_s < now_s - ITERATOR_S:
        raise DynamoDBError("ExpiredIteratorException", "Iterator expired")
    stream.trim(now_s)
    if position < stream.first:
        raise DynamoDBError("TrimmedDataAccessException", "The requested sequence number is beyond the trim horizon")
    limit = int(request.get("Limit") or PAGE_RECORDS)
    records: list[dict[str, Any]] = []
    size = 0
    while position < stream.next_position and len(records) < limit and size < PAGE_BYTES:
        record = stream.read(position)
        size += record["dynamodb"]["SizeBytes"]
        records.append(record)
        position += 1
    answer: dict[str, Any] = {"Records": records}
    if stream.enabled or position < stream.next_position:
        answer["NextShardIterator"] = _iterator(stream, position, now_s)
    return answer


def _stream(engine: Engine, arn: str) -> Stream:
    stream = engine.streams.get(arn)
    if stream is None:
        raise DynamoDBError("ResourceNotFoundException", f"Requested resource not found: Stream: {arn} not found")
    return stream


def _iterator(stream: Stream, position: int, now_s: float) -> str:
    return f"{stream.arn}|1|{position}|{now_s:.3f}"


def _read_iterator(engine: Engine, text: str) -> tuple[Stream, int, float]:
    parts = text.split("|")
    stream = engine.streams.get(parts[0])
    if stream is None or len(parts) != 4:
        raise validation("Invalid ShardIterator")
    try:
        return stream, int(parts[2]), float(parts[3])
    except ValueError:
        raise validation("Invalid ShardIterator") from None
