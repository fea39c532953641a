"""One period's statistics: how often each value was seen, from which everything else follows."""

from __future__ import annotations

import math
from dataclasses import dataclass

MAX_DISTINCT_VALUES = 2_000
"""Of one series and period; above it values are kept to three digits."""


@dataclass(frozen=True, slots=True)
class Point:
    """One period's statistic set; counts maps value to sample count, or is None for a set without percentiles."""

    total: float
    samples: float
    minimum: float
    maximum: float
    counts: dict[float, float] | None

    @staticmethod
    def of(counts: dict[float, float]) -> Point:
        return Point(
            math.fsum(value * count for value, count in counts.items()),
            sum(counts.values()),
            min(counts),
            max(counts),
            counts,
        )

    def merge(self, other: Point) -> Point:
        """Both periods together; percentiles survive only when both have them."""
        counts: dict[float, float] | None = None
        if self.counts is not None and other.counts is not None:
            counts = dict(self.counts)
            for value, count in other.counts.items():
                counts[value] = counts.get(value, 0) + count
            if len(counts) > MAX_DISTINCT_VALUES:
                counts = _rounded(counts)
        return Point(
            self.total + other.total,
            self.samples + other.samples,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
            counts,
        )

    def percentile(self, percent: float) -> float | None:
        """The smallest value that at least `percent` of the samples do not exceed (nearest rank); None when unknown.

        CloudWatch interpolates inside its own buckets by a rule it does not publish; nearest rank returns a value that
        was really measured.
        """
        if self.counts is None:
            # A statistic set has percentiles only when all its values must be the same (API reference, PutMetricData).
            return self.minimum if self.samples == 1 or self.minimum == self.maximum else None
        rank = percent / 100 * self.samples
        seen = 0.0
        value = self.minimum
        for value in sorted(self.counts):
            seen += self.counts[value]
            if seen >= rank - 1e-9:
                break
        return value


def _rounded(counts: dict[float, float]) -> dict[float, float]:
    fewer: dict[float, float] = {}
    for value, count in counts.items():
        key = float(f"{value:.3g}")
        fewer[key] = fewer.get(key, 0) + count
    return fewer
