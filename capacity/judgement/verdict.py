"""The verdict of a run: every threshold judged, and one sentence and exit code for all of them."""

from __future__ import annotations

from capacity.exit_codes import ExitCode
from capacity.judgement.expect import FIGURES, Threshold
from capacity.judgement.figures import Figures, UnknownFigure
from capacity.record import EarlyStop, Outcome, RunRecord, ThresholdResult, Verdict


def judge(figures: Figures) -> Verdict:
    """Judge a run by its scenario's `expect`.

    A run that ended itself says why. A run that was interrupted, or whose generator fell behind, is neither passed nor
    failed. A threshold whose figure is unknown makes the verdict unknown, unless another one failed.
    """
    results = [_judge_one(figures, threshold) for threshold in figures.record.scenario.expect]
    stopped = figures.record.stopped
    if stopped is not None and stopped.rule == "expect":
        results = [_broken(stopped) if each.expression == stopped.expression else each for each in results]
    outcome, exit_code, sentence = _decide(figures.record, results)
    return Verdict(outcome=outcome, exit_code=exit_code, sentence=sentence, thresholds=results)


def _decide(record: RunRecord, results: list[ThresholdResult]) -> tuple[Outcome, ExitCode, str]:
    """What weighs most comes first: a run that says nothing about its target is neither green nor red."""
    if record.stopped is not None:
        if record.stopped.rule == "expect":
            return "failed", ExitCode.THRESHOLD_FAILED, f"Failed: {record.stopped.sentence}"
        sentence = record.stopped.sentence
        return "interrupted", ExitCode.STOPPED, sentence[:1].upper() + sentence[1:]
    if record.status == "interrupted":
        sentence = "The run was interrupted; what it measured until then says nothing about the thresholds."
        return "interrupted", ExitCode.INTERRUPTED, sentence
    if record.generator is None or not record.generator.valid:
        reasons = record.generator.reasons if record.generator else ["it left no record of itself"]
        sentence = f"Not valid: the load generator did not keep to its plan ({'; '.join(reasons)})."
        return "not valid", ExitCode.NOT_VALID, sentence
    failed = [result for result in results if result.outcome == "failed"]
    if failed:
        sentence = f"Failed: {_count(failed, results)} not hold: {', '.join(r.expression for r in failed)}."
        return "failed", ExitCode.THRESHOLD_FAILED, sentence
    unknown = [result for result in results if result.outcome == "unknown"]
    if unknown:
        sentence = f"Unknown: {_count(unknown, results)} not be judged: {', '.join(r.expression for r in unknown)}."
        return "unknown", ExitCode.UNKNOWN, sentence
    held = f"all {len(results)} thresholds hold" if results else "the run is complete, and the scenario expects nothing"
    return "passed", ExitCode.OK, f"Passed: {held}."


def _count(some: list[ThresholdResult], results: list[ThresholdResult]) -> str:
    verb = "could" if some[0].outcome == "unknown" else "did"
    return f"{len(some)} of {len(results)} thresholds {verb}"


def _broken(stopped: EarlyStop) -> ThresholdResult:
    """A threshold that ended the run did not hold, whatever the figure became until everybody had left."""
    limit = stopped.limit
    return ThresholdResult(
        expression=stopped.expression,
        outcome="failed",
        limit=limit,
        actual=stopped.actual,
        unit=stopped.unit,
        margin=None if limit == 0 else (stopped.actual - limit) / limit,
    )


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
