"""A workload on any table: units, limits and cost in closed form, and the tutorial."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.table import Index, Key, Table, Throughput
from capacity.workloads.example import INDEX, TABLE, post, timeline
from capacity.workloads.own import (
    CONSTANT,
    UNIQUE,
    Action,
    Workload,
    delete,
    get,
    hot,
    load_workload,
    put,
    query,
    transact,
    uniform,
    update,
    zipf,
)
from capacity.workloads.own_forecast import OwnForecast, forecast_own

PAGE = Path(__file__).parents[3] / "docs" / "own_workload.md"
PLAIN = Table("plain", Key("id"), {"id": "S"})


def test_the_tutorial_prints_what_it_says() -> None:
    results = doctest.testfile(str(PAGE), module_relative=False, optionflags=doctest.FAIL_FAST)
    assert results.attempted > 10
    assert results.failed == 0


@pytest.mark.parametrize(
    ("call", "units", "sentence"),
    [
        (put({"id": "a"}), (0, 1), "a small put is a unit"),
        (put({"id": "a", "x": "y" * 1500}), (0, 2), "1.5 KB are two"),
        (put({"id": "a"}, over={"id": "a", "x": "y" * 1500}), (0, 2), "the larger of before and after"),
        (update({"id": "a"}, {"id": "a", "x": "y" * 2100}), (0, 3), "an update pays for the whole item"),
        (delete({"id": "a", "x": "y" * 1500}), (0, 2), "a delete pays for what it deletes"),
        (get({"id": "a"}), (0.5, 0), "an eventual read is half"),
        (get({"id": "a"}, strong=True), (1, 0), "a strong one is whole"),
        (query({"id": "a", "x": "y" * 1000}, 10), (1.5, 0), "ten rows of 1 KB are three blocks, read eventually"),
        (transact({"id": "a"}, {"id": "b"}), (0, 4), "a transaction doubles"),
    ],
)
def test_units_of_single_calls(call: object, units: tuple[float, float], sentence: str) -> None:
    found = forecast_own(Workload(PLAIN, (Action("it", (call,), per_s=1),)))  # type: ignore[arg-type]
    assert found.units_per_s["table"] == units, sentence


def test_the_timeline_s_index_is_its_first_limit() -> None:
    # One post is a unit of the index; 20 posts of about 280 bytes are two blocks of 4 KB, read eventually: 1 unit.
    found = forecast_own(timeline(posts_per_s=100, readers_per_s=0.001))
    first = found.first_limit
    assert (first.resource, first.kind) == (INDEX, "write")
    assert first.grows == pytest.approx(1000 / 100)
    reading = forecast_own(timeline(posts_per_s=1, readers_per_s=100, more_pages=2))
    assert reading.units_per_s[INDEX] == (300.0, 1.0)


@given(shards=st.integers(2, 50))
def test_sharding_carries_more_posts_and_costs_more_reads(shards: int) -> None:
    one, many = forecast_own(timeline(10, 10)), forecast_own(timeline(10, 10, shards=shards))

    def key_limit(found: OwnForecast) -> float:
        return next(x.grows for x in found.limits if "sort_hash_key" in x.name and x.kind == "write")

    assert key_limit(many) == pytest.approx(shards * key_limit(one))
    assert many.units_per_s[INDEX][0] == pytest.approx(shards * one.units_per_s[INDEX][0])


@pytest.mark.parametrize(
    ("spread", "share"),
    [
        (UNIQUE, 0.0),
        (CONSTANT, 1.0),
        (uniform(8), 0.125),
        (hot(0.3), 0.3),
        (zipf(1), 1.0),
        (zipf(3), 1 / (1 + 1 / 2 + 1 / 3)),
        (zipf(4, exponent=0), 0.25),
    ],
)
def test_the_busiest_value_of_a_spread(spread: object, share: float) -> None:
    assert spread.busiest_share == pytest.approx(share)  # type: ignore[attr-defined]


def test_an_index_that_no_action_reads_is_found() -> None:
    table = Table("t", Key("id"), {"id": "S", "kind": "S"}, (Index("by_kind", "GSI", Key("kind")),))
    found = forecast_own(Workload(table, (Action("put", (put({"id": "a", "kind": "k"}),), per_s=5),)))
    assert found.findings == ["index by_kind: no action reads it, and it takes 50% of the write units; drop it"]


def test_a_provisioned_table_pays_by_the_hour_and_meets_its_setting() -> None:
    table = Table("t", Key("id"), {"id": "S"}, throughput=Throughput(10, 20))
    found = forecast_own(Workload(table, (Action("put", (put({"id": "a"}),), per_s=5),)))
    assert found.first_limit.name == "provisioned throughput"
    assert found.first_limit.grows == 4
    assert found.monthly_usd == pytest.approx(730 * (10 * 0.0001484 + 20 * 0.000742))


def test_every_fault_is_named_at_once() -> None:
    with pytest.raises(
        ValueError, match=r"keys names 'user'.*queries index 'gone'; the table has none.*-1 times a second"
    ):
        Workload(PLAIN, (Action("a", (query({"id": "a"}, 1, index="gone"),), per_s=-1),), keys={"user": CONSTANT})


def test_a_file_is_loaded_as_a_locustfile_is(tmp_path: Path) -> None:
    path = tmp_path / "my_app.py"
    path.write_text(
        "from capacity.dynamodb.table import Key, Table\n"
        "from capacity.workloads.own import Action, Workload, put\n"
        "TABLE = Table('t', Key('id'), {'id': 'S'})\n"
        "WORKLOAD = Workload(TABLE, (Action('put', (put({'id': 'a'}),), per_s=5),))\n",
        encoding="utf-8",
    )
    assert load_workload(path).table.name == "t"
    path.write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"my_app\.py defines no WORKLOAD; end it with WORKLOAD = Workload"):
        load_workload(path)


def test_the_table_is_the_article_s() -> None:
    request = TABLE.create_table_request()
    assert request["KeySchema"] == [{"AttributeName": "timeline_id", "KeyType": "HASH"}]
    assert request["GlobalSecondaryIndexes"][0]["KeySchema"][0]["AttributeName"] == "sort_hash_key"
    assert post()["sort_hash_key"] == 1
