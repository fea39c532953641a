"""One period's statistics: how often each value was seen, from which everything else follows."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

EXACT_VALUES = 200
"""A period with more distinct values keeps them in buckets of 2 %; sum, count, minimum and maximum stay exact."""
_BUCKET = math.log(1.02)


@dataclass(frozen=True, slots=True)
class Point:
    """One period's statistic set. values (ascending) and counts say how often each was seen; both are None for a set
    without percentiles."""

    total: float
    samples: float
    minimum: float
    maximum: float
    values: array[float] | None = None
    counts: array[float] | None = None

    @staticmethod
    def of(counts: Mapping[float, float]) -> Point:
        """From a table of value to sample count, which must not be empty."""
        values = np.fromiter(counts.keys(), np.float64, len(counts))
        times = np.fromiter(counts.values(), np.float64, len(counts))
        return Point(
            math.fsum(value * count for value, count in counts.items()),
            float(times.sum()),
            float(values.min()),
            float(values.max()),
            *_packed(values, times),
        )

    @property
    def distinct(self) -> int:
        """Entries held, at least one."""
        return len(self.values) if self.values is not None else 1

    def merge(self, other: Point) -> Point:
        """Both periods together; percentiles survive only when both have them."""
        values = counts = None
        if self.values is not None and other.values is not None:
            values, counts = _packed(
                np.concatenate((np.asarray(self.values), np.asarray(other.values))),
                np.concatenate((np.asarray(self.counts), np.asarray(other.counts))),
            )
        return Point(
            self.total + other.total,
            self.samples + other.samples,
            min(self.minimum, other.minimum),
            max(self.maximum, other.maximum),
            values,
            counts,
        )

    def percentile(self, percent: float) -> float | None:
        """The smallest value that at least `percent` of the samples do not exceed (nearest rank); None when unknown.

        CloudWatch interpolates inside its own buckets by a rule it does not publish; nearest rank returns a value that
        was really measured.
        """
        if self.values is None or self.counts is None:
            # A statistic set has percentiles only when all its values must be the same (API reference, PutMetricData).
            return self.minimum if self.samples == 1 or self.minimum == self.maximum else None
        rank = percent / 100 * self.samples
        seen = 0.0
        for value, count in zip(self.values, self.counts, strict=True):
            seen += count
            if seen >= rank - 1e-9:
                return value
        return self.maximum


def _packed(values: np.ndarray, counts: np.ndarray) -> tuple[array[float], array[float]]:
    """Ascending values with their counts: equal values once, and close ones too when there are very many."""
    order = np.argsort(values, kind="stable")
    values, counts = values[order], counts[order]
    values, counts = _joined(values, counts, values)
    if len(values) > EXACT_VALUES:
        size = np.abs(values)
        bucket = np.floor(np.log(np.where(size > 0, size, 1.0)) / _BUCKET) + 100_000  # above 0 for every number
        values, counts = _joined(values, counts, np.sign(values) * bucket)
    return array("d", values.tobytes()), array("d", counts.tobytes())


def _joined(values: np.ndarray, counts: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours of equal key become one entry, which bears the largest of their values."""
    last = np.flatnonzero(np.append(keys[1:] != keys[:-1], True))
    first = np.append(0, last[:-1] + 1)
    return values[last], np.add.reduceat(counts, first)
