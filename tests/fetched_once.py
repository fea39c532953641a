"""What tests fetch into the git-ignored `.cache/`, for all processes that run tests side by side."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path


def fetched_once(wanted: Path, folder: Path, fetch: Callable[[], None]) -> None:
    """Fetch `wanted` into `folder` unless it is there; processes wait for one another."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not wanted.exists():
            fetch()
