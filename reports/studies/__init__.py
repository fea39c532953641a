"""Pages that answer one question about a scenario before anything is sent: what it costs, which heartbeat, what breaks.

Each is one offline HTML file in the look of a report, or the same words and tables as Markdown.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from pathlib import Path

from capacity.pricing.prices import STALE_AFTER_DAYS, PriceList
from capacity.record import replacing
from reports.document import Report
from reports.layout import html
from reports.numbers import count
from reports.wording import Wording

FOLDER = Path("runs") / "studies"
"""Where pages go unless told otherwise: beside the runs, out of version control."""


def write(report: Report, path: Path) -> Path:
    """Write a page as HTML, making its folder; return its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_text(html(report, Wording(report.lang)), encoding="utf-8")
    return path


def stale(prices: PriceList, keys: Iterable[str], today: date, say: Wording) -> list[str]:
    """The warning that a page rests on prices which are more than 90 days old, if it does."""
    read_on = prices.read_of(keys)
    age = (today - read_on).days
    if age <= STALE_AFTER_DAYS:
        return []
    return [say("study.stale", date=read_on.isoformat(), days=count(age), limit=STALE_AFTER_DAYS)]
