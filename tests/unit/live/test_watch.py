"""When a run ends itself: told counts and times, without a clock."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.judgement.expect import LIVE, parse_threshold
from capacity.record import EarlyStop
from capacity.run_tables import REQUESTS
from locustfiles.live.tally import REFUSED, SENT, THROTTLED, WIDTH, Tally, quantile_ms
from locustfiles.live.watch import MIN_REQUESTS, WINDOW_S, Watch
from locustfiles.running.parts import PartStream, read_stream

THROTTLE = ("refused", "DynamoDB:ThrottlingException", "Rate exceeded")


def answers(count: int, latency_ms: float = 10.0, operation: str = "reportDataByNode", **fault: str) -> Tally:
    """A tally of equal answers, made of the rows that a process writes."""
    tally = Tally()
    tally.add_batch(batch([row(operation, latency_ms, **fault) for _ in range(count)]))
    return tally


def row(
    operation: str, latency_ms: float, outcome: str = "ok", error: str = "", message: str = ""
) -> dict[str, object]:
    found: dict[str, object] = dict.fromkeys(REQUESTS.names)
    found |= {"operation": operation, "node": "n", "intended_start": 0, "start": 0, "outcome": outcome}
    found |= {"latency_ms": latency_ms / 2, "intended_latency_ms": latency_ms, "request_bytes": 1, "response_bytes": 1}
    return found | {"error_type": error or None, "error_message": message or None}


def batch(rows: list[dict[str, object]]) -> pa.RecordBatch:
    return pa.Table.from_pylist(rows, REQUESTS).combine_chunks().to_batches()[0]


def added(*tallies: Tally) -> Tally:
    total = Tally()
    for each in tallies:
        total.add(each.rows)
    return total


def watch(*abort: str, max_usd: float | None = None) -> Watch:
    return Watch([parse_threshold(each) for each in abort], [], max_usd)


def refused(count: int) -> Tally:
    return answers(count, outcome="refused", error="DynamoDB:ThrottlingException", message="Rate exceeded")


def test_rows_that_a_process_writes_are_counted_by_what_became_of_them(tmp_path: Path) -> None:
    stream, tally = PartStream(tmp_path / "w.requests.arrows", REQUESTS), Tally()
    stream.on_batch = tally.add_batch
    for outcome, error in (
        ("ok", None),
        ("refused", "DynamoDB:ProvisionedThroughputExceededException"),
        ("error", "X"),
    ):
        answer = [outcome, error, None, 1, 1, None, None, None]
        stream.append(("joinGroup", "n", "d", "g", 1.0, 1.0, 4.0, 8.0, *answer))
    stream.flush()
    assert [int(figure) for figure in tally.of("joinGroup")[:4]] == [3, 1, 1, 1]
    lower, upper = quantile_ms(tally.of(None)[6 : 6 + 242], 0.5) or (0.0, 0.0)
    assert lower < 8.0 <= upper, "the latency from the intended start is the one that thresholds speak of"
    assert len(list(read_stream(tmp_path / "w.requests.arrows"))) == 1, "counting leaves the stream as it was"


@given(st.lists(st.floats(0.05, 200_000), min_size=1, max_size=200), st.floats(0.01, 1))
def test_the_bin_of_a_quantile_holds_it(latencies_ms: list[float], share: float) -> None:
    tally = Tally()
    tally.add_batch(batch([row("joinGroup", latency) for latency in latencies_ms]))
    edges = quantile_ms(tally.of("joinGroup")[6 : 6 + 242], share)
    assert edges is not None
    exact = float(np.quantile(latencies_ms, share, method="inverted_cdf"))
    assert edges[0] <= exact * (1 + 1e-9)
    assert exact <= edges[1] * (1 + 1e-9)


def test_workers_add_up_whatever_the_order() -> None:
    one, other = answers(30), refused(10)
    assert np.array_equal(added(one, other).of(None), added(other, one).of(None))
    assert added(one, other).of(None)[[SENT, REFUSED, THROTTLED]].tolist() == [40, 10, 10]
    sent = Tally()
    sent.add(one.message())
    assert np.array_equal(sent.of(None), one.of(None)), "as it comes through Locust's channel"


def test_a_report_of_another_version_is_not_added() -> None:
    with pytest.raises(ValueError, match=f"expected {WIDTH}"):
        Tally().add({"joinGroup": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("sentence", "abort", "total", "stops"),
    [
        ("A share within its limit is no reason.", "errors.rate < 50% abort", added(answers(60), refused(40)), False),
        ("A share beyond it is.", "errors.rate < 30% abort", added(answers(60), refused(40)), True),
        (
            "A throttle is a refusal of its own kind.",
            "throttles.rate < 30% abort",
            added(answers(60), refused(40)),
            True,
        ),
        (
            "Other refusals are none.",
            "throttles.rate < 1% abort",
            answers(100, outcome="refused", error="GroupNotFound"),
            False,
        ),
        ("A few requests make no share.", "errors.rate < 1% abort", refused(MIN_REQUESTS - 1), False),
        ("But they make a count.", "errors.count == 0 abort", refused(1), True),
        ("A percentile needs its samples.", "latency.p(99) < 5ms abort", answers(999), False),
        ("With them it speaks.", "latency.p(99) < 5ms abort", answers(1000), True),
        ("The edge of a bin speaks for the target.", "latency.p(50) < 9.9ms abort", answers(1000), False),
        ("Another operation is not meant.", "errors.rate(joinGroup) < 1% abort", refused(100), False),
        ("Without abort it is judged at the end.", "errors.rate < 1%", refused(100), False),
        ("It is not looked at before its time.", "errors.rate < 1% abort after 21s", refused(100), False),
        ("Its time has come.", "errors.rate < 1% abort after 20s", refused(100), True),
    ],
)
def test_a_threshold_ends_a_run(sentence: str, abort: str, total: Tally, stops: bool) -> None:
    stop = watch(abort).look(20.0, total, 0.0)
    assert (stop is not None) == stops, sentence


def test_a_target_that_begins_to_refuse_late_is_left_alone_soon() -> None:
    watched = watch("errors.rate < 50% abort")
    total = Tally()
    for second in range(1, 601):
        total = added(total, answers(100))
        assert watched.look(float(second), total, 0.0) is None
    stops: list[EarlyStop] = []
    for second in range(601, 700):
        total = added(total, refused(100))
        stop = watched.look(float(second), total, 0.0)
        if stop is not None:
            stops.append(stop)
            break
    assert stops[0].after_s == 600 + WINDOW_S / 2, "when half of the window is refused, not half of the run"


def test_the_spend_ends_a_run_and_says_what_it_was() -> None:
    watched = watch(max_usd=0.5)
    assert watched.look(10.0, answers(1), 0.5) is None
    stop = watched.look(11.0, answers(2), 0.5001)
    assert stop is not None
    assert (stop.rule, stop.limit, stop.actual) == ("max-usd", 0.5, 0.5001)
    assert stop.sentence == (
        "stopped by itself after 11 s: what was sent has cost about $0.5001, more than --max-usd 0.5."
    )


def test_thresholds_of_the_command_line_need_no_word_to_abort() -> None:
    stop = Watch([], [parse_threshold("throttles.answered == 0")], None).look(3.0, refused(1), 0.0)
    assert stop is not None
    assert stop.rule == "abort"
    assert stop.sentence == (
        "stopped by itself after 3 s: throttles.answered == 0 did not hold (it was 1), and --abort says abort."
    )


@pytest.mark.parametrize("name", LIVE)
def test_every_live_figure_is_one_that_the_watch_knows(name: str) -> None:
    arguments = "(50)" if name.endswith("p") else ""
    unit = "ms" if name.startswith("latency") else ""
    stop = watch(f"{name}{arguments} > 1e9{unit} abort").look(20.0, answers(1000), 1.0)
    assert stop is not None
    assert stop.actual < 1e9
