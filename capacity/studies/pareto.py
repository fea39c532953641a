"""Which of many settings are not beaten by another in every figure."""

from __future__ import annotations

from bisect import bisect_left, insort

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def pareto_front(usd: Floats, detection_s: Floats, false_drop: Floats) -> NDArray[np.int64]:
    """Rows that no other row equals or beats in all three figures, cheapest first; of equal rows the first.

    A sweep over rising dollars keeps the staircase of (detection, false drop) that is not beaten so far.
    """
    front: list[int] = []
    stairs: list[tuple[float, float]] = []  # detection rising, false drop falling
    for row in np.lexsort((false_drop, detection_s, usd)).tolist():
        detection, drop = float(detection_s[row]), float(false_drop[row])
        place = bisect_left(stairs, (detection, float("inf")))
        if place and stairs[place - 1][1] <= drop:
            continue
        front.append(row)
        start = bisect_left(stairs, (detection, drop))
        end = start
        while end < len(stairs) and stairs[end][1] >= drop:
            end += 1
        del stairs[start:end]
        insort(stairs, (detection, drop))
    return np.array(front, np.int64)
