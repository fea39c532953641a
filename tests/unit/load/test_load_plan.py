"""Who is who, and how many ticks a window holds."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from capacity.scenario import Scenario
from capacity.scenario.workload import WORKLOADS
from capacity.workloads.registry import workload_of
from locustfiles.nodes.agenda import Agenda, Timer
from locustfiles.nodes.plan import Plan
from locustfiles.nodes.seats import Seating
from locustfiles.nodes.session import Start
from locustfiles.running.run_plan import run_plan


def scenario(**changes: object) -> Scenario:
    return Scenario.model_validate(
        {
            "population": {"domains": 2, "groups_per_domain": 3, "members_per_group": 2},
            "traffic": {"reports": "1/s", "event_batches": "0.5/s"},
            "schedule": {"ramp": "9s", "hold": "30s"},
            **changes,
        }
    )


def test_groups_stand_in_order_with_their_host_first() -> None:
    plan = Plan(scenario(), "run", groups=6)
    assert [plan.node(index).is_host for index in range(6)] == [True, False, False, True, False, False]
    assert [plan.node(index).group_index for index in (0, 2, 3, 17)] == [0, 0, 1, 5]
    assert [plan.node(plan.host_index(group)).domain_index for group in range(6)] == [0, 0, 0, 1, 1, 1]
    assert plan.nodes == 18


def test_every_name_carries_the_run_id() -> None:
    plan = Plan(scenario(), "2026-11-30T13-30-00Z-smoke", groups=6)
    for name in (plan.node_name(3), plan.group_name(1), plan.domain_name(1)):
        assert name.startswith("2026-11-30T13-30-00Z-smoke-")


def test_nodes_arrive_evenly_over_the_ramp() -> None:
    plan = Plan(scenario(), "run", groups=6)
    assert [plan.arrival_s(index) for index in (0, 2, 9, 17)] == pytest.approx([0.0, 1.0, 4.5, 8.5])


@pytest.mark.parametrize("mode", ["websocket", "polling", {"websocket": 0.5}])
def test_planned_ticks_are_those_that_the_timers_make_when_everybody_joins_on_arrival(mode: object) -> None:
    s = scenario(mode=mode, settings={"profile": "seeds-development"})
    plan, agenda, ticks = Plan(s, "run", groups=6), Agenda(), []
    for index in range(plan.nodes):
        place, settings = plan.node(index), s.settings
        periods = {"report": 1.0, "event": 2.0, "heartbeat": settings.host_heartbeat_interval_s}
        if s.mode.is_websocket(place.group_index):
            periods["sync"] = settings.periodic_data_sync_interval_s
        else:
            periods["poll"] = settings.polling_interval_s
        for name, period_s in periods.items():
            first_s = plan.arrival_s(index) + plan.phase(name, index) * period_s  # type: ignore[arg-type]
            Timer(agenda.enter, first_s, period_s, 39.0, ticks.append)
    for due_s, action in agenda.take_due(1000.0):
        action(due_s)
    assert plan.planned_ticks(9.0, 39.0) == int(np.sum(np.array(ticks) >= 9.0))


def test_later_lessons_bring_what_their_members_read_on_joining_into_the_window() -> None:
    lesson = {"ramp": "9s", "hold": "30s", "drain": "1s"}
    one, two = (
        Plan(s, "run", groups=s.groups)
        for s in (scenario(schedule=lesson), scenario(schedule=lesson | {"lessons": 2, "break": "10s"}))
    )
    joining = sum(not two.node(index).is_host for index in range(one.nodes, two.nodes))
    assert joining == 12
    silent = two.planned_ticks(40.0, 50.0)  # from the first lesson's leaving to the second one's beginning
    arriving = two.planned_ticks(50.0, 59.0)
    assert silent == 0
    assert arriving >= joining
    assert two.planned_ticks(9.0, 39.0) == one.planned_ticks(9.0, 39.0)


@pytest.mark.parametrize(
    ("curve", "shares"),
    [
        pytest.param("even", [0.25, 0.5, 0.75], id="a quarter in each quarter of the ramp"),
        pytest.param("bell", [0.0908, 0.5, 0.9092], id="few, many, few: t - sin(2 pi t) / (2 pi) at each quarter"),
        pytest.param("spike", [0.0, 0.0, 1.0], id="all at once in the middle"),
    ],
)
def test_how_many_have_arrived_after_each_quarter_of_the_ramp(curve: str, shares: list[float]) -> None:
    s = scenario(
        population={"groups_per_domain": 1000, "members_per_group": 3},
        schedule={"ramp": "40s", "hold": "30s", "arrivals": curve},
    )
    plan = Plan(s, "run", groups=1000)
    arrivals = np.array([plan.arrival_s(index) for index in range(plan.nodes)])
    assert (np.diff(arrivals) >= 0).all()
    come = [float((arrivals < moment_s).mean()) for moment_s in (10, 20, 30)]
    assert come == pytest.approx(shares, abs=0.002)


def test_steps_are_four_crowds_of_one_size() -> None:
    s = scenario(schedule={"ramp": "8s", "hold": "30s", "arrivals": "steps"})
    plan = Plan(s, "run", groups=8)
    moments, counts = np.unique([plan.arrival_s(index) for index in range(plan.nodes)], return_counts=True)
    assert moments.tolist() == [0.0, 2.0, 4.0, 6.0]
    assert counts.tolist() == [6, 6, 6, 6]


@pytest.mark.parametrize(("groups", "times"), [(1, [0.0, 1.5, 4.0]), (2, [0.0, 0.0, 1.5, 1.5, 4.0, 4.0])])
def test_a_recorded_arrival_is_replayed_by_any_number_of_nodes(groups: int, times: list[float]) -> None:
    s = scenario(schedule={"ramp": "9s", "hold": "30s", "arrivals": [0, "1500ms", 4]})
    plan = Plan(s, "run", groups=groups)
    assert [plan.arrival_s(index) for index in range(plan.nodes)] == times


@pytest.mark.parametrize(
    "arrivals", [[], [3, 1], [0, 9.5], "noon"], ids=["none", "falling", "after the ramp", "a word"]
)
def test_arrivals_that_no_ramp_can_hold_are_refused(arrivals: object) -> None:
    with pytest.raises(ValidationError, match="arrivals"):
        scenario(schedule={"ramp": "9s", "hold": "30s", "arrivals": arrivals})


def test_faults_hit_their_share_of_the_nodes_each_its_own_and_the_same_ones_again() -> None:
    s = scenario(faults={"silent_members": 0.2, "reconnecting": 0.2})
    plan = Plan(s, "run", groups=3000)
    silent = {index for index in range(plan.nodes) if plan.has_fault("silent_members", index)}
    reconnecting = {index for index in range(plan.nodes) if plan.has_fault("reconnecting", index)}
    assert len(silent) == pytest.approx(1800, abs=4 * np.sqrt(9000 * 0.2 * 0.8))
    assert len(silent & reconnecting) == pytest.approx(360, abs=80)  # independent of each other
    again = Plan(s, "another-run", groups=3000)
    assert silent == {index for index in range(again.nodes) if again.has_fault("silent_members", index)}
    assert not any(plan.has_fault("vanishing_hosts", index) for index in range(plan.nodes))
    moments = np.array([plan.fault_s(index) for index in range(plan.nodes)])
    assert moments.min() >= 9
    assert moments.max() < 39
    assert moments.mean() == pytest.approx(24, abs=0.5)


def test_a_group_polls_when_its_host_is_behind_a_filter() -> None:
    s = scenario(faults={"filtered": 0.5})
    plan = Plan(s, "run", groups=200)
    for group in range(200):
        assert plan.is_websocket(group) != plan.has_fault("filtered", plan.host_index(group))


def test_another_number_of_users_opens_further_domains_of_the_same_size() -> None:
    plan = Plan(scenario(), "run", groups=10, planned=False)
    assert plan.nodes == 30
    assert plan.node(29).domain_index == 3


def test_seats_are_given_in_order_of_the_plan_whoever_asks() -> None:
    seating = Seating(nodes_per_group=3)
    assert [seating.take("member", worker) for worker in ("a", "b", "a", "b")] == [1, 2, 4, 5]
    assert [seating.take("host", worker) for worker in ("b", "a", "a")] == [0, 3, 6]
    assert seating.workers == {"a", "b"}


def test_a_seat_that_was_given_back_is_given_again_first() -> None:
    seating = Seating(nodes_per_group=3)
    for _ in range(4):
        seating.take("member", "a")
    seating.give_back("a", 2)
    assert [seating.take("member", "b") for _ in range(2)] == [2, 7]


def test_the_seats_of_a_lost_worker_are_free_again() -> None:
    seating = Seating(nodes_per_group=3)
    seating.take("host", "a")
    seating.take("host", "b")
    seating.take("member", "b")
    seating.give_back_all("b")
    assert [seating.take("host", "a"), seating.take("member", "a"), seating.take("member", "a")] == [3, 1, 2]


def test_groups_without_members_have_no_seat_for_one() -> None:
    with pytest.raises(ValueError, match="no members"):
        Seating(nodes_per_group=1).take("member", "a")


@pytest.mark.parametrize("name", WORKLOADS)
def test_every_workload_has_a_plan_and_what_its_timers_send_is_forecast(name: str) -> None:
    hold = {"schedule": {"ramp": "0s", "hold": "30s"}}
    chosen = scenario(**hold) if name == "mesh" else Scenario.model_validate({"workload": name, **hold})
    plan = run_plan(chosen, Start("run", 0.0, chosen.groups, planned=True))
    assert plan.planned_ticks(0.0, 30.0) > 0
    assert plan.timed_operations
    assert set(plan.timed_operations) <= set(workload_of(chosen).operations)
