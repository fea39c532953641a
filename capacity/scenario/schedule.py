"""When the nodes of a scenario arrive, work and leave."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from capacity.scenario.load_shape import LoadClock, ShapeName, Stage, stages
from capacity.scenario.part import Part
from capacity.scenario.quantities import Seconds

ArrivalCurve = Literal["even", "bell", "steps", "spike"]

MIN_BREAK_S = 5.0
"""Members and hosts leave within a second and a half; what is left is for their answers."""


def _or_a_file(schema: dict[str, Any]) -> None:
    """What the reader of scenario files puts moments in the place of."""
    file = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}
    schema["anyOf"].append(file | {"additionalProperties": False})


class Schedule(Part):
    """When nodes arrive, work and leave, in seconds from the start of the run.

    Node i of N (groups in order, each group's host first) arrives at `ramp_s * i / N`, or as `arrivals` says. Its
    timers run from its arrival in the group until `ramp_s + warm_up_s + hold_s`, each on its own absolute schedule with
    its own phase. Then nothing new is sent for `drain_s` while late deliveries come in, and every node leaves. Only the
    hold is judged. With several lessons all of this happens again after each break, with new groups in the same
    domains, and what is judged lasts from the first hold's beginning to the last one's end.
    """

    ramp_s: Seconds = Field(alias="ramp", le=86_400, examples=["10s"])
    hold_s: Seconds = Field(alias="hold", gt=0, le=86_400, examples=["60s"])
    drain_s: Seconds = Field(5.0, alias="drain", le=3_600, examples=["5s"])
    arrivals: ArrivalCurve | tuple[Seconds, ...] = Field("even", examples=["bell"], json_schema_extra=_or_a_file)
    """How nodes arrive within the ramp. `even`; `bell`: few, many, few, as when a lesson begins; `steps`: a quarter of
    them at once, four times; `spike`: all at once in the middle; or the moments of a recorded arrival, in seconds from
    the start and in rising order, which any number of nodes replays. `{file: arrivals.txt}` takes the moments from a
    file beside this one, one a line: seconds from the start, or ISO 8601 times, counted from the first."""
    warm_up_s: Seconds = Field(0.0, alias="warm_up", le=86_400, examples=["10s"])
    """Everybody is there and works, but is not judged yet; it comes between the ramp and the hold."""
    shape: ShapeName | tuple[Stage, ...] = Field("steady", examples=[[{"from": "0s", "times": 1}]])
    """How much of the traffic is in force over the hold. `steady`: all of it; `steps`: a quarter, half, three quarters,
    all; `spike`: a fifth, all of it in the middle fifth of the hold, a fifth; `bell`: it rises from nothing to all and
    falls again; or stages of one's own."""
    lessons: int = Field(1, ge=1, le=100, examples=[3])
    break_s: Seconds = Field(0.0, alias="break", le=86_400, examples=["10m"])
    """Between two lessons, from the moment at which the first one's nodes leave."""

    @model_validator(mode="after")
    def _arrive_within_the_ramp(self) -> Schedule:
        if isinstance(self.arrivals, str):
            return self
        if not self.arrivals or list(self.arrivals) != sorted(self.arrivals) or self.arrivals[-1] > self.ramp_s:
            raise ValueError(
                f"arrivals must be moments in rising order within the ramp of {self.ramp_s:g} s, like [0s, 1.5s, 4s]"
            )
        return self

    @model_validator(mode="after")
    def _time_to_leave(self) -> Schedule:
        if self.lessons > 1 and self.break_s < MIN_BREAK_S:
            raise ValueError(
                f"a break of {self.break_s:g} s is shorter than the {MIN_BREAK_S:g} s that leaving takes: "
                f"write break: {MIN_BREAK_S:g}s or more"
            )
        return self

    @model_validator(mode="after")
    def _stages_in_order(self) -> Schedule:
        if isinstance(self.shape, str):
            return self
        begins = [stage.from_s for stage in self.shape]
        if not begins or begins[0] != 0 or begins != sorted(set(begins)) or begins[-1] >= self.hold_s:
            raise ValueError(
                f"shape must be stages that begin in rising order, the first at 0s and the last within the hold of "
                f"{self.hold_s:g} s, like [{{from: 0s, times: 1}}, {{from: {self.hold_s / 2:g}s, times: 3}}]"
            )
        if not self.peak_times:
            raise ValueError("shape is silence from beginning to end; give a stage more, like {from: 0s, times: 1}")
        return self

    @property
    def measuring_from_s(self) -> float:
        """Seconds from the start until the measuring window begins; within each lesson, until its hold does."""
        return self.ramp_s + self.warm_up_s

    @property
    def lesson_sending_s(self) -> float:
        """Seconds from the start of a lesson until its timers stop."""
        return self.measuring_from_s + self.hold_s

    @property
    def lesson_s(self) -> float:
        """Seconds from the start of a lesson until its nodes leave."""
        return self.lesson_sending_s + self.drain_s

    def lesson_from_s(self, lesson: int) -> float:
        """Seconds from the start until a lesson begins, the first of them 0."""
        return lesson * (self.lesson_s + self.break_s)

    def lesson_at(self, time_s: float) -> int:
        """The lesson that is on, or the break after it, at a moment from the start."""
        return min(self.lessons - 1, int(max(0.0, time_s) // self.lesson_from_s(1)))

    @property
    def sending_s(self) -> float:
        """Seconds from the start until the last timers stop."""
        return self.lesson_from_s(self.lessons - 1) + self.lesson_sending_s

    @property
    def total_s(self) -> float:
        """Seconds from the start until the last nodes leave."""
        return self.sending_s + self.drain_s

    @property
    def measuring_s(self) -> float:
        """Length of the measuring window in seconds."""
        return self.sending_s - self.measuring_from_s

    @property
    def peak_times(self) -> float:
        """The largest factor of the shape on the traffic's rates."""
        return max(times for _, times in stages(self.shape, self.hold_s))

    def load_clock(self) -> LoadClock:
        """Load time against seconds from the start of a lesson."""
        return LoadClock(self.measuring_from_s, stages(self.shape, self.hold_s))
