"""How much of a scenario's traffic is in force when: the load shape of a lesson.

A shape is a step function of time, a factor on the traffic's rates. Its integral is load time: where the factor is 2,
two seconds of load time pass in each second. A timer that ticks every `period` seconds of load time therefore ticks
twice as often there, and its ticks stay one absolute schedule that forecast and generator compute alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from capacity.scenario.part import Part
from capacity.scenario.quantities import Seconds

ShapeName = Literal["steady", "steps", "spike", "bell"]
MAX_TIMES = 100.0

Floats = NDArray[np.float64]
_STEPS, _BELL_STEPS, _SPIKE = 4, 20, (0.2, 0.4, 0.6)


class Stage(Part):
    """A part of the hold and the share of the traffic that is in force in it, until the next stage begins."""

    from_s: Seconds = Field(alias="from", ge=0, le=86_400, examples=["20s"])
    """When it begins, counted from the beginning of the measuring window."""
    times: float = Field(ge=0, le=MAX_TIMES, examples=[3])
    """Factor on the rates of `traffic`; 0 is silence."""


def stages(shape: ShapeName | Sequence[Stage], hold_s: float) -> list[tuple[float, float]]:
    """A shape as (begin in seconds from the hold's beginning, factor), the first at 0."""
    if not isinstance(shape, str):
        return [(stage.from_s, stage.times) for stage in shape]
    if shape == "steps":
        return [(hold_s * step / _STEPS, (step + 1) / _STEPS) for step in range(_STEPS)]
    if shape == "spike":
        low, begin, end = _SPIKE
        return [(0.0, low), (begin * hold_s, 1.0), (end * hold_s, low)]
    if shape == "bell":  # (1 - cos) / 2 in the middle of each part
        middles = (np.arange(_BELL_STEPS) + 0.5) / _BELL_STEPS
        factors = (1 - np.cos(2 * np.pi * middles)) / 2
        return [(hold_s * step / _BELL_STEPS, float(factor)) for step, factor in enumerate(factors)]
    return [(0.0, 1.0)]


class LoadClock:
    """Load time against seconds. Before the hold the first stage's factor is in force, after it the last one's."""

    def __init__(self, hold_from_s: float, parts: Sequence[tuple[float, float]]) -> None:
        """`parts` are stages as `stages` gives them; the hold begins at `hold_from_s`."""
        self._begins_s = np.array([0.0, *(hold_from_s + begin for begin, _ in parts[1:])])
        self._times = np.array([times for _, times in parts])
        passed = np.diff(self._begins_s) * self._times[:-1]
        self._load_s = np.concatenate([[0.0], np.cumsum(passed)])
        self.is_steady = bool((self._times == 1).all())

    def from_moment(self, begin_s: float) -> LoadClock:
        """The same clock against seconds of which `begin_s` is this one's 0."""
        moved = copy(self)
        moved._begins_s = self._begins_s + begin_s
        return moved

    def after(self, time_s: float, period_s: float) -> float:
        """When `period_s` of load time more than at `time_s` have passed."""
        return time_s + period_s if self.is_steady else self.time_s(self.load_s(time_s) + period_s)

    @overload
    def load_s(self, time_s: float) -> float: ...
    @overload
    def load_s(self, time_s: Floats) -> Floats: ...
    def load_s(self, time_s: float | Floats) -> float | Floats:
        """Load time that has passed at `time_s`."""
        if self.is_steady:
            return time_s
        part = np.searchsorted(self._begins_s, time_s, side="right").clip(min=1) - 1
        found: Floats = self._load_s[part] + (time_s - self._begins_s[part]) * self._times[part]
        return found if isinstance(time_s, np.ndarray) else float(found)

    @overload
    def time_s(self, load_s: float) -> float: ...
    @overload
    def time_s(self, load_s: Floats) -> Floats: ...
    def time_s(self, load_s: float | Floats) -> float | Floats:
        """When so much load time has passed: the end of a silence rather than its beginning, infinity for never."""
        if self.is_steady:
            return load_s
        part = np.searchsorted(self._load_s, load_s, side="right").clip(min=1) - 1
        with np.errstate(divide="ignore", invalid="ignore"):
            ahead = (load_s - self._load_s[part]) / self._times[part]
        found = self._begins_s[part] + np.where(self._times[part] > 0, ahead, np.inf)
        return found if isinstance(load_s, np.ndarray) else float(found)


STEADY = LoadClock(0.0, [(0.0, 1.0)])
"""Load time is time."""
