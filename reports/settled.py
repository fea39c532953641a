"""What became of the deliveries that were owed, added up."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from capacity.run_tables import DELIVERY_COUNTS

ARRIVED = ("delivered", "late", "out_of_order")
OUTCOMES = tuple(name for name in DELIVERY_COUNTS if name != "expected")


@dataclass(frozen=True)
class Settled:
    """Counts of deliveries by outcome.

    A report that a newer one replaced before its receiver polled, and a message that was under way when the run ended,
    are neither arrived nor lost: `due` leaves both out, so that the share that arrived has a meaning.
    """

    counts: dict[str, int]

    @classmethod
    def of(cls, frame: pd.DataFrame) -> Settled:
        """Add up rows of deliveries.parquet."""
        return cls({name: int(frame[name].sum()) for name in DELIVERY_COUNTS})

    @property
    def due(self) -> int:
        """Deliveries that had to arrive."""
        return self.counts["expected"] - self.counts["superseded"] - self.counts["unsettled"]

    @property
    def arrived(self) -> int:
        """Deliveries that came, also those that came late or out of order."""
        return sum(self.counts[name] for name in ARRIVED)

    @property
    def share(self) -> float | None:
        """Share of what was due that arrived; None when nothing was."""
        return self.arrived / self.due if self.due else None

    @property
    def lost(self) -> int:
        """Deliveries that never came, the polling cursor's losses apart."""
        return self.counts["lost"] + self.counts["lost_after_ack"]

    @property
    def lost_by_cursor(self) -> int:
        """Events that polling nodes skipped by their own cursor rule."""
        return self.counts["lost_by_cursor"]
