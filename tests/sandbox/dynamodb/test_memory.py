"""Nothing grows with the number of requests alone: what is kept is bounded by items and by documented times."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from served_engine import START_S, Clock, key_table

from sandbox.dynamodb.engine import Engine

STREAM = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}


def put(engine: Engine, pk: str, **attributes: Any) -> None:
    engine.call("PutItem", {"TableName": "things", "Item": {"pk": {"S": pk}, **attributes}})


def test_transaction_tokens_are_kept_for_ten_minutes(unlimited: Engine, clock: Clock) -> None:
    """SDKs send a token with every transaction."""
    unlimited.call("CreateTable", key_table(sort=False))
    for number in range(2000):
        action = {"Put": {"TableName": "things", "Item": {"pk": {"S": "a"}, "text": {"S": "x" * 1000}}}}
        unlimited.call("TransactWriteItems", {"TransactItems": [action], "ClientRequestToken": f"token-{number}"})
        clock.advance(1.0)
    assert 600 <= len(unlimited.transaction_tokens) <= 602
    assert {len(fingerprint) for _, fingerprint in unlimited.transaction_tokens.values()} == {16}


def test_stream_records_are_kept_for_24_hours(unlimited: Engine, clock: Clock) -> None:
    """One write a minute for three days."""
    unlimited.call("CreateTable", key_table(sort=False, StreamSpecification=STREAM))
    for number in range(3 * 1440):
        put(unlimited, "a", version={"N": str(number)})
        clock.advance(60.0)
    (stream,) = unlimited.streams.values()
    assert 1440 <= len(stream) <= 1442


def test_closed_streams_are_forgotten_after_24_hours(unlimited: Engine, clock: Clock) -> None:
    """A table made and dropped every hour for three days."""
    for _ in range(72):
        unlimited.call("CreateTable", key_table(sort=False, StreamSpecification=STREAM))
        put(unlimited, "a")
        unlimited.call("DeleteTable", {"TableName": "things"})
        clock.advance(3600.0)
    assert 24 <= len(unlimited.streams) <= 26


def test_a_table_that_is_dropped_leaves_no_reminders(make_engine: Callable[..., Engine], clock: Clock) -> None:
    """Ten items with a time to live, in a table that is made and dropped 300 times."""
    engine = make_engine(world="off")
    specification = {"Enabled": True, "AttributeName": "ttl"}
    for _ in range(300):
        engine.call("CreateTable", key_table(sort=False))
        engine.call("UpdateTimeToLive", {"TableName": "things", "TimeToLiveSpecification": specification})
        for number in range(10):
            put(engine, f"k{number}", ttl={"N": str(int(START_S) + 86_400)})
        engine.call("DeleteTable", {"TableName": "things"})
    assert len(engine.expiry) <= 2 * 10 + 1024
