"""One limit, and the busiest second of a load against it."""

from __future__ import annotations

import numpy as np
from pydantic import BaseModel, ConfigDict

from capacity.workloads.stream import Floats


class LimitUse(BaseModel):
    """How near a load comes to one limit."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    name: str
    resource: str
    kind: str
    limit: float
    peak: float
    unit: str
    used: float
    """peak / limit."""
    reached_s: float | None
    """When the limit is passed first; None if it is not."""
    source: str


def limit_use(name: str, resource: str, kind: str, limit: float, per_s: Floats, unit: str, source: str) -> LimitUse:
    """A limit against use per second, one figure a second."""
    over, peak = np.flatnonzero(per_s > limit), float(per_s.max(initial=0.0))
    return LimitUse(
        name=name,
        resource=resource,
        kind=kind,
        limit=limit,
        peak=peak,
        unit=unit,
        used=peak / limit,
        reached_s=float(over[0]) if len(over) else None,
        source=source,
    )
