"""Which operation do units belong to that the model does not account for?

CloudWatch counts units per table and index, not per GraphQL operation. But operations differ in when and how often they
are sent, and a change of an operation's units leaves that shape behind: the surplus follows the operation's requests,
at a whole number of half units each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

FEWEST_UNITS = 5.0
"""A surplus below this is noise: a request in flight at the end of a run, a late answer."""
GRAIN = 0.5
"""An eventually consistent read of up to 4 KB is half a unit; nothing is finer."""
MOST_GRAINS = 20
EXPLAINED = 0.8
"""An operation is named when it takes away at least this share of what is left unexplained (sum of squares)."""
MOST_OPERATIONS = 3
PARSIMONY = 0.0002
"""What every grain costs a candidate: of two that fit alike, the one with fewer units per request is named."""


@dataclass(frozen=True)
class Attribution:
    """An operation that accounts for a surplus: units more (or less) per request, and the share it explains."""

    operation: str
    units_per_request: float
    explained: float


def attribute(surplus: np.ndarray, requests: Mapping[str, np.ndarray]) -> list[Attribution]:
    """Find the operations whose requests per period explain a surplus of units per period, the largest part first.

    `requests` holds only operations that can consume such units at all: one that writes nothing writes to no index.
    What no operation explains is left alone.
    """
    left = surplus.astype(float)
    found: list[Attribution] = []
    while len(found) < MOST_OPERATIONS and abs(float(left.sum())) >= FEWEST_UNITS:
        size = float(np.square(left).sum())
        named = {each.operation for each in found}
        candidates = []
        for operation, counts in requests.items():
            grains = _grains(left, counts)
            if operation in named or not grains:
                continue
            rest = float(np.square(left - grains * GRAIN * counts).sum())
            candidates.append((rest / size + PARSIMONY * abs(grains), operation, grains * GRAIN, 1 - rest / size))
        if not candidates:
            break
        _, operation, units, explained = min(candidates)
        if explained < EXPLAINED:
            break
        found.append(Attribution(operation, units, explained))
        left = left - units * requests[operation]
    return found


def _grains(surplus: np.ndarray, counts: np.ndarray) -> int:
    """Return the whole number of grains per request that fits best, 0 when none does."""
    whole = float(np.square(counts).sum())
    if not whole:
        return 0
    grains = round(float((surplus * counts).sum()) / whole / GRAIN)
    return grains if abs(grains) <= MOST_GRAINS else 0
