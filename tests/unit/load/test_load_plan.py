"""Who is who, and how many ticks a window holds."""

from __future__ import annotations

import numpy as np
import pytest

from capacity.scenario import Scenario
from locustfiles.agenda import Agenda, Timer
from locustfiles.plan import Plan
from locustfiles.seats import Seating


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


def test_another_number_of_users_opens_further_domains_of_the_same_size() -> None:
    plan = Plan(scenario(), "run", groups=10)
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
