"""What `meshcap calc` answers, against figures published or calculated elsewhere."""

import json

import pytest

from capacity.calculators import Answer, CalculatorError, burst, partitions, simulate, size, units
from capacity.calculators.units import OPERATIONS, Entry
from capacity.dynamodb.units import Consistency
from capacity.physics.autoscaling import TargetTracking


def line(answer: Answer, label: str) -> str:
    return dict(answer.lines)[label]


def test_plain_and_dynamodb_json_have_the_same_size() -> None:
    plain = size('{"id": "x", "n": 12.5, "tags": ["a"], "名": null}')
    wire = size(
        json.dumps(
            {"id": {"S": "x"}, "n": {"N": "12.5"}, "tags": {"L": [{"S": "a"}]}, "名": {"NULL": True}},
            ensure_ascii=False,
        )
    )
    assert plain.figures == wire.figures
    assert plain.figures["attribute_bytes"] == {"id": 3, "n": 4, "tags": 9, "名": 4}
    assert plain.figures["item_bytes"] == 20


def test_index_entries_hold_keys_and_what_is_projected() -> None:
    text = json.dumps({"pk": "a", "sk": "b", "g": "c", "body": "." * 2_000})
    answer = size(text, key="pk,sk", indexes=["g", "g:KEYS_ONLY", "g:INCLUDE:body", "missing"])
    assert answer.figures["index_entries"] == {"g": 2012, "g:KEYS_ONLY": 8, "g:INCLUDE:body": 2012, "missing": None}
    assert line(answer, "index missing") == "no entry, no cost"


def test_an_item_above_the_limit_says_by_how_much() -> None:
    answer = size(json.dumps({"id": "." * 409_599}))
    assert answer.figures["within_limit"] is False
    assert answer.notes == ["Too large by 1 bytes: DynamoDB takes at most 409,600."]


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("{", {}, "not JSON at character 1"),
        ("[1]", {}, "an item is a JSON object, got list"),
        ('{"a": {"b": NaN}}', {}, "not a DynamoDB number"),
        ("{}", {"indexes": ["g"]}, "name it too; example: --key pk,sk"),
        ("{}", {"key": "pk", "indexes": ["g:SOME"]}, "expected ALL, KEYS_ONLY or INCLUDE"),
    ],
)
def test_what_is_no_item_is_refused_with_an_example(text: str, options: dict, says: str) -> None:
    with pytest.raises(CalculatorError, match=says):
        size(text, **options)


@pytest.mark.parametrize(
    ("operation", "sizes", "options", "expected"),
    [
        ("get", [10_240], {}, 1.5),
        ("get", [0], {"consistency": Consistency.STRONG}, 1),
        ("batch-get", [1_536, 6_656], {"consistency": Consistency.STRONG}, 3),
        ("query", [64] * 1_500, {"consistency": Consistency.STRONG}, 24),
        ("scan", [3_017] * 4, {}, 1.5),
        ("transact-get", [500] * 3, {}, 6),
        ("put", [500], {}, 1),
        ("update", [10], {"were_bytes": [2_049]}, 3),
        ("delete", [2_049], {}, 3),
        ("delete", [], {}, 1),
        ("batch-write", [500, 3_584], {}, 5),
        ("transact-write", [500] * 3, {}, 6),
        ("condition-check", [100], {}, 2),
        ("failed-condition", [317_440], {"were_bytes": [307_200]}, 310),
        ("replay", [1_536], {}, 2),
        ("ttl-delete", [5_000], {}, 0),
    ],
)
def test_units_of_every_operation(operation: str, sizes: list[int], options: dict, expected: float) -> None:
    assert units(operation, sizes, **options).figures["total"] == expected


def test_every_operation_is_tried_above() -> None:
    (mark,) = (mark for mark in test_units_of_every_operation.pytestmark if mark.name == "parametrize")
    assert {row[0] for row in mark.args[1]} == set(OPERATIONS)


def test_index_writes_and_a_rate_come_with_the_operation() -> None:
    entries = [Entry(0, 300), Entry(1_517, 1_517, key_changed=True)]
    answer = units("put", [3_017], entries=entries, per_second=100)
    assert answer.figures["index_units"] == [1, 4]
    assert (answer.figures["per_second"], answer.figures["index_per_second"]) == (300, [100, 400])


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        (("steal", [1]), {}, "no operation 'steal'; expected one of get"),
        (("get", [-1]), {}, "sizes are bytes from 0 up"),
        (("query", [1]), {"index": "GSI", "consistency": Consistency.STRONG}, "updated asynchronously"),
        (("batch-write", [1] * 26), {}, "at most 25 items, got 26"),
        (("get", [1]), {"entries": [Entry(0, 1)]}, "writes no index entries"),
    ],
)
def test_a_call_without_a_price_says_why(arguments: tuple, options: dict, says: str) -> None:
    with pytest.raises(CalculatorError, match=says):
        units(*arguments, **options)


