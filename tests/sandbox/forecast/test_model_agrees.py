"""The model against the sandbox's own metering: two implementations that share the unit rules and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import pytest
from replay import START_S, Replay

from capacity.forecasting.forecast import forecast
from capacity.judgement.comparison import Comparison, Kind, comparison_of
from capacity.measurement.measured import measured_of
from capacity.record import RunRecord, Target
from capacity.scenario import Billing, Provisioned, Scenario, load_scenarios

SCENARIOS = load_scenarios(Path(__file__).parents[3] / "scenarios.yaml")


def compared(scenario: Scenario) -> Comparison:
    replay = Replay(scenario).run()
    record = RunRecord(
        run_id="replay",
        scenario_name="replay",
        scenario=scenario,
        scenario_digest=scenario.digest(),
        status="finished",
        started_at=datetime.fromtimestamp(START_S, UTC),
        target=Target(kind="sandbox", graphql_url="-", region=scenario.region, table_name="MeshV2Table"),
    )
    return comparison_of(record, replay.requests, forecast(scenario), measured_of(replay.metrics, "MeshV2Table"))


@lru_cache
def classroom(mode: str) -> Comparison:
    return compared(SCENARIOS[mode])


@pytest.mark.parametrize("name", ["classroom", "classroom-polling"])
def test_units_of_what_was_sent_are_the_units_measured(name: str) -> None:
    for each in classroom(name).units:
        if each.measured is None:
            assert each.sent == 0, each.resource  # nobody reads the indexes, so CloudWatch has nothing to say
        else:
            assert each.measured == pytest.approx(each.sent, rel=0.001), (each.resource, each.kind)


@pytest.mark.parametrize("name", ["classroom", "classroom-polling"])
def test_the_plan_is_within_five_percent_of_what_was_measured(name: str) -> None:
    comparison = classroom(name)
    for kind in ("read", "write"):
        error = comparison.largest_error("prediction_error", kind, "table")
        assert error is not None
        assert error < 0.05


@pytest.mark.parametrize("name", ["classroom", "classroom-polling"])
def test_no_call_is_left_unexplained(name: str) -> None:
    comparison = classroom(name)
    assert {call.name: call.measured for call in comparison.calls} == {
        call.name: call.sent for call in comparison.calls
    }
    assert comparison.of("table", "read").unexplained_units == 0


@pytest.mark.parametrize("layout", ["phase1", "architecture"])
@pytest.mark.parametrize("name", ["smoke", "classroom-polling"])
def test_the_other_layouts_agree_too(layout: str, name: str) -> None:
    given = SCENARIOS[name]
    population = given.population.model_copy(update={"groups_per_domain": 3})
    scenario = given.model_copy(
        update={
            "layout": layout,
            "population": population,
            "schedule": given.schedule.model_copy(update={"hold_s": 20.0}),
        }
    )
    for each in compared(scenario).units:
        if each.measured is not None:
            assert each.measured == pytest.approx(each.sent, rel=0.01), (each.resource, each.kind)


def test_node_rows_that_sort_behind_the_cursor_are_read_and_charged() -> None:
    """In the architecture layout they share the events' partition: four events of nearly 1 KB and three node rows pass
    a block of 4 KB together, and make up 5 % of the reads here."""
    given = SCENARIOS["classroom-polling"]
    scenario = given.model_copy(
        update={
            "layout": "architecture",
            "traffic": given.traffic.model_copy(update={"payload_bytes": 600, "events_per_batch": 4}),
            "population": given.population.model_copy(update={"groups_per_domain": 3}),
            "schedule": given.schedule.model_copy(update={"hold_s": 20.0}),
        }
    )
    reads = compared(scenario).of("table", "read")
    assert reads.measured == pytest.approx(reads.sent, rel=0.001)


def test_large_values_and_batches_agree_too() -> None:
    given = SCENARIOS["classroom-polling"]
    traffic = given.traffic.model_copy(
        update={"value_bytes": 700, "variables_per_report": 3, "payload_bytes": 900, "events_per_batch": 4}
    )
    schedule = given.schedule.model_copy(update={"hold_s": 20.0})
    population = given.population.model_copy(update={"groups_per_domain": 3})
    comparison = compared(given.model_copy(update={"traffic": traffic, "schedule": schedule, "population": population}))
    for kind in ("read", "write"):
        error = comparison.largest_error("model_error", kind, "table")
        assert error is not None
        assert error < 0.01


def overloaded(read: int, write: int, index_write: int, hold_s: float = 40.0) -> Scenario:
    """The burst scenario on another provisioned table."""
    plenty = Provisioned(read=10, write=200)
    index = Provisioned(read=10, write=index_write)
    billing = Billing(
        table=Provisioned(read=read, write=write), indexes={"GroupIdIndex": index, "GroupNameIndex": plenty}
    )
    schedule = SCENARIOS["burst"].schedule.model_copy(update={"hold_s": hold_s})
    return SCENARIOS["burst"].model_copy(update={"billing": billing, "schedule": schedule})


@pytest.mark.parametrize(
    ("scenario", "resource", "kind"),
    [
        pytest.param(SCENARIOS["burst"], "table", "write", id="the table's writes"),
        pytest.param(SCENARIOS["burst"].model_copy(update={"world": "static"}), "table", "write", id="an even split"),
        pytest.param(overloaded(8, 200, 200), "table", "read", id="the table's reads"),
        pytest.param(overloaded(400, 200, 10, hold_s=60), "GroupIdIndex", "write", id="a queue before an index"),
    ],
)
def test_the_first_throttle_comes_when_it_was_forecast(scenario: Scenario, resource: str, kind: Kind) -> None:
    comparison = compared(scenario)
    assert comparison.first_throttle_error_s is not None
    assert comparison.first_throttle_error_s < 1
    throttled = [each for each in comparison.throttles if each.measured]
    assert [(each.resource, each.kind) for each in throttled] == [(resource, kind)]
    assert throttled[0].measured == pytest.approx(throttled[0].forecast, rel=0.02)
    for name in ("read", "write"):
        assert comparison.of("table", name).model_error == pytest.approx(0, abs=0.01)
        assert comparison.of("table", name).prediction_error == pytest.approx(0, abs=0.01)
