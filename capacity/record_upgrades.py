"""Run records of older versions, brought to the present one step by step; those of a newer version are refused.

A version's step is a function from its document to the next version's. Whoever raises SCHEMA_VERSION adds the step
here and keeps a run directory of the version before as test data (tests/data/old_runs).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Document = dict[str, Any]
Steps = Mapping[int, Callable[[Document], Document]]

STEPS: Steps = {}
"""By the version that a step starts from. Fields that are only added, with a default, need none and no new version."""


def upgraded(document: Any, to_version: int, steps: Steps = STEPS) -> Document:
    """A run record's document as one of `to_version`.

    Raises ValueError, in words that follow the file's name, when it is no record, of a newer version, or of one so old
    that nothing leads from it to the present.
    """
    if not isinstance(document, dict):
        raise ValueError("is not a run record: it holds no JSON object")
    version = document.get("schema_version")
    if not isinstance(version, int) or isinstance(version, bool):
        raise ValueError(f"is not a run record: its schema_version is {_short(version)}, not a number")
    if version > to_version:
        raise ValueError(
            f"has schema version {_short(version)}, made by a newer meshcap; this one reads up to version "
            f"{to_version}: update it to read this run"
        )
    current: Document = document
    while version < to_version:
        if version not in steps:
            raise ValueError(
                f"has schema version {_short(version)}; this meshcap reads version {to_version}, and those from "
                f"{min(steps, default=to_version)} on; read it with the meshcap that made it (`versions` in the file)"
            )
        current = {**steps[version](current), "schema_version": version + 1}
        version += 1
    return current


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."
