"""Direct load as a scenario's workload: its table, what its draws consume, and what was sent."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest

from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.reads import get_item, query_page
from capacity.dynamodb.units import Consistency
from capacity.dynamodb.writes import Write, write_item
from capacity.run_tables import REQUESTS
from capacity.scenario import Scenario
from capacity.scenario.load import ScenarioError, parse_scenarios
from capacity.workloads.charge_rows import READ, WRITE
from capacity.workloads.direct.draws import draws
from capacity.workloads.direct.workload import DirectWorkload
from locustfiles.direct.direct_plan import DirectPlan
from locustfiles.direct.dynamodb_requests import RequestMaker
from locustfiles.direct.request_plan import plan_of_scenario


def scenario(**settings: Any) -> Scenario:
    """A direct scenario on a table with an index of one partition key, whose sort key is the time."""
    given = {
        "name": "dynamodb",
        "key": ["id:S"],
        "indexes": {"newest": ["feed:N", "at:N"]},
        "index": "newest",
        "index_values": 1,
        "users": 3,
        "requests": "5/s",
        "keys": 20,
        "item": 1500,
    }
    schedule = {"ramp": "1s", "hold": "10s", "drain": "1s"}
    return Scenario.model_validate({"workload": given | settings, "schedule": schedule})


@pytest.mark.parametrize(
    "mix",
    [
        pytest.param({"PutItem": 1}, id="puts alone: new items, then items written over"),
        pytest.param({"GetItem": 3, "PutItem": 1}, id="gets of items that are there and that are not"),
        pytest.param({"Query": 1, "UpdateItem": 1}, id="pages of an index that fills up"),
        pytest.param({"Scan": 1, "PutItem": 2}, id="scans of an index that fills up"),
    ],
)
def test_the_plan_charges_what_dynamodbs_rules_charge_for_the_items_that_are_sent(mix: dict[str, float]) -> None:
    """A table of real items is kept beside, and each request that the generator makes is charged on it one by one."""
    chosen = scenario(mix=mix)
    workload, table = DirectWorkload(chosen), DirectWorkload(chosen).table
    drawn = sorted((draw for user in range(3) for draw in draws(chosen, user)), key=lambda draw: draw.time_s)
    there: dict[str, Any] = {}
    table_read = table_write = index_read = index_write = 0.0
    for draw in drawn:
        maker = RequestMaker(
            plan_of_scenario(chosen), table, lambda d=draw: d.number, lambda d=draw: 1e9 + d.time_s, 0, row=draw.row
        )
        request = maker.request(draw.operation)
        if draw.operation in ("PutItem", "UpdateItem"):
            item = maker.item(draw.number, draw.row)
            assert item_size_bytes(item) == 1500
            key = item["id"]["S"]
            consumed = write_item(table, Write(there.get(key), item))
            there[key] = item
            table_write += consumed.table.write
            index_write += sum(arm.write for arm in consumed.indexes.values())
        elif draw.operation == "GetItem":
            table_read += get_item(there.get(request["Key"]["id"]["S"]), Consistency.EVENTUAL).table.read
        else:
            page = list(there.values())[: request["Limit"]]
            index_read += query_page(table, page, Consistency.EVENTUAL, index="newest").indexes["newest"].read
    charges = workload.charge(workload.planned())
    assert charges.total("table", READ) == table_read
    assert charges.total("table", WRITE) == table_write
    assert charges.total("newest", READ) == index_read
    assert charges.total("newest", WRITE) == index_write


def test_the_generator_means_to_send_what_is_planned() -> None:
    chosen = scenario()
    assert DirectPlan(chosen).planned_ticks(0.0, 100.0) == len(DirectWorkload(chosen).planned())


def test_what_was_refused_leaves_no_item_and_costs_nothing() -> None:
    """Of two puts of one key the first was throttled: the second writes a new item, whose entry moves from nowhere."""
    at = datetime(2026, 12, 1, tzinfo=UTC)
    columns: dict[str, list[Any]] = {name: [None, None] for name in REQUESTS.names}
    columns |= {
        "operation": ["PutItem", "PutItem"],
        "outcome": ["refused", "ok"],
        "error_type": ["ThrottlingException", None],
        "group": ["7/0", "7/0"],
        "node": ["user-0", "user-0"],
        "start": [at, at.replace(second=1)],
        "intended_start": [at, at.replace(second=1)],
        "latency_ms": [1.0, 1.0],
        "intended_latency_ms": [1.0, 1.0],
        "request_bytes": [0, 0],
        "response_bytes": [0, 0],
    }
    table = pa.table({name: pa.array(values, REQUESTS.field(name).type) for name, values in columns.items()})
    workload = DirectWorkload(scenario())
    charges = workload.charge(workload.sent(table).requests)
    assert (charges.total("table", WRITE), charges.total("newest", WRITE)) == (2.0, 2.0)


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        pytest.param("mix: {DeleteItem: 1}", "Input should be 'GetItem', 'PutItem'", id="an operation of plain Locust"),
        pytest.param("key: [id]", "key", id="a key without its type"),
        pytest.param("index: newest", "index newest is not among indexes", id="an index that the table has not"),
        pytest.param("distribution: normal", "write uniform, zipfian", id="a distribution that is none"),
        pytest.param("rows_per_key: 5", "rows_per_key needs a sort key", id="rows without a sort key"),
    ],
)
def test_wrong_settings_are_explained(settings: str, says: str) -> None:
    text = "version: 1\nscenarios:\n  a:\n    workload: {name: dynamodb, %s}\n    schedule: {ramp: 1s, hold: 5s}\n"
    with pytest.raises(ScenarioError) as told:
        parse_scenarios(text % settings)
    assert says.lower() in str(told.value).lower()
