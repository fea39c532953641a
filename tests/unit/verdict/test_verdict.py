"""The verdict: which finding weighs most, and that no data is never green."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from capacity.exit_codes import ExitCode, document
from capacity.judgement.figures import Figures, required_samples
from capacity.judgement.verdict import judge
from capacity.record import EarlyStop, Generator, RunRecord, Target
from capacity.run_tables import DELIVERIES, REQUESTS
from capacity.scenario import Scenario, load_scenarios

START = datetime(2026, 11, 30, 12, tzinfo=UTC)
SMOKE = load_scenarios(Path(__file__).parents[3] / "scenarios.yaml")["smoke"]


def run(expect: list[str], requests: list[dict[str, Any]] | None = None, **changes: Any) -> Figures:
    """A run of ten seconds with the given thresholds and requests, one every 10 ms if none are given."""
    scenario = Scenario.model_validate(SMOKE.model_dump(mode="json") | {"expect": expect})
    generator = {"planned_requests": 1000, "sent_requests": 1000, "achieved": 1.0, "workers": 1, "valid": True}
    health = Generator.model_validate(
        dict.fromkeys(("lateness_p99_ms", "lateness_max_ms", "cpu_mean_percent", "cpu_max_percent")) | generator
    )
    record = RunRecord(
        run_id="r",
        scenario_name="smoke",
        scenario=scenario,
        scenario_digest=scenario.digest(),
        status="finished",
        started_at=START,
        measuring_from=START,
        measuring_until=START + timedelta(seconds=10),
        target=Target(kind="sandbox", graphql_url="http://127.0.0.1:1/graphql", region="us-east-1", table_name="T"),
        generator=health,
    ).model_copy(update=changes)
    rows = requests if requests is not None else [request(number) for number in range(1000)]
    return Figures(record, pa.Table.from_pylist(rows, REQUESTS), DELIVERIES.empty_table(), None, None)


def request(number: int, **changes: Any) -> dict[str, Any]:
    """Request `number`, sent 10 ms after the one before it and answered after `number` ms."""
    sent = START + timedelta(milliseconds=10 * number)
    row: dict[str, Any] = dict.fromkeys(REQUESTS.names)
    row |= {"operation": "reportDataByNode", "node": "n", "intended_start": sent, "start": sent}
    row |= {"latency_ms": float(number), "intended_latency_ms": float(number), "outcome": "ok"}
    return row | {"request_bytes": 1, "response_bytes": 1} | changes


def invalid() -> Generator:
    generator = run([]).record.generator
    assert generator is not None
    return generator.model_copy(update={"valid": False, "reasons": ["it was late"]})


@pytest.mark.parametrize(
    ("sentence", "figures", "code", "words"),
    [
        ("Every threshold holds.", run(["errors.count == 0", "latency.p(50) < 501ms"]), ExitCode.OK, "all 2"),
        ("One does not.", run(["errors.count == 0", "latency.p(50) < 10ms"]), ExitCode.THRESHOLD_FAILED, "1 of 2"),
        ("A figure that is unknown is not green.", run(["model.error.wcu < 1%"]), ExitCode.UNKNOWN, "model.error.wcu"),
        (
            "A failed threshold weighs more than an unknown one.",
            run(["model.error.wcu < 1%", "latency.max < 1ms"]),
            ExitCode.THRESHOLD_FAILED,
            "latency.max",
        ),
        (
            "A generator that fell behind makes green and red alike invalid.",
            run(["latency.max < 1ms"], generator=invalid()),
            ExitCode.NOT_VALID,
            "it was late",
        ),
        (
            "A generator that left no record makes the run invalid.",
            run([], generator=None),
            ExitCode.NOT_VALID,
            "no record",
        ),
        (
            "An interrupted run is neither.",
            run(["latency.max < 1ms"], status="interrupted"),
            ExitCode.INTERRUPTED,
            "interrupted",
        ),
        (
            "No requests at all are no proof of anything.",
            run(["errors.rate < 1%"], []),
            ExitCode.UNKNOWN,
            "errors.rate",
        ),
        (
            "Deliveries that were due but never recorded are unknown, not zero.",
            run(["deliveries.lost == 0"]),
            ExitCode.UNKNOWN,
            "deliveries.lost",
        ),
    ],
)
def test_what_weighs_most_decides(sentence: str, figures: Figures, code: ExitCode, words: str) -> None:
    verdict = judge(figures)
    assert verdict.exit_code == code, sentence
    assert words in verdict.sentence, sentence


def test_only_the_measuring_window_is_judged() -> None:
    early = request(0, intended_start=START - timedelta(seconds=1), outcome="error")
    late = request(0, intended_start=START + timedelta(seconds=10), outcome="error")
    within = [request(number) for number in range(100)]
    (result,) = judge(run(["errors.count == 0"], [early, *within, late])).thresholds
    assert (result.outcome, result.actual) == ("passed", 0)


def test_a_request_that_got_no_answer_has_no_latency_but_counts_as_an_error() -> None:
    rows = [request(number) for number in range(300)] + [request(300, outcome="error", latency_ms=30_000.0)]
    count, largest = judge(run(["errors.count == 1", "latency.max < 300ms"], rows)).thresholds
    assert (count.outcome, largest.outcome, largest.actual) == ("passed", "passed", 299)


def test_a_percentile_is_a_latency_that_was_seen() -> None:
    # 1,000 latencies of 0 to 999 ms: 95 % of them are at most 949 ms, so the next that was seen is 950
    (result,) = judge(run(["latency.p(95) < 1s"])).thresholds
    assert result.actual == 950
    assert result.margin == pytest.approx(-0.05)


@pytest.mark.parametrize(("percentile", "samples"), [(50, 20), (95, 200), (99, 1000), (99.9, 10_000), (100, 1)])
def test_a_percentile_needs_ten_samples_beyond_it(percentile: float, samples: int) -> None:
    assert required_samples(percentile) == samples


def test_too_few_answers_say_so() -> None:
    (result,) = judge(run(["latency.p(99) < 1s"], [request(number) for number in range(999)])).thresholds
    assert result.outcome == "unknown"
    assert result.reason == "not enough data: p99 needs 1,000 answers, the run has 999"


def test_every_exit_code_is_documented() -> None:
    meanings = document()
    assert set(meanings) == {code.value for code in ExitCode}
    assert all(meaning.endswith(".") for meaning in meanings.values())
    assert meanings[99].startswith("The run is valid and at least one threshold")


def stopped(rule: str) -> EarlyStop:
    return EarlyStop.model_validate(
        {
            "rule": rule,
            "expression": "errors.count == 0 abort",
            "limit": 0,
            "actual": 1,
            "unit": "count",
            "after_s": 3,
            "sentence": "stopped by itself after 3 s.",
        }
    )


@pytest.mark.parametrize(
    ("sentence", "rule", "outcome", "code", "says"),
    [
        (
            "A threshold of the scenario that ended the run has failed.",
            "expect",
            "failed",
            ExitCode.THRESHOLD_FAILED,
            "Failed: stopped by itself after 3 s.",
        ),
        (
            "A limit of the command line says nothing about the scenario's.",
            "max-usd",
            "interrupted",
            ExitCode.STOPPED,
            "Stopped by itself after 3 s.",
        ),
        ("Nor does --abort.", "abort", "interrupted", ExitCode.STOPPED, "Stopped by itself after 3 s."),
    ],
)
def test_a_run_that_ended_itself_says_so(sentence: str, rule: str, outcome: str, code: ExitCode, says: str) -> None:
    verdict = judge(run(["errors.count == 0 abort"], status="stopped", stopped=stopped(rule), generator=invalid()))
    assert (verdict.outcome, verdict.exit_code, verdict.sentence) == (outcome, code, says), sentence
    expected = "failed" if rule == "expect" else "passed"
    assert [each.outcome for each in verdict.thresholds] == [expected], sentence


def test_throttles_that_the_generator_saw_are_refusals_of_one_kind() -> None:
    rows = [request(number) for number in range(90)]
    rows += [request(90 + n, outcome="refused", error_type="DynamoDB:ThrottlingException") for n in range(6)]
    rows += [request(96 + n, outcome="refused", error_type="GroupNotFound") for n in range(4)]
    verdict = judge(run(["throttles.answered == 6", "throttles.rate <= 6%", "errors.count == 10"], rows))
    assert [each.actual for each in verdict.thresholds] == [6, 0.06, 10]
