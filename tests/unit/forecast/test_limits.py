"""Limits of growing populations: sizes that can be worked out by hand, and what each change does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scenarios import scenario

from capacity.forecasting.forecast import forecast
from capacity.pricing.prices import load
from capacity.scenario import Scenario
from capacity.studies.limits import AXES, Axis, LimitsStudy, first_limit, grown, load_in, study
from capacity.studies.load_cost import hour_usd
from capacity.studies.pressure import Model, load_of

SLOW_RAMP = {"ramp": "20h", "hold": "60s", "drain": "1s"}  # arrivals that press on nothing
LONG_LIVES = {"max_connection_time": "24h"}


def steady(**more: object) -> Scenario:
    return scenario(**{"schedule": SLOW_RAMP, "settings": LONG_LIVES, **more})  # type: ignore[arg-type]


def reached(found: LimitsStudy, name: str, where: str, axis: Axis) -> float | None:
    return next(row.reached_at[axis] for row in found.rows if row.name == name and row.where == where)


def test_one_school_holds_as_many_groups_as_its_key_carries_writes() -> None:
    # A group of 4 writes 4 statuses a second, a host's beat every 60 s and three members' every 120 s to one key.
    found = study(steady(groups=100))
    by_hand = 1000 / (4 + 1 / 60 + 3 / 120)
    assert reached(found, "one partition key DOMAIN#{domain}", "table, writes", "groups_per_domain") == pytest.approx(
        by_hand, rel=0.01
    )
    assert reached(found, "one partition key DOMAIN#{domain}", "table, writes", "domains") is None


def test_the_constant_key_carries_sixty_thousand_hosts() -> None:
    # Every host of the service beats once in 60 s on the one key ALL_GROUPS: 1,000 x 60.
    given = steady(
        population={"domains": 1000, "groups_per_domain": 1, "members_per_group": 0},
        traffic={"reports": "0/s", "event_batches": "0/s"},
    )
    at = reached(study(given, "domains"), "the constant key ALL_GROUPS", "GroupNameIndex, writes", "domains")
    assert at == pytest.approx(60_000, rel=0.02)


def test_appsync_tokens_run_out_at_ten_thousand_requests() -> None:
    # 4 nodes send 4 + 2 requests a second, sync every 15 s and beat: 10,000 / that.
    given = steady(population={"domains": 10, "groups_per_domain": 1, "members_per_group": 3})
    at = reached(study(given, "domains"), "request tokens, one per request", "AppSync", "domains")
    assert at == pytest.approx(10_000 / (4 + 2 + 4 / 15 + 1 / 60 + 3 / 120), rel=0.01)


def test_a_poll_reads_a_hundred_events_at_most() -> None:
    # 0.5 batches a second and node over 2 s: 100 other nodes record 100 events between two polls.
    at = reached(
        study(steady(mode="polling"), "members_per_group"),
        "events of one poll",
        "a group's events beyond it wait for the next poll",
        "members_per_group",
    )
    assert at == pytest.approx(100, rel=0.02)


@pytest.mark.parametrize("mode", ["websocket", "polling"])
def test_pressures_are_the_means_of_the_forecast_s_hold(mode: str) -> None:
    given = scenario(groups=40, mode=mode, schedule={"ramp": "10s", "hold": "60s", "drain": "1s"})
    found = forecast(given)
    pressures = {(p.name, p.where): p.use for p in Model().pressures(load_of(given))}
    # While the last nodes arrive, 4 groups a second are opened and 12 members join, at 4 units each, above the hold.
    for resource, arriving in (("table", 4 + 12 * 4), ("GroupIdIndex", 4)):
        series = found.resource(resource).write.units_per_step
        mean = sum(series[2:7]) / 50  # 20 s to 70 s: everybody is there, nobody arrives
        pressure = pressures["on-demand throughput at class start", f"{resource}, writes"]
        assert pressure == pytest.approx(mean + arriving, rel=0.01)


@settings(max_examples=60)
@given(axis=st.sampled_from(AXES), size=st.floats(1, 100), factor=st.floats(1, 20))
def test_no_limit_is_relieved_by_growth(axis: Axis, size: float, factor: float) -> None:
    load = load_of(scenario(mode={"websocket": 0.5}))
    small, large = grown(load, axis, size), grown(load, axis, min(size * factor, 200))
    before = {(p.name, p.where): p.share for p in MODEL.pressures(small)}
    after = {(p.name, p.where): p.share for p in MODEL.pressures(large)}
    if getattr(large, axis) >= getattr(small, axis):
        for limit, share in before.items():
            assert after.get(limit, 0.0) >= share * (1 - 1e-9), limit


MODEL = Model()


def change(found: LimitsStudy, words: str) -> tuple[float | None, float | None, float, float]:
    advice = next(each for each in found.advice if words in each.change)
    return advice.size_before, advice.size_after, advice.share_before, advice.share_after


def test_statuses_under_their_node_take_the_school_s_key_out_of_the_way() -> None:
    before, after, share_before, share_after = change(study(steady(groups=100)), "architecture")
    assert share_before == pytest.approx(1, rel=0.01)
    assert share_after < 0.01
    assert before is not None
    assert after is None or after > 3 * before


def test_spreading_the_constant_key_over_ten_gives_ten_times_the_hosts() -> None:
    given = steady(
        population={"domains": 1000, "groups_per_domain": 1, "members_per_group": 0},
        traffic={"reports": "0/s", "event_batches": "0/s"},
        settings={"host_heartbeat_interval": "60s", **LONG_LIVES},
    )
    load = load_of(given)
    model = Model()
    one, size = first_limit(model, load, "domains")
    assert "ALL_GROUPS" in one.name
    found = study(given, "domains")
    _, _, share_before, share_after = change(found, "spread the constant key")
    assert share_before / share_after == pytest.approx(10)
    assert size == pytest.approx(found.first_size or 0, rel=0.01)


def test_dropping_an_index_that_nobody_reads_takes_its_limit_away() -> None:
    given = steady(
        population={"domains": 1000, "groups_per_domain": 1, "members_per_group": 0},
        traffic={"reports": "0/s", "event_batches": "0/s"},
    )
    _, _, share_before, share_after = change(study(given, "domains"), "drop index GroupNameIndex")
    assert share_before == pytest.approx(1, rel=0.01)
    assert share_after == 0


def test_an_index_that_clients_read_is_left_as_it_is() -> None:
    texts = [advice.change for advice in study(steady(layout="architecture")).advice]
    assert texts
    assert not any("GSI1" in text for text in texts)


def test_reporting_half_as_often_halves_the_writes_until_another_limit_is_first() -> None:
    found = study(steady(groups=100))
    before, after, share_before, share_after = change(found, "report half as often")
    assert share_before / share_after == pytest.approx(2, rel=0.02)
    assert before is not None
    assert after is not None
    assert before < after < 2 * before
    advice = next(each for each in found.advice if "report half" in each.change)
    assert advice.next_limit.startswith("one page of a domain's listing")


@pytest.mark.parametrize("layout", ["phase1", "architecture", "deployed"])
def test_every_layout_can_be_put_beside_the_others(layout: str) -> None:
    found = study(scenario(groups=10), layout=layout)
    assert found.layout == layout
    assert found.rows
    assert LimitsStudy.model_validate_json(found.model_dump_json()) == found


def test_a_provisioned_table_is_the_limit_that_it_says_it_is() -> None:
    plenty = {"read": 100, "write": 100}
    given = steady(
        groups=10,
        billing={"table": {"read": 100, "write": 50}, "indexes": {"GroupIdIndex": plenty, "GroupNameIndex": plenty}},
    )
    found = study(given)
    assert found.first == "provisioned throughput (table, writes)"
    assert found.first_size == pytest.approx(50 / (4 + 1 / 60 + 3 / 120), rel=0.01)


def test_an_axis_that_there_is_not_says_which_there_are() -> None:
    with pytest.raises(ValueError, match=r"no axis 'pupils'; there are domains, groups_per_domain, "):
        study(scenario(), "pupils")  # type: ignore[arg-type]


def test_a_load_moved_to_another_layout_is_on_demand() -> None:
    assert load_in(scenario(), "phase1").table.throughput is None


def test_every_limit_says_what_moves_it() -> None:
    rows = {(row.name, row.where): row for row in study(steady(groups=100)).rows}
    key = rows["one partition key DOMAIN#{domain}", "table, writes"]
    assert key.moved_by["report half as often"] == pytest.approx(key.share / 2, rel=0.02)
    assert key.moved_by["move to the architecture layout: statuses under their node"] < key.share / 100
    assert "drop index GroupIdIndex, which no client reads" not in key.moved_by
    index = rows["on-demand throughput at class start", "GroupIdIndex, writes"]
    assert index.moved_by["drop index GroupIdIndex, which no client reads"] == 0
    # Keys alone change when a group is opened or dissolved, not by a report or a heartbeat.
    assert index.moved_by["let index GroupIdIndex project keys only"] < index.share / 100


def test_an_hour_of_the_hold_costs_what_the_forecast_says() -> None:
    given = scenario(groups=4, schedule={"ramp": "10s", "hold": "600s", "drain": "1s"})
    found = forecast(given)
    assert hour_usd(Model(), load_of(given), load(given.region)) == pytest.approx(
        found.cost.monthly_usd / 730, rel=0.01
    )


def test_dropping_an_index_that_nobody_reads_saves_money_where_it_moves_no_limit() -> None:
    advice = next(each for each in study(steady(groups=100)).advice if "drop index GroupIdIndex" in each.change)
    assert advice.size_after == pytest.approx(advice.size_before or 0, rel=0.01)
    # A report is 4.00 + 0.5 x 0.1425 + 2 x 0.715 + 4 deliveries x 2.00 a million, 0.715 of it the index.
    assert advice.hour_usd_after < advice.hour_usd_before
    saved = (advice.hour_usd_before - advice.hour_usd_after) / 3600 / 1e-6 / 400
    assert saved == pytest.approx(0.715, rel=0.01)
