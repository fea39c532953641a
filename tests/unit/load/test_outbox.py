"""Client-side rules: merging, the queue of 100, skipped duplicates, and the cursor that can leap over events."""

from __future__ import annotations

import pytest

from locustfiles.nodes.outbox import MAX_QUEUED_EVENTS, EventQueue, PollingCursor, ReportMerger


def test_updates_within_an_interval_become_one_report() -> None:
    merger = ReportMerger(interval_s=1.0)
    merger.update(0.0)
    assert merger.send() == 0.0
    merger.in_flight = False
    assert [merger.update(moment_s) for moment_s in (0.2, 0.4, 0.9)] == [False, True, True]
    assert merger.next_intended_s() == 1.0
    assert merger.send() == 1.0


def test_one_update_per_interval_is_sent_on_its_own_schedule_however_late_the_sender_was() -> None:
    merger = ReportMerger(interval_s=0.25)
    intended = []
    for tick in range(100):
        assert not merger.update(tick * 0.25)
        intended.append(merger.send())  # sent late each time, which must not push the next one back
        merger.in_flight = False
    assert intended == pytest.approx([tick * 0.25 for tick in range(100)])


def test_nothing_goes_while_a_report_is_in_flight_and_the_wait_counts_from_the_first_update() -> None:
    merger = ReportMerger(interval_s=0.05)
    merger.update(0.0)
    merger.send()
    merger.update(0.5)
    merger.update(1.0)
    assert merger.next_intended_s() is None
    merger.in_flight = False  # the answer came at 2.0, yet the report was wanted at 0.5
    assert merger.send() == 0.5


def test_there_is_no_report_without_an_update() -> None:
    merger = ReportMerger(interval_s=1.0)
    assert merger.next_intended_s() is None
    with pytest.raises(ValueError, match="no report to send"):
        merger.send()


def test_an_equal_event_waits_only_once() -> None:
    queue = EventQueue()
    assert queue.fire("jump", "1", 0.0)
    assert not queue.fire("jump", "1", 0.1)
    assert queue.fire("jump", "2", 0.2)
    assert [event.payload for event in queue.take_all()] == ["1", "2"]
    assert queue.duplicates_skipped == 1
    assert queue.fire("jump", "1", 0.3)  # sent ones are forgotten


def test_the_oldest_of_more_than_a_hundred_is_dropped() -> None:
    queue = EventQueue()
    for number in range(MAX_QUEUED_EVENTS + 3):
        queue.fire("e", str(number), 0.0)
    waiting = queue.take_all()
    assert len(waiting) == 100
    assert (waiting[0].payload, waiting[-1].payload) == ("3", "102")
    assert queue.dropped == 3
    assert len(queue) == 0


def test_a_dropped_event_may_be_fired_again() -> None:
    queue = EventQueue()
    for number in range(MAX_QUEUED_EVENTS + 1):
        queue.fire("e", str(number), 0.0)
    assert queue.fire("e", "0", 1.0)


def test_order_numbers_start_at_one_and_never_repeat() -> None:
    queue = EventQueue()
    queue.fire("a", "", 0.0)
    queue.take_all()
    queue.fire("a", "", 0.0)
    assert [event.order for event in queue.take_all()] == [2]
    assert queue.next_order == 3


def test_the_cursor_moves_to_the_last_event_of_an_answer_and_stays_on_an_empty_one() -> None:
    cursor = PollingCursor("2026-11-30T13:30:00.000Z")
    cursor.answered(["EVENT#a", "EVENT#b"])
    cursor.answered([])
    assert cursor.since == "EVENT#b"


def test_recording_takes_the_cursor_over_whatever_lies_between() -> None:
    cursor = PollingCursor("EVENT#a")
    cursor.recorded("EVENT#m")
    assert cursor.since == "EVENT#m"
    cursor.recorded(None)  # a refused record changes nothing
    assert cursor.since == "EVENT#m"
