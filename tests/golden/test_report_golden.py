"""What a report says about the generated runs, word for word, and that it says it the same way twice.

After a wanted change: UPDATE_GOLDEN=1 pytest tests/golden, and read the difference.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from junitparser import JUnitXml
from run_directory import record

from capacity.record import write_run
from reports import render

EXPECTED = Path(__file__).parent / "expected"


def _of_the_report_alone(text: str) -> str:
    """Leave out what the model says of the made-up requests and its own rules: it has tests of its own."""
    sections = re.split(r"(?m)^(?=## )", text)
    kept = "".join(part for part in sections if not part.startswith(("## Partitions\n", "## パーティション\n")))
    blocks = kept.split("\n\n")
    rules = next(
        n for n, block in enumerate(blocks) if block.startswith(("**Throughput rules", "**サンドボックスと予測の"))
    )
    return "\n\n".join(blocks[:rules] + blocks[rules + 2 :])


def _check(name: str, text: str) -> None:
    path = EXPECTED / name
    if os.environ.get("UPDATE_GOLDEN"):
        EXPECTED.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_the_english_report_of_a_run_by_websocket(whole_run: Path) -> None:
    _check("report.en.md", _of_the_report_alone((whole_run / "report.md").read_text(encoding="utf-8")))


def test_the_japanese_report_of_a_run_by_polling(polling_run: Path) -> None:
    _check("report.polling.ja.md", _of_the_report_alone((polling_run / "report.md").read_text(encoding="utf-8")))


def test_junit(whole_run: Path) -> None:
    _check("junit.xml", (whole_run / "junit.xml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("lang", ["en", "ja"])
def test_rendering_twice_gives_the_same_bytes(run_copy: Callable[[], Path], lang: str) -> None:
    run = run_copy()
    names = ("report.html", "report.md", "junit.xml")
    render(run, lang)
    first = [(run / name).read_bytes() for name in names]
    render(run, lang)
    assert first == [(run / name).read_bytes() for name in names]


def test_junit_says_figure_limit_and_margin_and_can_be_read(whole_run: Path) -> None:
    [suite] = JUnitXml.fromfile(str(whole_run / "junit.xml"))
    assert (suite.tests, suite.failures, suite.errors) == (5, 1, 1)
    cases = {case.name: case for case in suite}
    assert cases["latency.p(95) < 30ms"].system_out == "latency.p(95) = 17.4 ms, limit 30 ms, −42 %"
    [failure] = cases["throttles.total == 0"].result
    assert failure.message == "throttles.total = 58, limit 0"
    [error] = cases["latency.p(99, renewHeartbeat) < 100ms"].result
    assert "unknown: not enough data" in error.message


def test_a_run_that_is_not_valid_turns_no_build_green(run_copy: Callable[[], Path]) -> None:
    run = run_copy()
    whole = record()
    assert whole.verdict is not None
    verdict = whole.verdict.model_copy(update={"outcome": "not valid", "exit_code": 106, "sentence": "Not valid."})
    write_run(run, whole.model_copy(update={"verdict": verdict}))
    render(run)
    [suite] = JUnitXml.fromfile(str(run / "junit.xml"))
    assert (suite.errors, suite.failures, suite.skipped) == (1, 0, 5)
    text = (run / "report.md").read_text()
    assert "**Not valid: The load generator did not keep to its plan" in text
    assert "**Passed" not in text
