"""Which operation do units belong to that the model does not account for?

CloudWatch counts units per table and index, not per GraphQL operation. But operations differ in when and how often they
are sent, and a change of an operation's units leaves that shape behind: the surplus follows the operation's requests,
at a whole number of half units each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FEWEST_UNITS = 5.0
"""A surplus below this is noise: a request in flight at the end of a run, a late answer."""
GRAIN = 0.5
"""An eventually consistent read of up to 4 KB is half a unit; nothing is finer."""
OFF_GRAIN = 0.12
"""How far a surplus per request may lie from a multiple of the grain, as a share of the grain."""


@dataclass(frozen=True)
class Attribution:
    """An operation that accounts for a surplus: units more (or less) per request, and the share it explains."""

    operation: str
    units_per_request: float
    explained: float


def attribute(surplus: np.ndarray, requests: dict[str, np.ndarray]) -> Attribution | None:
    """Find the operation whose requests per period explain a surplus of units per period; None when none does well.

    Of operations that explain it about equally well, the one with the roundest figure per request is named.
    """
    size = float(np.square(surplus).sum())
    if abs(float(surplus.sum())) < FEWEST_UNITS or not size:
        return None
    found = []
    for operation, counts in requests.items():
        whole = float(np.square(counts).sum())
        total = float(counts.sum())
        if not whole or not total:
            continue
        units = float(surplus.sum()) / total
        explained = 1 - float(np.square(surplus - units * counts).sum()) / size
        grains = units / GRAIN
        off = abs(grains - round(grains))
        if explained > 0.5 and round(grains) and off < OFF_GRAIN:
            found.append((explained - off, Attribution(operation, round(grains) * GRAIN, explained)))
    return max(found, key=lambda candidate: candidate[0])[1] if found else None
