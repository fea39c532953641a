"""The verdict of a run: every threshold judged, and one sentence and exit code for all of them."""

from __future__ import annotations

from capacity.exit_codes import ExitCode
from capacity.expect import FIGURES, Threshold
from capacity.figures import Figures, UnknownFigure
from capacity.record import ThresholdResult, Verdict


def judge(figures: Figures) -> Verdict:
    """Judge a run by its scenario's `expect`.

    A run that was interrupted, or whose generator fell behind, is neither passed nor failed. A threshold whose figure
    is unknown makes the verdict unknown, unless another one failed.
    """
    record = figures.record
    results = [_judge_one(figures, threshold) for threshold in record.scenario.expect]
    failed = [result for result in results if result.outcome == "failed"]
    unknown = [result for result in results if result.outcome == "unknown"]
    if record.status == "interrupted":
        return Verdict(
            outcome="interrupted",
            exit_code=ExitCode.INTERRUPTED,
            sentence="The run was interrupted; what it measured until then says nothing about the thresholds.",
            thresholds=results,
        )
    if record.generator is None or not record.generator.valid:
        reasons = record.generator.reasons if record.generator else ["it left no record of itself"]
        return Verdict(
            outcome="not valid",
            exit_code=ExitCode.NOT_VALID,
            sentence=f"Not valid: the load generator did not keep to its plan ({'; '.join(reasons)}).",
            thresholds=results,
        )
    if failed:
        return Verdict(
            outcome="failed",
            exit_code=ExitCode.THRESHOLD_FAILED,
            sentence=f"Failed: {_count(failed, results)} not hold: {', '.join(r.expression for r in failed)}.",
            thresholds=results,
        )
    if unknown:
        return Verdict(
            outcome="unknown",
            exit_code=ExitCode.UNKNOWN,
            sentence=f"Unknown: {_count(unknown, results)} not be judged: {', '.join(r.expression for r in unknown)}.",
            thresholds=results,
        )
    held = f"all {len(results)} thresholds hold" if results else "the run is complete, and the scenario expects nothing"
    return Verdict(outcome="passed", exit_code=ExitCode.OK, sentence=f"Passed: {held}.", thresholds=results)


def _count(some: list[ThresholdResult], results: list[ThresholdResult]) -> str:
    verb = "could" if some[0].outcome == "unknown" else "did"
    return f"{len(some)} of {len(results)} thresholds {verb}"


def _judge_one(figures: Figures, threshold: Threshold) -> ThresholdResult:
    unit = FIGURES[threshold.figure][0]
    try:
        actual = figures.value(threshold)
    except UnknownFigure as fault:
        return ThresholdResult(
            expression=threshold.expression,
            outcome="unknown",
            limit=threshold.limit,
            actual=None,
            unit=unit,
            margin=None,
            reason=str(fault),
        )
    return ThresholdResult(
        expression=threshold.expression,
        outcome="passed" if threshold.holds(actual) else "failed",
        limit=threshold.limit,
        actual=actual,
        unit=unit,
        margin=threshold.margin(actual),
    )
