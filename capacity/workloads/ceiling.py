"""One limit, and the busiest second of a load against it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from capacity.workloads.stream import Floats


@dataclass(frozen=True)
class Ceiling:
    """`reached_s` is the first second in which the limit is passed; None when none does."""

    name: str
    resource: str
    kind: str
    limit: float
    peak: float
    unit: str
    reached_s: float | None
    source: str


def ceiling(name: str, resource: str, kind: str, limit: float, per_s: Floats, unit: str, source: str) -> Ceiling:
    """A limit against use per second, one figure a second."""
    over = np.flatnonzero(per_s > limit)
    reached_s = float(over[0]) if len(over) else None
    return Ceiling(name, resource, kind, limit, float(per_s.max(initial=0.0)), unit, reached_s, source)
