"""What holds for every test."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

# The runs that tests make are no result of the step that runs the tests.
for _name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(_name, None)

_LONG = ("tests/loop/", "tests/faults/", "tests/security/", "tests/sandbox/load/")
"""Here whole runs are made, of which one lasts longer than all tests of most other folders."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long tests first where several processes share the tests out, lest the last long one is waited for by all."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=lambda item: not item.nodeid.startswith(_LONG))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that skips on a user's machine fails in CI, where what it needs has to be there."""
    report = yield
    if report.skipped and os.environ.get("CI") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped in CI: {call.excinfo.value if call.excinfo is not None else item.nodeid}"
    return report
