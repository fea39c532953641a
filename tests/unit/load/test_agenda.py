"""The agenda is told the time; nothing here waits."""

from __future__ import annotations

import pytest

from locustfiles.nodes.agenda import Agenda, Timer


def run_until(agenda: Agenda, now_s: float) -> None:
    for due_s, action in agenda.take_due(now_s):
        action(due_s)


def test_actions_come_by_due_time_and_equal_ones_in_the_order_of_entry() -> None:
    agenda, seen = Agenda(), []
    agenda.enter(2.0, lambda _: seen.append("late"))
    agenda.enter(1.0, lambda _: seen.append("first"))
    agenda.enter(1.0, lambda _: seen.append("second"))
    run_until(agenda, 2.0)
    assert seen == ["first", "second", "late"]


def test_entering_says_whether_the_action_became_the_earliest() -> None:
    agenda = Agenda()
    assert agenda.enter(5.0, print)
    assert not agenda.enter(6.0, print)
    assert agenda.enter(4.0, print)
    assert agenda.earliest_s == 4.0


def test_nothing_is_taken_before_its_time() -> None:
    agenda = Agenda()
    agenda.enter(5.0, print)
    assert list(agenda.take_due(4.999)) == []
    assert len(agenda) == 1


def test_a_timer_that_was_held_up_makes_up_for_every_tick_it_missed() -> None:
    agenda, ticks = Agenda(), []
    Timer(agenda.enter, first_s=10.25, period_s=0.5, until_s=12.5, action=ticks.append)
    run_until(agenda, 10.3)
    run_until(agenda, 100.0)  # a stall: the schedule is absolute, so no tick is skipped and none moves
    assert ticks == [10.25, 10.75, 11.25, 11.75, 12.25]


def test_a_thousand_late_ticks_do_not_drift() -> None:
    agenda, ticks = Agenda(), []
    Timer(agenda.enter, first_s=0.0, period_s=0.25, until_s=250.0, action=ticks.append)
    for step in range(2000):
        run_until(agenda, step * 0.125 + 0.01)
    assert ticks == pytest.approx([0.25 * n for n in range(1000)])


def test_a_timer_never_ticks_at_or_after_its_end() -> None:
    agenda, ticks = Agenda(), []
    Timer(agenda.enter, first_s=0.0, period_s=1.0, until_s=3.0, action=ticks.append)
    run_until(agenda, 10.0)
    assert ticks == [0.0, 1.0, 2.0]


def test_a_timer_that_follows_another_interval_counts_it_from_the_answer() -> None:
    agenda, ticks = Agenda(), []
    timer = Timer(agenda.enter, first_s=0.0, period_s=60.0, until_s=1000.0, action=ticks.append)
    run_until(agenda, 0.0)
    timer.follow(15.0, now_s=0.2)
    run_until(agenda, 46.0)
    assert ticks == pytest.approx([0.0, 15.2, 30.2, 45.2])


def test_following_the_interval_it_has_already_does_not_move_a_timer() -> None:
    agenda, ticks = Agenda(), []
    timer = Timer(agenda.enter, first_s=0.0, period_s=15.0, until_s=1000.0, action=ticks.append)
    run_until(agenda, 0.0)
    timer.follow(15.0, now_s=7.0)
    run_until(agenda, 16.0)
    assert ticks == [0.0, 15.0]


def test_a_stopped_timer_stays_silent_and_leaves_nothing_on_the_agenda() -> None:
    agenda, ticks = Agenda(), []
    timer = Timer(agenda.enter, first_s=1.0, period_s=1.0, until_s=1000.0, action=ticks.append)
    run_until(agenda, 2.0)
    timer.stop()
    run_until(agenda, 50.0)
    assert ticks == [1.0, 2.0]
    assert len(agenda) == 0
