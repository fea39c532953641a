"""Whatever a name is, it is text: a real run against a target that calls everything by markup, and its report."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from capacity.record import read_run
from tests.faults.conftest import Outcome, Sandbox, Start
from tests.golden import chromium
from tests.security.hostile_target import MARKS, hostile_target

EVIL_SCENARIO = "../../<img src=x onerror=window.pwned=1>|`$(id)`"
SCENARIOS = f"""\
version: 1
scenarios:
  {EVIL_SCENARIO!r}:
    description: '<script>window.pwned=1</script> [x](javascript:alert)'
    population: {{groups_per_domain: 2, members_per_group: 1}}
    mode: polling
    traffic: {{reports: 1/s, event_batches: 1/s}}
    schedule: {{ramp: 0s, hold: 4s, drain: 0s}}
    expect: ["errors.count == 0"]
"""


@pytest.fixture
def hostile_run(start: Start, sandbox: Sandbox, tmp_path: Path) -> Outcome:
    """A run whose scenario, domains, groups and errors are all markup."""
    (tmp_path / "scenarios.yaml").write_text(SCENARIOS)
    with hostile_target() as url:
        outcome = start(EVIL_SCENARIO, *sandbox.options(url), **sandbox.environment()).over()
    assert "Traceback" not in outcome.stderr, outcome.stderr
    return outcome


def test_names_stay_text_in_everything_that_a_run_writes(hostile_run: Outcome, tmp_path: Path) -> None:
    run_dir, runs = hostile_run.run_dir, hostile_run.runs
    assert run_dir.parent == runs, "the scenario's name does not lead out of the folder"
    assert {path.name for path in tmp_path.iterdir()} == {"scenarios.yaml", runs.name}
    assert read_run(run_dir).scenario_name == EVIL_SCENARIO
    assert "\x1b" not in hostile_run.stdout + hostile_run.stderr, "nothing steers the terminal"
    page = (run_dir / "report.html").read_text(encoding="utf-8")
    assert "window.pwned" in page, "the scenario's name did come through"
    assert "onload" in page, "and so did the target's words"
    assert not re.search(r"<(script|img|b id)\b", page)
    text = re.sub(r"^(`{3,}).*?^\1$", "", (run_dir / "report.md").read_text(encoding="utf-8"), flags=re.M | re.S)
    assert not re.search(r"<(script|img|svg|b id)\b", text)
    assert not re.search(r"(?<!\\)\]\(javascript:", text)
    assert not re.search(r"^# heading", text, re.MULTILINE)
    ElementTree.parse(run_dir / "junit.xml")
    assert all(mark not in (run_dir / "junit.xml").read_text() for mark in (MARKS["script"], MARKS["handler"]))
    if chromium.BINARY is None:
        pytest.skip("Chromium is not installed, so the page is not opened in it")
    with chromium.chromium() as browser:
        browser.open(run_dir / "report.html", width=1000)
        assert browser.evaluate("window.pwned") is None
        assert browser.evaluate("document.getElementById('pwned')") is None
        assert browser.evaluate("document.querySelectorAll('script, img[onerror], [onfocus], svg[onload]').length") == 0
        assert browser.errors == []
        assert all(url.startswith(("file:", "data:")) for url in browser.requests), browser.requests
