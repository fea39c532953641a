"""What holds for every test."""

from __future__ import annotations

import os

# The runs that tests make are no result of the step that runs the tests.
for _name in ("GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"):
    os.environ.pop(_name, None)
