"""A threshold's limit, actual value and margin, in the unit that a reader expects."""

from __future__ import annotations

from capacity.judgement.expect import parse_threshold
from capacity.record import ThresholdResult
from reports.document import Cell, Table, Tone
from reports.numbers import UNKNOWN, count, milliseconds, number, percent, usd
from reports.wording import Wording

TONES: dict[str, Tone] = {"passed": "good", "failed": "bad", "unknown": "warn"}
SIGNS = {"passed": "✓", "failed": "✗", "unknown": "?"}
_ORDER = {"failed": 0, "unknown": 1, "passed": 2}


def _value(result: ThresholdResult, value: float) -> str:
    if result.unit == "ms":
        return milliseconds(value)
    if result.unit == "share":
        return percent(value, digits=3)
    if "usd" in result.expression:
        return usd(value)
    return count(value) if value == int(value) else number(value)


def parts(result: ThresholdResult) -> tuple[str, str]:
    """Split a threshold into its figure, as the scenario wrote it, and its operator, as one reads it."""
    operator = parse_threshold(result.expression).operator
    figure = result.expression.split(operator)[0].strip()
    return figure, {"<=": "≤", ">=": "≥", "==": "=", "!=": "≠"}.get(operator, operator)


def limit_text(result: ThresholdResult) -> str:
    """Write the limit with its unit."""
    return _value(result, result.limit)


def actual_text(result: ThresholdResult) -> str:
    """Write what the run showed; a dash when it is unknown."""
    return UNKNOWN if result.actual is None else _value(result, result.actual)


def margin_text(result: ThresholdResult) -> str:
    """Write how far the actual value lies from the limit, as a share of it; empty where that has no meaning."""
    if result.margin is None:
        return ""
    return percent(result.margin, signed=True) if abs(result.margin) < 10 else f"×{number(result.margin + 1, 2)}"


def table(results: list[ThresholdResult], say: Wording) -> Table | None:
    """Lay out every threshold, those that did not hold first; None when the scenario expects nothing."""
    if not results:
        return None
    rows: list[list[Cell | str]] = []
    for result in sorted(results, key=lambda r: _ORDER[r.outcome]):
        figure, operator = parts(result)
        rows.append(
            [
                Cell(f"{SIGNS[result.outcome]} {say(f'threshold.{result.outcome}')}", TONES[result.outcome]),
                figure,
                f"{operator} {limit_text(result)}",
                Cell(say("page.unknown"), "unknown") if result.actual is None else actual_text(result),
                margin_text(result) or UNKNOWN,
            ]
        )
    headings = [say(f"threshold.{name}") for name in ("result", "figure", "limit", "actual", "margin")]
    return Table(headings, rows, numeric=(2, 3, 4))
