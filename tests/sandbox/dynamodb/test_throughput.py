"""Throughput physics as a client of the API meets it, under a clock that the tests set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from served_engine import Clock, RecordedMetrics, key_table

from sandbox.dynamodb.engine import Engine
from sandbox.dynamodb.errors import DynamoDBError

Json = dict[str, Any]
INDEX = {
    "IndexName": "by_kind",
    "KeySchema": [{"AttributeName": "kind", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}


def provisioned(read: int, write: int, **more: Any) -> Json:
    return key_table(ProvisionedThroughput={"ReadCapacityUnits": read, "WriteCapacityUnits": write}, **more)


def with_index(read: int, write: int, index_write: int) -> Json:
    index = {**INDEX, "ProvisionedThroughput": {"ReadCapacityUnits": read, "WriteCapacityUnits": index_write}}
    kind = [{"AttributeName": "kind", "AttributeType": "S"}]
    return provisioned(read, write, attributes=kind, GlobalSecondaryIndexes=[index])


def put(engine: Engine, pk: str = "a", sk: str = "1", size_bytes: int = 100, **attributes: Any) -> Json:
    item = {"pk": {"S": pk}, "sk": {"S": sk}, "pad": {"S": "x" * (size_bytes - 10)}, **attributes}
    return engine.call("PutItem", {"TableName": "things", "Item": item})


def refused(engine: Engine, action: Callable[[], Any]) -> DynamoDBError:
    with pytest.raises(DynamoDBError) as caught:
        action()
    return caught.value


def get(engine: Engine, pk: str = "a") -> Json:
    key = {"pk": {"S": pk}, "sk": {"S": "1"}}
    return engine.call("GetItem", {"TableName": "things", "Key": key, "ConsistentRead": True})


def test_a_400_kb_put_passes_on_a_fresh_5_unit_table_and_blocks_it_afterwards(engine: Engine, clock: Clock) -> None:
    """A single request may be larger than the rate (dynamodb-conformance PR 43, 2026-06-19). The bank of 300 s, 1,500
    units, pays for three puts of 400 in as many seconds; the fourth leaves a debt that is paid back at 5 a second."""
    engine.call("CreateTable", provisioned(5, 5))
    for number in range(4):
        put(engine, sk=str(number), size_bytes=409_000)
        clock.advance(1.0)
    error = refused(engine, lambda: put(engine, sk="9"))
    assert error.code == "ProvisionedThroughputExceededException"
    # 1,500 + 3 x 5 - 4 x 400 = -85 units after the fourth: 17 seconds.
    clock.advance(15.5)
    refused(engine, lambda: put(engine, sk="9"))
    clock.advance(1.0)
    put(engine, sk="9")


def test_150_units_of_reads_bear_200_a_second_for_900_seconds(engine: Engine, clock: Clock) -> None:
    """re:Post knowledge center, dynamodb-spiky-workloads: a bank of 45,000 units lasts 45,000 / 50 = 900 s."""
    engine.call("CreateTable", provisioned(150, 5))
    put(engine)
    first_refusal_s = None
    for second in range(1000):
        for _ in range(200):
            try:
                get(engine)
            except DynamoDBError:
                first_refusal_s = second
                break
        if first_refusal_s is not None:
            break
        clock.advance(1.0)
    # Reads come at the start of each second, so the last seconds' refill comes too late for them.
    assert first_refusal_s == pytest.approx(900, rel=0.005)


def test_a_refusal_names_reason_and_resource_and_changes_nothing(
    engine: Engine, clock: Clock, metrics: RecordedMetrics
) -> None:
    engine.call("CreateTable", provisioned(5, 1))
    put(engine, size_bytes=310_000)
    consumed = metrics.sum("ConsumedWriteCapacityUnits", TableName="things")
    error = refused(engine, lambda: put(engine, sk="2"))
    arn = "arn:aws:dynamodb:ap-northeast-1:000000000000:table/things"
    assert error.extra == {
        "ThrottlingReasons": [{"reason": "TableWriteProvisionedThroughputExceeded", "resource": arn}]
    }
    assert error.message == (
        "The level of configured provisioned throughput for the table was exceeded. "
        "Consider increasing your provisioning level with the UpdateTable API."
    )
    assert "Item" not in engine.call("GetItem", {"TableName": "things", "Key": {"pk": {"S": "a"}, "sk": {"S": "2"}}})
    assert metrics.sum("ConsumedWriteCapacityUnits", TableName="things") == consumed
    assert metrics.sum("WriteThrottleEvents", TableName="things") == 1
    assert metrics.sum("WriteProvisionedThroughputThrottleEvents", TableName="things") == 1
    assert metrics.sum("ThrottledRequests", TableName="things", Operation="PutItem") == 1
    assert metrics.sum("UserErrors") == 0
    assert metrics.counts["SuccessfulRequestLatency", (("TableName", "things"), ("Operation", "PutItem"))] == 1


def test_a_partition_of_an_on_demand_table_gives_1000_write_units(engine: Engine, metrics: RecordedMetrics) -> None:
    """A hot key meets the ceiling of its partition (1,000 a second), not the table's 4,000; ThrottlingException spells
    its reasons with a small t."""
    engine.call("CreateTable", key_table())
    admitted = 0
    while admitted < 5_000:
        try:
            put(engine, sk=str(admitted))
        except DynamoDBError as error:
            caught = error
            break
        admitted += 1
    assert admitted == 1000
    assert caught.code == "ThrottlingException"
    assert [each["reason"] for each in caught.extra["throttlingReasons"]] == ["TableWriteKeyRangeThroughputExceeded"]
    assert caught.message is not None
    assert caught.message.startswith("Throughput exceeds the current capacity of your table or index.")
    assert metrics.sum("WriteKeyRangeThroughputThrottleEvents", TableName="things") == 1


def test_many_keys_of_a_new_on_demand_table_give_4000_write_units(engine: Engine) -> None:
    """Four partitions to begin with: 4,000 writes a second (AWS guide, on-demand capacity mode)."""
    engine.call("CreateTable", key_table())
    admitted = 0
    for number in range(6_000):
        try:
            put(engine, pk=f"key{number}")
        except DynamoDBError:
            continue
        admitted += 1
    assert 3_800 < admitted <= 4_000


def test_the_configured_maximum_of_an_on_demand_table(engine: Engine) -> None:
    engine.call("CreateTable", key_table(OnDemandThroughput={"MaxWriteRequestUnits": 10, "MaxReadRequestUnits": 10}))
    for number in range(10):
        put(engine, sk=str(number))
    error = refused(engine, lambda: put(engine, sk="10"))
    assert error.message == "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
    assert error.extra["throttlingReasons"][0]["reason"] == "TableWriteMaxOnDemandThroughputExceeded"


def test_world_static_splits_the_setting_evenly_and_moves_nothing(make_engine: Callable[..., Engine]) -> None:
    """The deck's rule: ceil(RCU / 3,000 + WCU / 1,000) partitions with an equal share each."""
    engine = make_engine(world="static")
    engine.call("CreateTable", provisioned(1, 4000))
    (report,) = engine.partitions().values()
    assert len(report["partitions"]) == 5  # ceil(1/3000 + 4000/1000)
    for partition in report["partitions"]:
        assert partition["share_units_per_s"]["write"] == pytest.approx(800.0)


