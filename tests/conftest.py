"""What holds for every test."""

from __future__ import annotations

import os

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
