"""Which key the next request goes to: uniform, zipfian, one hot key, or one after the other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np

FORMS = "uniform, zipfian, zipfian:1.2, hot:0.9 or sequential"
Chooser = Callable[[], int]
_BATCH = 4096


def chooser(distribution: str, keys: int, seed: int, start: int = 0) -> Chooser:
    """A function that gives the next key's number, from 0 to keys - 1.

    uniform: each alike. zipfian:s: key k with a weight of 1 / (k + 1) ** s, s = 1 unless given. hot:p: key 0 with
    probability p, all others alike. sequential: start, start + 1, ... and round again.

    Raises ValueError, with the forms there are, for anything else.
    """
    name, _, parameter = distribution.partition(":")
    if name == "sequential" and not parameter:
        numbers = itertools.count(start)
        return lambda: next(numbers) % keys
    generator = np.random.default_rng(seed)
    if name == "uniform" and not parameter:
        return _drawn(lambda: generator.integers(keys, size=_BATCH))
    number = _number(parameter or ("1" if name == "zipfian" else ""))
    if name == "zipfian" and number is not None and 0 < number <= 10:
        weights = 1.0 / np.arange(1, keys + 1) ** number
        edges = np.cumsum(weights) / weights.sum()
        return _drawn(lambda: np.minimum(np.searchsorted(edges, generator.random(_BATCH), side="right"), keys - 1))
    if name == "hot" and number is not None and 0 <= number <= 1:
        others = max(1, keys - 1)

        def draw() -> np.ndarray:
            cold = (1 + generator.integers(others, size=_BATCH)) % keys
            return np.where(generator.random(_BATCH) < number, 0, cold)

        return _drawn(draw)
    raise ValueError(f"distribution {distribution!r} is none; write {FORMS}")


def _drawn(draw: Callable[[], np.ndarray]) -> Chooser:
    def numbers() -> itertools.chain[int]:
        return itertools.chain.from_iterable(draw().tolist() for _ in itertools.count())

    drawn = numbers()
    return lambda: next(drawn)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