def test_world_off_refuses_nothing(unlimited: Engine) -> None:
    unlimited.call("CreateTable", provisioned(1, 1))
    for number in range(400):
        put(unlimited, sk=str(number), size_bytes=2_000)


def test_a_full_index_queue_refuses_every_write_to_the_table(
    engine: Engine, clock: Clock, metrics: RecordedMetrics
) -> None:
    """Back-pressure: also a write that touches no entry of the index is refused (measured, 2026-09-18). The throttle
    event counts on the index, the throttled request on the table, and the reason names the index."""
    engine.call("CreateTable", with_index(5, 100, 1))
    error = None
    for number in range(10_000):
        try:
            put(engine, pk=f"k{number}", kind={"S": "same"})
        except DynamoDBError as caught:
            error = caught
            break
        clock.advance(0.01)
    assert error is not None
    assert error.code == "ProvisionedThroughputExceededException"
    arn = "arn:aws:dynamodb:ap-northeast-1:000000000000:table/things/index/by_kind"
    assert error.extra["ThrottlingReasons"] == [{"reason": "IndexWriteProvisionedThroughputExceeded", "resource": arn}]
    # A bank of 300 x 1, a queue of 30 s of the table's 100 write units, and what 1 a second drained meanwhile.
    assert number == pytest.approx((300 + 3000) / (1 - 0.01), abs=2)
    refused(engine, lambda: put(engine, pk="without an index key"))
    index = {"TableName": "things", "GlobalSecondaryIndexName": "by_kind"}
    assert metrics.sum("WriteThrottleEvents", **index) == 2
    assert metrics.sum("WriteThrottleEvents", TableName="things") == 0
    assert metrics.sum("ThrottledRequests", TableName="things", Operation="PutItem") == 2
    clock.advance(5.0)
    put(engine, pk="without an index key")