def test_the_decks_example_of_partitions() -> None:
    answer = partitions(5_000, 500, size_gb=8)
    assert line(answer, "by throughput") == "5,000/3000 + 500/1000 = 2.17"
    assert line(answer, "5,000 RCU, 500 WCU, 8 GB") == "3 partitions of 1,666.67 RCU, 166.67 WCU, 2.67 GB"


def test_a_past_peak_is_named() -> None:
    answer = partitions(0, 500, then=[(0, 10_000), (0, 500)])
    assert [step["partitions"] for step in answer.figures["steps"]] == [1, 16, 16]
    assert "16 times less" in answer.notes[-1]


def test_on_demand_grows_by_size() -> None:
    assert [step["partitions"] for step in partitions(on_demand=True, then_gb=[40, 41]).figures["steps"]] == [4, 4, 8]
    with pytest.raises(CalculatorError, match="no provisioned throughput"):
        partitions(5, 5, on_demand=True)
    with pytest.raises(CalculatorError, match="from 0 up"):
        partitions(-5)


def test_the_knowledge_centres_burst() -> None:
    answer = burst(150, 200, kind="read", for_s=900)
    assert answer.figures["bank_units"] == 45_000
    assert line(answer, "first throttle after") == "900 s (15.0 min)"
    assert answer.figures["smallest_setting"] == 200
    assert answer.figures["smallest_setting_for_duration"] == 151


def test_every_fault_of_a_burst_is_named_at_once() -> None:
    with pytest.raises(CalculatorError) as raised:
        burst(0, -1, key_share=2, partitions=0, for_s=0.1)
    for part in ("above 0", "not be negative", "between 0 and 1", "at least 1 partition", "7 days", "example"):
        assert part in str(raised.value)


def test_a_simulation_shows_the_same_burst() -> None:
    answer = simulate(["200:20m"], supply=150, world="static", kind="read", keys=1)
    assert answer.figures["first_throttle_s"] == pytest.approx(900, abs=4)
    assert answer.figures["throttled_units"] == pytest.approx(50 * 300, abs=200)
    assert answer.figures["demand_units"] == 240_000


def test_a_hot_key_throttles_in_the_decks_world_and_not_in_todays() -> None:
    hot = {"supply": 2_000, "keys": 50, "key_share": 0.4, "partitions": 8}
    static = simulate(["1900:30m"], world="static", **hot)
    adaptive = simulate(["1900:30m"], world="adaptive", **hot)
    assert static.figures["throttled_units"] > 0
    assert adaptive.figures["throttled_units"] == 0


def test_a_slower_ramp_throttles_less_on_demand() -> None:
    refused = [
        simulate([f"0..40000:{minutes}m"], world="on_demand", keys=200).figures["throttled_units"]
        for minutes in (30, 90)
    ]
    assert refused[0] > refused[1] > 0


def test_a_full_partition_is_one_partition() -> None:
    assert simulate(["10:1m"], supply=1_000, world="static").figures["partitions_at_end"] == 1
    assert simulate(["10:1m"], supply=3_001, world="static", kind="read").figures["partitions_at_end"] == 2


def test_auto_scaling_raises_the_setting() -> None:
    policy = TargetTracking(minimum_units=100, maximum_units=1_000)
    answer = simulate(["150:30m"], supply=100, autoscaling=policy)
    assert answer.figures["provisioned_units_per_second_at_end"] == pytest.approx(150 / 0.7, rel=0.01)


def test_cutting_time_into_stretches_changes_nothing() -> None:
    once = simulate(["100..900:15m"], supply=300, world="adaptive", keys=3).figures
    in_parts = simulate(["100..500:450s", "500..900:450s"], supply=300, world="adaptive", keys=3).figures
    assert once["throttled_units"] == pytest.approx(in_parts["throttled_units"], rel=0.01)
    assert len(once["demand_units_per_second"]) == len(in_parts["demand_units_per_second"]) == 60


@pytest.mark.parametrize(
    ("demand", "options", "says"),
    [
        (["200"], {"supply": 1}, "such as 200:20m or 0..400:10m"),
        (["200:soon"], {"supply": 1}, "no duration"),
        (["200:20m"], {}, "needs a supply"),
        (["200:20m"], {"world": "flat"}, "no world 'flat'; expected one of static, adaptive"),
        (["200:20m"], {"world": "on_demand", "supply": 5}, "has no supply"),
        ([], {"supply": 1}, "from 1 s to a year"),
        (["1:400d"], {"supply": 1}, "longer than a year"),
    ],
)
def test_a_question_that_cannot_be_simulated_says_why(demand: list[str], options: dict, says: str) -> None:
    with pytest.raises(CalculatorError, match=says):
        simulate(demand, **options)


def test_answers_are_json() -> None:
    for answer in (
        size('{"id": 1}'),
        units("get", [1]),
        partitions(1, 1),
        burst(10, 5),
        simulate(["1:1m"], world="off"),
    ):
        assert json.loads(json.dumps(answer.figures, allow_nan=False))
        assert all(label and value for label, value in answer.lines)
