"""The queue between a table and an index."""

from capacity.physics.backpressure import IndexQueue
from capacity.physics.partition import KEY_RANGE, PROVISIONED
from capacity.physics.resource import ThroughputResource
from capacity.physics.settings import Settings

T0 = 1_900_000_020.0


def test_a_slow_index_first_spends_its_savings_then_fills_its_queue_then_refuses_writes_to_the_table():
    index = ThroughputResource(Settings("adaptive", 5, 5), T0)
    queue = IndexQueue(index, capacity_units=30 * 100)
    refused_at_s = None
    for second in range(120):
        if queue.check(T0 + second):
            refused_at_s = refused_at_s or second
        else:
            queue.put(T0 + second, 7, 100.0)
    # 100 a second against 5: savings of 1,500 and a queue of 3,000 last 4,500 / 95 = 47.4 s.
    assert refused_at_s == 48
    assert queue.check(T0 + 119) == (PROVISIONED,)


def test_there_is_room_again_as_soon_as_the_index_has_worked_something_off():
    index = ThroughputResource(Settings("adaptive", 5, 5), T0)
    queue = IndexQueue(index, capacity_units=1000.0)
    queue.put(T0, 7, 2600.0)
    assert queue.waiting_units(T0) == 1600.0, "one partition's ceiling holds 1,000: it owes the most"
    queue = IndexQueue(ThroughputResource(Settings("adaptive", 5, 5), T0), capacity_units=1000.0)
    for second in range(26):
        queue.put(T0 + second, 7, 100.0)
    # 1,500 + 5 x 25 - 2,600 = -975, then 100 more: -1,070 after the next refill, 70 above the queue, 14 s of work.
    queue.put(T0 + 26, 7, 100.0)
    assert queue.waiting_units(T0 + 26) == 1070.0
    assert queue.check(T0 + 40) == (PROVISIONED,)
    assert queue.check(T0 + 40.1) == ()


def test_raising_the_index_empties_the_queue_faster():
    index = ThroughputResource(Settings("adaptive", 5, 5), T0)
    queue = IndexQueue(index, capacity_units=100.0)
    index.charge(T0, "write", 7, 900.0)
    index.charge(T0 + 1, "write", 7, 605.0)
    queue.put(T0 + 1, 7, 490.0)
    assert queue.check(T0 + 1) == (PROVISIONED,)
    index.retune(T0 + 1, Settings("adaptive", 5, 380))
    assert queue.check(T0 + 2) == (PROVISIONED,)
    assert queue.check(T0 + 2.1) == ()


def test_one_hot_key_of_an_on_demand_index_holds_up_the_table():
    # Low-cardinality index keys make hot partitions that only the index has (workshop amazon-dynamodb-labs, step 7).
    queue = IndexQueue(ThroughputResource(Settings("on_demand"), T0), capacity_units=2000.0)
    for second in range(10):
        if not queue.check(T0 + second):
            queue.put(T0 + second, 7, 1500.0)
    assert queue.check(T0 + 9) == (KEY_RANGE,)
