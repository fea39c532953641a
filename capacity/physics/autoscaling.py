"""DynamoDB auto scaling: target tracking on consumed capacity (physics rule 11)."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from capacity.physics.decreases import DecreaseAllowance


@dataclass(frozen=True, slots=True)
class TargetTracking:
    """One scaling policy of one dimension (reads or writes) of a table or index.

    :raises ValueError: naming every setting out of range.
    """

    minimum_units: float
    """Units per second it never goes below."""
    maximum_units: float
    """Units per second it never goes above."""
    target: float = 0.7
    """Share of the capacity that should be consumed; AWS allows 0.2 to 0.9 (guide, AutoScaling; high)."""
    up_minutes: int = 2
    """Minutes in a row above the target that raise the capacity (guide, metrics-dimensions; high). It was 5 in 2017."""
    down_minutes: int = 15
    """Minutes in a row below target - ``down_margin`` that lower it (same; high)."""
    down_margin: float = 0.2
    """Distance of the lower alarm from the target (alarms of live accounts, see docs/physics.md; high)."""
    alarm_delay_s: float = 0.0
    """From the end of the minute to the decision. CloudWatch may lag "up to a few minutes" (guide; middle)."""
    update_delay_s: float = 60.0
    """From the decision to the new capacity: "several minutes" (guide), "tens of seconds" (AWS workshop); middle."""

    def __post_init__(self) -> None:
        faults = []
        if not 0 < self.minimum_units <= self.maximum_units:
            faults.append(
                f"minimum_units {self.minimum_units!r} and maximum_units {self.maximum_units!r} were given; "
                "expected 0 < minimum <= maximum, such as 5 and 100"
            )
        if not 0.2 <= self.target <= 0.9:
            faults.append(f"target {self.target!r} was given; expected 0.2 to 0.9, such as 0.7")
        if faults:
            raise ValueError("; ".join(faults))

    def high_threshold(self, capacity_units: float) -> float:
        """Units in a minute above which the high alarm counts: 42 at capacity 1 and 70 %."""
        return self.target * capacity_units * 60.0

    def low_threshold(self, capacity_units: float) -> float:
        """Units in a minute below which the low alarm counts: 30 at capacity 1 and 70 %."""
        return (self.target - self.down_margin) * capacity_units * 60.0


class Autoscaler:
    """Watches the minutes of one dimension and asks for new capacity; the caller applies it when it is due."""

    def __init__(self, policy: TargetTracking, capacity_units: float, now_s: float) -> None:
        self.policy = policy
        self.capacity_units = capacity_units
        self.due_s: float | None = None
        """When the capacity asked for takes effect; None while nothing is under way."""
        self._asked_units = capacity_units
        self._minutes: deque[float | None] = deque(maxlen=max(policy.up_minutes, policy.down_minutes))
        self._decreases = DecreaseAllowance(now_s)

    def end_minute(self, now_s: float, consumed_units: float | None) -> None:
        """A minute ended at ``now_s``; None if CloudWatch has no point, which scales nothing.

        The new capacity is consumed / target within the policy's bounds: of the last minute on the way up, of the
        highest alarm minute on the way down, rounded up.
        """
        self._minutes.append(consumed_units)
        if self.due_s is not None:
            return
        policy, capacity = self.policy, self.capacity_units
        high = self._last(policy.up_minutes)
        low = self._last(policy.down_minutes)
        if high and min(high) > policy.high_threshold(capacity):
            wanted = self._fitting(high[-1])
            if wanted > capacity:
                self._ask(now_s, wanted)
        elif low and max(low) < policy.low_threshold(capacity):
            wanted = self._fitting(max(low))
            if wanted < capacity and self._decreases.take(now_s):
                self._ask(now_s, wanted)

    def apply(self, now_s: float) -> float | None:
        """The capacity that takes effect by ``now_s``, once; None if there is nothing to apply."""
        if self.due_s is None or now_s < self.due_s:
            return None
        self.due_s = None
        self.capacity_units = self._asked_units
        return self.capacity_units

    def _last(self, count: int) -> list[float]:
        """The last minutes, or nothing while points are missing."""
        if len(self._minutes) < count:
            return []
        last = list(self._minutes)[-count:]
        return [] if None in last else [units for units in last if units is not None]

    def _fitting(self, units_in_a_minute: float) -> float:
        # A hair less than the quotient still rounds to it: 42 / 60 / 0.7 is one unit, not two.
        wanted = math.ceil(units_in_a_minute / 60.0 / self.policy.target - 1e-9)
        return float(min(max(wanted, self.policy.minimum_units), self.policy.maximum_units))

    def _ask(self, now_s: float, units: float) -> None:
        self._asked_units = units
        self.due_s = now_s + self.policy.alarm_delay_s + self.policy.update_delay_s
