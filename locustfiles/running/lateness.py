"""How late the generator started what it had planned: the first sign that it, not the target, is the bottleneck."""

from __future__ import annotations

import numpy as np

_LIMITS_S = np.geomspace(1e-4, 100.0, 241)  # 40 bins per decade: a percentile is right to 6 %


class Lateness:
    """A histogram of late starts, in seconds, with the exact maximum."""

    def __init__(self) -> None:
        self._pending: list[float] = []
        self._counts = np.zeros(len(_LIMITS_S) + 1, dtype=np.int64)
        self.max_s = 0.0

    def add(self, late_s: float) -> None:
        """Count one start; an early one counts as punctual."""
        self._pending.append(late_s)
        if len(self._pending) >= 4096:
            self._settle()

    def _settle(self) -> None:
        if self._pending:
            late = np.array(self._pending)
            self._pending.clear()
            self.max_s = max(self.max_s, float(late.max()))
            self._counts += np.bincount(np.searchsorted(_LIMITS_S, late), minlength=len(self._counts))

    def quantile_s(self, share: float) -> float | None:
        """The upper edge of the bin that holds the quantile, at most the maximum; None when nothing was counted."""
        self._settle()
        total = int(self._counts.sum())
        if not total:
            return None
        bin_index = int(np.searchsorted(np.cumsum(self._counts), share * total))
        edge_s = float(_LIMITS_S[bin_index]) if bin_index < len(_LIMITS_S) else self.max_s
        return min(edge_s, self.max_s)

    def later_than(self, limit_s: float) -> int:
        """How many starts were later than `limit_s`, to the resolution of a bin."""
        self._settle()
        return int(self._counts[int(np.searchsorted(_LIMITS_S, limit_s, side="right")) :].sum())

    @property
    def total(self) -> int:
        """How many starts were counted."""
        self._settle()
        return int(self._counts.sum())

    def counts(self) -> list[int]:
        """Counts per bin, to be added to another process's by `merge`."""
        self._settle()
        return [int(count) for count in self._counts]

    def merge(self, counts: list[int], max_s: float) -> None:
        """Add what another process counted."""
        self._counts += np.array(counts, dtype=np.int64)
        self.max_s = max(self.max_s, max_s)