def test_a_batch_is_admitted_item_by_item(engine: Engine, metrics: RecordedMetrics) -> None:
    engine.call("CreateTable", provisioned(5, 5))
    items = [{"pk": {"S": f"k{number}"}, "sk": {"S": "1"}, "pad": {"S": "x" * 399_000}} for number in range(6)]
    request = {"RequestItems": {"things": [{"PutRequest": {"Item": item}} for item in items]}}
    answer = engine.call("BatchWriteItem", request)
    # One partition gives 1,000 units in a second: two puts of 390, a third into debt; the rest comes back.
    assert answer["UnprocessedItems"] == {"things": request["RequestItems"]["things"][3:]}
    assert metrics.sum("WriteThrottleEvents", TableName="things") == 3
    assert metrics.sum("ThrottledRequests", TableName="things", Operation="BatchWriteItem") == 1
    error = refused(engine, lambda: engine.call("BatchWriteItem", {"RequestItems": answer["UnprocessedItems"]}))
    assert error.code == "ProvisionedThroughputExceededException"


def test_a_batch_of_gets_returns_the_keys_it_could_not_read(engine: Engine, clock: Clock) -> None:
    engine.call("CreateTable", provisioned(1, 1000))
    for number in range(5):
        put(engine, pk=f"k{number}", size_bytes=400_000)
    keys = [{"pk": {"S": f"k{number}"}, "sk": {"S": "1"}} for number in range(5)]
    request = {"RequestItems": {"things": {"Keys": keys, "ConsistentRead": True}}}
    answer = engine.call("BatchGetItem", request)
    # 98 units each out of a bank of 300: the fourth leaves a debt.
    assert len(answer["Responses"]["things"]) == 4
    assert answer["UnprocessedKeys"] == {"things": {"Keys": keys[4:], "ConsistentRead": True}}


def test_a_transaction_is_admitted_wholly_or_not_at_all(engine: Engine) -> None:
    """Measured (2026-09): a throttled transaction raises the throttling exception itself."""
    engine.call("CreateTable", provisioned(5, 1))
    put(engine, pk="spent", size_bytes=310_000)
    puts = [{"Put": {"TableName": "things", "Item": {"pk": {"S": pk}, "sk": {"S": "1"}}}} for pk in "ab"]
    error = refused(engine, lambda: engine.call("TransactWriteItems", {"TransactItems": puts}))
    assert error.code == "ProvisionedThroughputExceededException"
    assert engine.call("Scan", {"TableName": "things", "Select": "COUNT"})["Count"] == 1


