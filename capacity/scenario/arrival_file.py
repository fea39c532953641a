"""Recorded arrivals: a file with one moment a line, from an access log or an export."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from capacity.document import read_text
from capacity.scenario.quantities import parse_duration_s

MAX_BYTES = 8 * 1024 * 1024


def read_arrivals(path: Path) -> list[float]:
    """Seconds from the start of the run, one per line that is neither blank nor a comment (`#`).

    A line is seconds (`12.5`), a duration (`1m`) or an ISO 8601 time; times are counted from the first line's. Raises
    ValueError with every line that is none of these, DocumentError when the file cannot be read.
    """
    moments: list[float] = []
    first: datetime | None = None
    faults: list[str] = []
    for number, line in enumerate(read_text(path, MAX_BYTES).splitlines(), start=1):
        text = line.split("#", 1)[0].strip()
        if not text:
            continue
        try:
            moments.append(_seconds(text))
            continue
        except ValueError:
            pass
        try:
            moment = datetime.fromisoformat(text)
            first = first or moment
            moments.append((moment - first).total_seconds())
        except (ValueError, TypeError):  # TypeError: one with and one without its offset
            faults.append(f"line {number}: {text[:40]!r}")
    if faults:
        more = f" and {len(faults) - 5:,} more" if len(faults) > 5 else ""
        raise ValueError(
            f"{path}: {', '.join(faults[:5])}{more}; a line is seconds or a time, like 12.5 or 2026-11-30T09:00:12Z"
        )
    if not moments:
        raise ValueError(f"{path} has no moments; write one a line, like 12.5 or 2026-11-30T09:00:12Z")
    return moments


def _seconds(text: str) -> float:
    try:
        return parse_duration_s(float(text))
    except ValueError:
        return parse_duration_s(text)
