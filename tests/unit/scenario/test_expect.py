"""Thresholds: what reads as one, what it means, and what a person is told when it does not."""

from __future__ import annotations

import pytest

from capacity.judgement.expect import parse_threshold


@pytest.mark.parametrize(
    ("sentence", "text", "figure", "arguments", "operator", "limit"),
    [
        ("k6 writes p(95)<300; the unit is said here.", "latency.p(95)<300ms", "latency.p", ("95",), "<", 300),
        ("Seconds become milliseconds.", "latency.max <= 1.5s", "latency.max", (), "<=", 1500),
        (
            "An operation narrows a percentile.",
            "latency.p( 99.9 , reportDataByNode ) < 1s",
            "latency.p",
            ("99.9", "reportDataByNode"),
            "<",
            1000,
        ),
        ("A share may be a percentage.", "errors.rate < 1%", "errors.rate", (), "<", 0.01),
        ("A share may be plain.", "errors.rate < 0.01", "errors.rate", (), "<", 0.01),
        (
            "An index is an argument.",
            "throttles.GSI(GroupNameIndex) == 0",
            "throttles.GSI",
            ("GroupNameIndex",),
            "==",
            0,
        ),
        ("Dollars are plain numbers.", "cost.monthly_usd < 25", "cost.monthly_usd", (), "<", 25),
    ],
)
def test_a_threshold_reads(
    sentence: str, text: str, figure: str, arguments: tuple[str, ...], operator: str, limit: float
) -> None:
    threshold = parse_threshold(text)
    assert (threshold.figure, threshold.arguments, threshold.operator) == (figure, arguments, operator), sentence
    assert threshold.limit == pytest.approx(limit), sentence


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("latency.p(95) < 300", "needs ms or s"),
        ("latency.p(0) < 300ms", "no percentile"),
        ("latency.p(101) < 300ms", "no percentile"),
        ("latency.p < 300ms", "takes 1 to 2 arguments"),
        ("errors.rate < 3ms", "is a share"),
        ("cost.monthly_usd < 25%", "plain number"),
        ("throttles.GSI() == 0", "takes 1 to 1 arguments"),
        ("latency.p(95) ~ 300ms", "does not read as FIGURE OPERATOR VALUE"),
        ("__import__('os').system('x') == 0", "does not read as"),
        ("", "does not read as"),
        (5, "is no threshold"),
        ("deliveries.lost == 0 abort", "deliveries.lost is known after the run"),
        ("throttles.table == 0 abort after 5s", "throttles.table is known after the run"),
        ("errors.rate < 5% abort after soon", "'soon' is no duration"),
        ("errors.rate < 5% abort soon", "does not read as"),
        ("errors.rate < 5% after 5s", "does not read as"),
    ],
)
def test_what_is_no_threshold_is_explained(text: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        parse_threshold(text)


def test_a_margin_is_relative_to_the_limit_and_absent_for_zero() -> None:
    assert parse_threshold("latency.p(95) < 300ms").margin(412) == pytest.approx(0.3733, abs=1e-4)
    assert parse_threshold("deliveries.lost == 0").margin(3) is None


def test_two_character_operators_are_not_cut_short() -> None:
    threshold = parse_threshold("errors.count <= 3")
    assert threshold.holds(3)
    assert not threshold.holds(4)


@pytest.mark.parametrize(
    ("sentence", "text", "after_s", "condition"),
    [
        ("Nothing said, it is judged at the end.", "errors.rate < 5%", None, "errors.rate < 5%"),
        ("abort alone looks from the start.", "errors.rate < 5% abort", 0.0, "errors.rate < 5%"),
        ("A delay leaves out a ramp.", "errors.rate<0.05 abort after 90s", 90.0, "errors.rate<0.05"),
        ("Durations are those of a scenario.", "cost.run_usd < 1 abort after 2m", 120.0, "cost.run_usd < 1"),
        ("A unit needs no space.", "latency.p(95) < 300ms  abort  after 1.5s ", 1.5, "latency.p(95) < 300ms"),
    ],
)
def test_a_threshold_may_end_the_run(sentence: str, text: str, after_s: float | None, condition: str) -> None:
    threshold = parse_threshold(text)
    assert (threshold.abort_after_s, threshold.condition) == (after_s, condition), sentence
    assert parse_threshold(str(threshold)) == threshold, "as run.json keeps it"
