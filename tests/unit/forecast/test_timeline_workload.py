"""The timeline app as a scenario's workload: its plan against the reader that really reads, its units, its limit."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.forecasting.forecast import forecast
from capacity.run_tables import REQUESTS
from capacity.scenario import Scenario
from capacity.scenario.load import ScenarioError, parse_scenarios
from capacity.workloads.charge_rows import READ, WRITE
from capacity.workloads.registry import workload_of
from capacity.workloads.timeline.app import INDEX
from capacity.workloads.timeline.workload import PAGE, POST, READING, TimelineWorkload
from locustfiles.reading.timeline_plan import TimelinePlan
from locustfiles.reading.timeline_reader import TimelineReader


def scenario(billing: dict[str, Any] | None = None, hold: str = "20s", **workload: Any) -> Scenario:
    """A timeline scenario with the given settings."""
    return Scenario.model_validate(
        {
            "workload": {"name": "timeline", **workload},
            "schedule": {"ramp": "2s", "hold": hold, "drain": "1s"},
            "billing": billing or "on_demand",
        }
    )


def provisioned(write: float) -> dict[str, Any]:
    """Table and index with so many write units."""
    units = {"read": 1000, "write": write}
    return {"table": units, "indexes": {INDEX: units}}


# -- the plan is what the generator's reader does


@given(
    shards=st.integers(1, 6),
    per_page=st.integers(1, 5),
    pages=st.integers(1, 4),
    posts=st.integers(0, 40),
)
def test_planned_pages_are_those_that_a_reader_asks_for(shards: int, per_page: int, pages: int, posts: int) -> None:
    """The reader runs against lists that answer as DynamoDB does: a full page has a LastEvaluatedKey, even the last."""
    workload = TimelineWorkload(scenario(shards=shards, per_page=per_page, pages=pages))
    app = workload.app
    rows: dict[str, list[int]] = {str(key): [] for key in app.shard_keys}
    for number in range(posts):
        rows[str(app.shard_of(number))].insert(0, number)
    asked: Counter[tuple[int, int]] = Counter()

    def ask(request: dict[str, Any]) -> dict[str, Any]:
        shard = request["ExpressionAttributeValues"][":key"]["N"]
        begin = request.get("ExclusiveStartKey", 0)
        page = rows[shard][begin : begin + per_page]
        asked[int(shard) - 1, len(page)] += 1
        items = [{"process_at": {"N": str(n)}, "timeline_id": {"S": str(n)}} for n in page]
        return {"Items": items, **({"LastEvaluatedKey": begin + per_page} if len(page) == per_page else {})}

    for shown, _ in enumerate(TimelineReader(app, ask).pages(), 1):
        if shown == pages:
            break
    reading, shard, items = workload._pages(np.array([posts]))
    assert Counter(zip(shard.tolist(), items.tolist(), strict=True)) == asked
    assert not reading.any()


def test_the_generator_acts_at_the_moments_of_the_forecast() -> None:
    chosen = scenario(posters=3, posts="2/s", readers=2, readings="0.5/s")
    plan, planned = TimelinePlan(chosen), workload_of(chosen).planned()
    moments = sorted(at for user in range(5) for at in plan.moments_s(user))
    acts = planned.time_s[planned.operation != PAGE]
    assert moments == pytest.approx(acts.tolist())
    assert plan.planned_ticks(0.0, 100.0) == len(moments)
    assert plan.planned_ticks(2.0, 22.0) == sum(2.0 <= at < 22.0 for at in moments)


# -- units, by the published rules: a write unit a KB, half a read unit per 4 KB of an eventually consistent page


@pytest.mark.parametrize(
    ("body", "shards", "write_units", "read_units"),
    [
        pytest.param("280B", 1, 1.0, 1.0, id="20 posts of 381 B are 7.6 KB, two blocks: one unit"),
        pytest.param("2000B", 1, 3.0, 5.5, id="20 posts of 2,101 B are 42 KB, eleven blocks"),
        pytest.param("280B", 4, 1.0, 4.0, id="four shards are asked one by one, each for a page of its own"),
    ],
)
def test_a_post_and_a_reading_cost_what_the_rules_say(
    body: str, shards: int, write_units: float, read_units: float
) -> None:
    workload = TimelineWorkload(scenario(body=body, shards=shards, posters=40, posts="10/s", readers=1, readings="1/s"))
    planned = workload.planned()
    charges = workload.charge(planned)
    posts, readings = ((planned.operation == operation).sum() for operation in (POST, READING))
    assert charges.total("table", WRITE) == posts * write_units
    assert charges.total(INDEX, WRITE) == posts * write_units
    last = planned.time_s[charges.request] > 10.0  # by then 20 posts stand in every shard
    late_readings = (planned.time_s[planned.operation == READING] > 10.0).sum()
    units = charges.units[last & (charges.kind == READ)].sum()
    assert readings > late_readings > 0
    assert units / late_readings == read_units


# -- the limit


def test_the_constant_key_is_the_first_limit_and_throttles_when_the_queue_is_full() -> None:
    """80 posts/s of 29 write units ask 2,320 units/s of a partition that serves 1,000; the queue holds 30 s of the
    table's 2,500.
    """
    found = forecast(scenario(provisioned(2500), posters=20, posts="4/s", body="29500B", readers=0, hold="80s"))
    first = found.first_limit
    assert (first.name, first.resource, first.kind) == ("the constant key sort_hash_key = 1", INDEX, "write")
    writes = found.resource(INDEX).write
    assert writes.first_throttle_limit == "KeyRangeThroughput"
    full_s = 30 * 2500 / (2320 - 1000)
    assert writes.first_throttle_s == pytest.approx(2 + full_s, abs=2)  # posters arrive over the first two seconds
    served = [units / 10 for units in writes.units_per_step[7:8]]
    assert served == pytest.approx([1000], rel=0.05)
    assert found.resource("table").write.units == writes.units, "the table refuses what its index refuses"


def test_shards_take_the_same_posts_without_a_throttle() -> None:
    found = forecast(
        scenario(provisioned(2500), posters=20, posts="4/s", body="29500B", readers=0, hold="80s", shards=24)
    )
    assert found.resource(INDEX).write.throttled == 0
    assert found.first_limit.name == "provisioned throughput"


# -- what was sent


def rows(*given: tuple[str, str, str | None, int | None]) -> pa.Table:
    """requests.parquet of these operations, outcomes, partition keys and rows."""
    at = datetime(2026, 12, 1, tzinfo=UTC)
    columns: dict[str, list[Any]] = {name: [None] * len(given) for name in REQUESTS.names}
    columns["operation"], columns["outcome"] = [each[0] for each in given], [each[1] for each in given]
    columns["group"], columns["items"] = [each[2] for each in given], [each[3] for each in given]
    columns["node"] = ["poster-0"] * len(given)
    columns["intended_start"] = columns["start"] = [at] * len(given)
    columns["latency_ms"] = columns["intended_latency_ms"] = [1.0] * len(given)
    columns["request_bytes"] = columns["response_bytes"] = [0] * len(given)
    throttle = "ProvisionedThroughputExceededException"
    columns["error_type"] = [throttle if each[1] == "refused" else None for each in given]
    return pa.table({name: pa.array(values, REQUESTS.field(name).type) for name, values in columns.items()})


def test_what_was_refused_consumed_nothing_and_a_page_costs_what_it_gave() -> None:
    workload = TimelineWorkload(scenario(shards=2))
    sent = workload.sent(
        rows(
            ("post", "ok", "1", 1),
            ("post", "refused", "2", None),
            ("page", "ok", "1", 0),
            ("page", "ok", "2", 20),
            ("reading", "refused", None, 20),
            ("something else", "ok", None, None),
        )
    )
    charges = workload.charge(sent.requests)
    assert (charges.total("table", WRITE), charges.total(INDEX, WRITE)) == (1.0, 1.0)
    assert charges.total(INDEX, READ) == 0.5 + 1.0, "an empty page is half a unit, 20 posts of 381 B one"
    assert sent.left_out == 1
    calls = charges.calls(sent.requests.items)
    assert (calls["PutItem"], calls["Query"]) == (1, 2)


# -- what a scenario may say


@pytest.mark.parametrize(
    ("given_text", "says"),
    [
        pytest.param("workload: feed", "'feed' is no workload; there are mesh, timeline", id="a name that is none"),
        pytest.param("workload: {posters: 3}", "it has no name", id="settings without a name"),
        pytest.param(
            "workload: {name: timeline, poster: 3}",
            "workload.poster: is no key here; known are name, posters, posts",
            id="a misspelt key is answered with the keys of that workload",
        ),
        pytest.param(
            "workload: {name: timeline, posts: quick}", "for example posts: 2/s", id="a value comes with an example"
        ),
        pytest.param(
            "workload: timeline\n    population: {groups_per_domain: 1, members_per_group: 3}",
            "population say nothing to workload timeline: they are Mesh's",
            id="Mesh's keys are not taken silently",
        ),
        pytest.param(
            "workload: timeline\n    billing: {table: {read: 5, write: 5}, indexes: {GSI1: {read: 5, write: 5}}}",
            "billing.indexes.sort_hash_key_process_at_index is missing",
            id="a provisioned table needs its index provisioned",
        ),
    ],
)
def test_a_wrong_workload_is_explained(given_text: str, says: str) -> None:
    text = f"version: 1\nscenarios:\n  a:\n    {given_text}\n    schedule: {{ramp: 1s, hold: 5s}}\n"
    with pytest.raises(ScenarioError, match=r".") as told:
        parse_scenarios(text)
    assert says in str(told.value)


def test_a_mesh_scenario_is_written_as_before_there_were_workloads() -> None:
    """Its digest, and with it whether two runs may be compared, stays what it was."""
    text = "version: 1\nscenarios:\n  a:\n    {}population: {{groups_per_domain: 1, members_per_group: 1}}\n" + (
        "    traffic: {{reports: 1/s, event_batches: 0/s}}\n    schedule: {{ramp: 1s, hold: 5s}}\n"
    )
    plain = parse_scenarios(text.format(""))["a"]
    named = parse_scenarios(text.format("workload: mesh\n    "))["a"]
    assert "workload" not in plain.model_dump(mode="json")
    assert plain.digest() == named.digest()
