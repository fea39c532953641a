"""The spend of a run while it goes is the forecast's cost, of what was sent."""

from __future__ import annotations

from pathlib import Path

import pytest

from capacity.forecasting.forecast import Forecast, forecast
from capacity.forecasting.spend import Spend
from capacity.scenario import load_scenarios

SCENARIOS = load_scenarios(Path(__file__).parents[3] / "scenarios.yaml")


@pytest.fixture(scope="module", params=["smoke", "classroom-polling", "burst"])
def plan(request: pytest.FixtureRequest) -> Forecast:
    """Over WebSocket, polling, and on provisioned capacity, which time uses up."""
    return forecast(SCENARIOS[request.param])


def follow(plan: Forecast, factor: float = 1.0) -> Spend:
    """Send what the plan says, second by second."""
    spend, before = Spend(plan), 0.0
    sent = dict.fromkeys((each.name for each in plan.operations), 0.0)
    for second in range(plan.duration_s):
        for each in plan.operations:
            sent[each.name] += each.requests_per_s[second] * factor
        now = spend.advance(second + 1.0, sent)
        assert now >= before, "what was spent stays spent"
        before = now
    return spend


def test_a_run_that_keeps_to_its_plan_has_spent_the_forecast_at_its_end(plan: Forecast) -> None:
    assert follow(plan).usd == pytest.approx(plan.cost.run_usd, rel=0.02)


def test_its_units_are_the_forecasts(plan: Forecast) -> None:
    units = follow(plan).units
    for resource in plan.resources:
        for kind in ("read", "write"):
            assert units.get((resource.name, kind), 0.0) == pytest.approx(getattr(resource, kind).units, rel=1e-6)


def test_nothing_sent_on_demand_costs_nothing() -> None:
    assert Spend(forecast(SCENARIOS["smoke"])).advance(60.0, {}) == 0.0


def test_ten_times_the_load_costs_about_ten_times_as_much() -> None:
    plan = forecast(SCENARIOS["smoke"])
    assert follow(plan, 10).usd == pytest.approx(10 * plan.cost.run_usd, rel=0.02)


def test_an_operation_that_nobody_planned_is_not_free() -> None:
    spend = Spend(forecast(SCENARIOS["smoke"]))
    assert spend.advance(1.0, {"somethingElse": 1000}) > 0
