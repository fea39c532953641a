"""junit.xml: one test case per threshold, for continuous integration."""

from pathlib import Path

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from capacity.record import ThresholdResult
from reports.run import Run
from reports.thresholds import actual_text, limit_text, margin_text, parts


def message(result: ThresholdResult) -> str:
    """Say how a threshold stands: `latency.p(95) = 412 ms, limit 300 ms, +37 %`."""
    figure, _ = parts(result)
    if result.actual is None:
        return f"{figure} is unknown: {result.reason or 'no reason was recorded'}; limit {limit_text(result)}"
    margin = margin_text(result)
    return f"{figure} = {actual_text(result)}, limit {limit_text(result)}" + (f", {margin}" if margin else "")


def write(run: Run, path: Path) -> None:
    """Write the thresholds of a run as one test suite.

    A threshold that did not hold is a failure and one that is unknown an error, so neither can turn a build green. When
    the run itself says nothing (not valid, interrupted), its thresholds are skipped and one more case has the error.
    """
    record = run.record
    suite = TestSuite(record.scenario_name)
    suite.timestamp = record.started_at.isoformat()
    suite.add_property("run_id", record.run_id)
    suite.add_property("scenario_digest", record.scenario_digest)
    verdict = record.verdict
    speaks = verdict is not None and verdict.outcome not in ("not valid", "interrupted")
    if not speaks:
        case = TestCase("the run is valid", classname=f"meshcap.{record.scenario_name}", time=run.length_s)
        case.result = [
            Error(verdict.sentence if verdict else "the run has no verdict", verdict.outcome if verdict else "unknown")
        ]
        suite.add_testcase(case)
    for result in verdict.thresholds if verdict else []:
        case = TestCase(
            result.expression, classname=f"meshcap.{record.scenario_name}", time=run.length_s if speaks else 0
        )
        text = message(result)
        if not speaks:
            case.result = [Skipped(text)]
        elif result.outcome == "failed":
            case.result = [Failure(text, "threshold")]
        elif result.outcome == "unknown":
            case.result = [Error(text, "unknown")]
        else:
            case.system_out = text
        suite.add_testcase(case)
    xml = JUnitXml("meshcap")
    xml.add_testsuite(suite)
    xml.update_statistics()  # type: ignore[no-untyped-call]
    xml.write(str(path), pretty=True)