def test_a_failed_condition_is_charged_as_the_write_would_be(engine: Engine, metrics: RecordedMetrics) -> None:
    """Existing 300 KB, attempted 310 KB: 310 units, seen in CloudWatch alone (WorkingWithItems, 2026)."""
    engine.call("CreateTable", provisioned(5, 5))
    put(engine, size_bytes=300 * 1024)
    before = metrics.sum("ConsumedWriteCapacityUnits", TableName="things")
    item = {"pk": {"S": "a"}, "sk": {"S": "1"}, "pad": {"S": "x" * (310 * 1024 - 9)}}
    request = {"TableName": "things", "Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
    error = refused(engine, lambda: engine.call("PutItem", request))
    assert error.code == "ConditionalCheckFailedException"
    assert metrics.sum("ConsumedWriteCapacityUnits", TableName="things") - before == 310
    assert metrics.sum("ConditionalCheckFailedRequests", TableName="things") == 1
    assert metrics.sum("UserErrors") == 0


def test_raising_a_setting_takes_effect_and_lowering_is_limited(engine: Engine, clock: Clock) -> None:
    """Four decreases at once, then one an hour (ServiceQuotas); the fifth is a LimitExceededException (measured)."""
    engine.call("CreateTable", provisioned(5, 100))

    def set_write_units(units: int) -> Json:
        throughput = {"ReadCapacityUnits": 5, "WriteCapacityUnits": units}
        return engine.call("UpdateTable", {"TableName": "things", "ProvisionedThroughput": throughput})

    for units in (90, 80, 70, 60):
        described = set_write_units(units)["TableDescription"]["ProvisionedThroughput"]
    assert described["NumberOfDecreasesToday"] == 4
    assert refused(engine, lambda: set_write_units(50)).code == "LimitExceededException"
    set_write_units(200)
    clock.advance(3600.0)
    set_write_units(50)
    assert refused(engine, lambda: set_write_units(50)).code == "ValidationException"


def test_a_hot_item_collection_splits_after_eight_minutes(engine: Engine, clock: Clock) -> None:
    """Third-party test of 2020: about 8 minutes to the first split of an on-demand table under hot keys."""
    engine.call("CreateTable", key_table())
    counts = []
    for _ in range(10):
        for _ in range(60):
            for number in range(100):
                put(engine, pk="hot", sk=str(number), size_bytes=10_000)
            clock.advance(1.0)
        counts.append(len(engine.partitions()["things"]["partitions"]))
    assert counts[:7] == [4] * 7
    assert counts[-1] == 5


def test_settings_split_partitions_as_published(make_engine: Callable[..., Engine]) -> None:
    """ATC'22 example: 3,200 write units are 4 x 800, 3,600 are 4 x 900, 6,000 are 8 x 750."""
    engine = make_engine(world="static")
    engine.call("CreateTable", provisioned(1, 3200))
    seen = []
    for units in (3200, 3600, 6000):
        if units != 3200:
            throughput = {"ReadCapacityUnits": 1, "WriteCapacityUnits": units}
            engine.call("UpdateTable", {"TableName": "things", "ProvisionedThroughput": throughput})
        partitions = engine.partitions()["things"]["partitions"]
        seen.append((len(partitions), partitions[0]["share_units_per_s"]["write"]))
    assert seen == [(4, pytest.approx(800)), (4, pytest.approx(900)), (8, pytest.approx(750))]


@pytest.mark.parametrize(("world", "first_refusal_s"), [("static", 600), ("adaptive", None)])
def test_an_uneven_load_of_150_on_a_partition_of_100(
    make_engine: Callable[..., Engine], clock: Clock, world: str, first_refusal_s: int | None
) -> None:
    """Guide, bp-partition-key-design: 400 write units over 4 partitions, one of them asked for 150 a second. Adaptive
    capacity carries it for good; without, a bank of 300 x 100 lasts 30,000 / 50 seconds."""
    engine = make_engine(world=world)
    engine.call("CreateTable", provisioned(1, 3999))
    throughput = {"ReadCapacityUnits": 1, "WriteCapacityUnits": 399}  # 4 partitions stay: they never merge
    engine.call("UpdateTable", {"TableName": "things", "ProvisionedThroughput": throughput})
    assert len(engine.partitions()["things"]["partitions"]) == 4
    refused_s = None
    for second in range(900):
        try:
            for number in range(15):
                put(engine, pk="hot", sk=str(number), size_bytes=10_000)
        except DynamoDBError:
            refused_s = second
            break
        clock.advance(1.0)
    assert refused_s == (None if first_refusal_s is None else pytest.approx(first_refusal_s, rel=0.02))


def test_the_workshop_that_loads_2000_rows(engine: Engine, clock: Clock, metrics: RecordedMetrics) -> None:
    """AWS's DynamoDB workshop, exercise 1 (2026-05): 2,000 rows into 5 write units and an index of 5 took 75 s and
    134 s; the table throttled, the index did not."""
    engine.call("CreateTable", with_index(5, 5, 5))
    rows, started_s = 0, clock.now_s
    while rows < 2000:
        try:
            put(engine, pk=f"row{rows}", kind={"S": f"kind{rows % 10}"})
        except DynamoDBError:
            clock.advance(0.05)
            continue
        rows += 1
        clock.advance(0.005)
    assert 75 <= clock.now_s - started_s <= 134
    index = {"TableName": "things", "GlobalSecondaryIndexName": "by_kind"}
    assert metrics.sum("WriteThrottleEvents", TableName="things") > 0
    assert metrics.sum("WriteThrottleEvents", **index) == 0
