"""The word that figures rest on prices which are too old to decide on."""

from __future__ import annotations

from datetime import UTC, date, datetime

from capacity.pricing.prices import STALE_AFTER_DAYS
from meshcap.console import say


def tell_of_old_prices(as_of: str, today: date | None = None) -> None:
    """Say so when the oldest price used is of a day more than 90 days ago; `as_of` is that day, as in 2026-11-30."""
    age_days = ((today or datetime.now(UTC).date()) - date.fromisoformat(as_of)).days
    if age_days > STALE_AFTER_DAYS:
        say(
            f"The oldest price used is of {as_of}, {age_days} days ago and more than {STALE_AFTER_DAYS}: "
            "read the prices again before you decide on them (meshcap prices refresh)."
        )
