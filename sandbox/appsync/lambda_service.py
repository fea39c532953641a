"""One Lambda function as its caller sees it: execution environments, cold starts, concurrency, metrics."""

from __future__ import annotations

import random
from collections.abc import Callable

from sandbox.appsync.behaviour import Behaviour
from sandbox.appsync.metrics import LambdaMetrics


class LambdaFunction:
    """Counts what runs. Delays are only reckoned, for the answer to wait; nothing here waits.

    clock: epoch seconds. dice: seeded, for delays.
    """

    def __init__(
        self, metrics: LambdaMetrics, behaviour: Behaviour, clock: Callable[[], float], dice: random.Random
    ) -> None:
        self.metrics = metrics
        self._behaviour = behaviour
        self._clock = clock
        self._dice = dice
        self._free_at_s: list[float] = []  # one entry per environment, busy ones lie in the future
        self._imitated = any((behaviour.lambda_concurrency, behaviour.lambda_duration, behaviour.lambda_cold_start))

    def begin(self) -> float | None:
        """Start an execution: the seconds it takes (0 when no delay is imitated), or None when it is throttled."""
        if not self._imitated:
            self.metrics.concurrent(1)
            return 0.0
        behaviour = self._behaviour
        now_s = self._clock()
        kept_s = now_s - behaviour.lambda_idle_s
        environments = self._free_at_s = [free_s for free_s in self._free_at_s if free_s > kept_s]
        busy = sum(free_s > now_s for free_s in environments)
        if behaviour.lambda_concurrency is not None and busy >= behaviour.lambda_concurrency:
            self.metrics.throttled()
            return None
        duration_s = behaviour.lambda_duration.sample_s(self._dice) if behaviour.lambda_duration else 0.0
        idle = [free_s for free_s in environments if free_s <= now_s]
        if idle:
            environments.remove(max(idle))
        elif behaviour.lambda_cold_start is not None:
            duration_s += behaviour.lambda_cold_start.sample_s(self._dice)
        environments.append(now_s + duration_s)
        self.metrics.concurrent(busy + 1)
        return duration_s

    def end(self, duration_s: float, failed: bool) -> None:
        """Count a finished execution."""
        self.metrics.invoked(duration_s * 1000.0, failed)
