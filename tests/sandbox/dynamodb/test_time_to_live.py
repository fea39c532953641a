"""Expired items are readable, counted and charged for until they are deleted, and deleting them is free."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from served_engine import START_S, Clock, RecordedMetrics, key_table

from sandbox.dynamodb.engine import Engine
from sandbox.dynamodb.errors import DynamoDBError

STREAM = {"StreamEnabled": True, "StreamViewType": "OLD_IMAGE"}
ENABLE = {"TableName": "things", "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "ttl"}}


def put(engine: Engine, pk: str, ttl: dict[str, Any]) -> None:
    engine.call("PutItem", {"TableName": "things", "Item": {"pk": {"S": pk}, "ttl": ttl}})


def count(engine: Engine) -> int:
    return int(engine.call("Scan", {"TableName": "things", "Select": "COUNT"})["Count"])


@pytest.fixture
def engine(make_engine: Callable[..., Engine]) -> Engine:
    engine = make_engine()
    engine.call("CreateTable", key_table(sort=False, StreamSpecification=STREAM))
    engine.call("UpdateTimeToLive", ENABLE)
    return engine


def test_items_go_8_to_30_minutes_after_they_expire(engine: Engine, clock: Clock, metrics: RecordedMetrics) -> None:
    """As others measured on AWS (bahr.dev 2019-05, theburningmonk 2020-07); none goes before, none is left after."""
    for number in range(200):
        put(engine, f"k{number}", {"N": str(int(START_S) + 60)})
    consumed = metrics.sum("ConsumedWriteCapacityUnits", TableName="things")
    clock.advance(60 + 8 * 60 - 1)
    assert count(engine) == 200
    clock.advance(11 * 60)
    assert 50 < count(engine) < 150
    clock.advance(11 * 60 + 2)
    assert count(engine) == 0
    assert metrics.sum("TimeToLiveDeletedItemCount", TableName="things") == 200
    assert metrics.sum("ConsumedWriteCapacityUnits", TableName="things") == consumed


@pytest.mark.parametrize(
    ("ttl", "stays"),
    [
        ({"N": str(int(START_S) - 10)}, False),
        ({"N": str(int(START_S) - 6 * 365 * 86_400)}, True),  # more than five years ago
        ({"S": str(int(START_S) - 10)}, True),  # no number
        ({"N": str(int(START_S) + 86_400)}, True),  # not yet
    ],
)
def test_which_items_expire(engine: Engine, clock: Clock, ttl: dict[str, Any], stays: bool) -> None:
    put(engine, "a", ttl)
    clock.advance(3600.0)
    assert count(engine) == (1 if stays else 0)


def test_an_item_that_is_renewed_stays(engine: Engine, clock: Clock) -> None:
    put(engine, "a", {"N": str(int(START_S) + 10)})
    clock.advance(300.0)
    put(engine, "a", {"N": str(int(START_S) + 7200)})
    clock.advance(3600.0)
    assert count(engine) == 1
    clock.advance(2 * 7200.0)
    assert count(engine) == 0


def test_overwriting_does_not_let_the_queue_grow(engine: Engine, clock: Clock) -> None:
    """A heartbeat puts its item's expiry off again and again: what waits is one reminder per item."""
    for beat in range(200):
        for node in range(10):
            put(engine, f"k{node}", {"N": str(int(START_S) + 600 + beat)})
    assert len(engine.expiry) == 10
    clock.advance(600 + 200 + 30 * 60 + 2)  # every reminder is looked at, set anew at most once, and due again
    clock.advance(30 * 60)
    assert count(engine) == 0
    assert len(engine.expiry) == 0


@pytest.mark.parametrize("change", ["deleted and put anew", "brought forward"])
def test_outdated_reminders_are_cleared_out(engine: Engine, clock: Clock, change: str) -> None:
    """Ten items, 10,000 writes that each leave an outdated reminder behind."""
    for turn in range(1000):
        clock.advance(1.0)
        for node in range(10):
            if change == "deleted and put anew":
                engine.call("DeleteItem", {"TableName": "things", "Key": {"pk": {"S": f"k{node}"}}})
            put(engine, f"k{node}", {"N": str(int(START_S) + 90_000_000 - 2000 * turn)})
    assert 10 <= len(engine.expiry) <= 2 * 10 + 1024


def test_an_expiry_that_is_brought_forward_counts(engine: Engine, clock: Clock) -> None:
    put(engine, "a", {"N": str(int(START_S) + 90_000)})
    put(engine, "a", {"N": str(int(START_S) + 10)})
    clock.advance(10 + 30 * 60 + 1)
    assert count(engine) == 0


def test_switching_it_off_and_on_again(engine: Engine, clock: Clock) -> None:
    """Nothing is deleted meanwhile; then the new attribute decides."""
    put(engine, "a", {"N": str(int(START_S) + 10)})
    put(engine, "b", {"N": str(int(START_S) + 90_000)})
    engine.call("UpdateTimeToLive", {**ENABLE, "TimeToLiveSpecification": {"Enabled": False, "AttributeName": "ttl"}})
    assert len(engine.expiry) == 0
    clock.advance(3600.0)
    assert count(engine) == 2
    engine.call("UpdateTimeToLive", ENABLE)
    assert len(engine.expiry) == 2
    clock.advance(3600.0)
    assert count(engine) == 1


def test_the_stream_says_that_the_service_deleted_it(engine: Engine, clock: Clock) -> None:
    """Developer Guide, time-to-live-ttl-streams: userIdentity is dynamodb.amazonaws.com of type Service."""
    put(engine, "a", {"N": str(int(START_S) + 10)})
    clock.advance(3600.0)
    count(engine)
    (stream,) = engine.streams.values()
    last = stream.read(stream.next_position - 1)
    assert last["eventName"] == "REMOVE"
    assert last["userIdentity"] == {"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"}


def test_enabling_counts_items_that_are_already_there(make_engine: Callable[..., Engine], clock: Clock) -> None:
    engine = make_engine(ttl_lag_s=(0.0, 0.0))
    engine.call("CreateTable", key_table(sort=False))
    put(engine, "a", {"N": str(int(START_S) + 5)})
    engine.call("UpdateTimeToLive", ENABLE)
    clock.advance(6.0)
    assert count(engine) == 0


def test_describe_and_double_enabling(engine: Engine) -> None:
    described = engine.call("DescribeTimeToLive", {"TableName": "things"})
    assert described == {"TimeToLiveDescription": {"AttributeName": "ttl", "TimeToLiveStatus": "ENABLED"}}
    with pytest.raises(DynamoDBError, match="TimeToLive is already enabled"):
        engine.call("UpdateTimeToLive", ENABLE)
    engine.call("UpdateTimeToLive", {**ENABLE, "TimeToLiveSpecification": {"Enabled": False, "AttributeName": "ttl"}})
    described = engine.call("DescribeTimeToLive", {"TableName": "things"})
    assert described == {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
