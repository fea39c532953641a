"""What of AWS's limits and delays a sandbox imitates. Everything is off unless it is switched on.

Source of the quotas: AWS General Reference, "AWS AppSync endpoints and quotas", and the Lambda developer guide,
"Lambda quotas" (both read 2026-11).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace

_HIGH_TOKEN_REGIONS = frozenset(
    (
        "us-east-1",
        "us-east-2",
        "us-west-2",
        "ap-northeast-1",
        "ap-northeast-2",
        "ap-south-1",
        "ap-southeast-1",
        "ap-southeast-2",
        "eu-central-1",
        "eu-west-1",
        "eu-west-2",
    )
)
_Z_99 = 2.3263478740408408  # the standard normal distribution's 99th percentile


@dataclass(frozen=True)
class Delay:
    """A log-normal delay by its median and 99th percentile, in milliseconds.

    Raises ValueError when the median is not above 0 or the 99th percentile lies below it.
    """

    median_ms: float
    p99_ms: float

    def __post_init__(self) -> None:
        if not 0 < self.median_ms <= self.p99_ms:
            raise ValueError(
                f"a delay needs 0 < median <= p99, got median {self.median_ms} ms and p99 {self.p99_ms} ms; "
                "example: Delay(median_ms=20, p99_ms=120)"
            )

    def sample_s(self, dice: random.Random) -> float:
        """One delay in seconds."""
        sigma = math.log(self.p99_ms / self.median_ms) / _Z_99
        return self.median_ms / 1000.0 * math.exp(sigma * dice.gauss(0.0, 1.0))


@dataclass(frozen=True)
class Behaviour:
    """Quotas and delays of one API and its Lambda function; None switches one off."""

    request_tokens_per_s: float | None = None
    """GraphQL request tokens of the account and region."""
    connects_per_s: float | None = None
    """WebSocket connect requests of the API."""
    inbound_messages_per_s: float | None = None
    """Publications of the API: one per subscription field that a mutation triggers."""
    outbound_messages_per_s: float | None = None
    """Messages delivered by the API, in units of 5 kB."""
    message_delay_s: float = 1.0
    """How long a publication over either quota waits at most, before it is dropped. AWS says that there is such a delay
    and names no figure; this one is an assumption."""
    connections: int | None = None
    """Open WebSockets. AWS publishes no such quota; an account may still want to see one."""
    latency: Delay | None = None
    """What AppSync itself adds to an answer."""
    lambda_concurrency: int | None = None
    """Executions at the same time; the next one is throttled."""
    lambda_duration: Delay | None = None
    lambda_cold_start: Delay | None = None
    """Added when no idle environment is left."""
    lambda_idle_s: float = 300.0
    """How long an idle environment is kept. AWS names no figure; this one is an assumption."""

    @classmethod
    def quotas_of(cls, region: str) -> Behaviour:
        """AWS's default quotas in a region, without delays."""
        return cls(
            request_tokens_per_s=10_000 if region in _HIGH_TOKEN_REGIONS else 5_000,
            connects_per_s=2_000,
            inbound_messages_per_s=10_000,
            outbound_messages_per_s=1_000_000,
            lambda_concurrency=1_000,
        )

    def with_delays(self, latency: Delay | None, function: Delay | None, cold_start: Delay | None) -> Behaviour:
        """The same quotas with delays."""
        return replace(self, latency=latency, lambda_duration=function, lambda_cold_start=cold_start)


class RateLimit:
    """A bucket that holds one second's worth; None never refuses, and never looks at the clock (seconds)."""

    __slots__ = ("_clock", "_level", "_per_s", "_since_s")

    def __init__(self, per_s: float | None, clock: Callable[[], float]) -> None:
        self._per_s = per_s
        self._clock = clock
        self._level = per_s or 0.0
        self._since_s = -math.inf

    def take(self, amount: float = 1.0) -> bool:
        """Whether `amount` is granted now."""
        if self._per_s is None:
            return True
        if not self.holds(amount):
            return False
        self._level -= amount
        return True

    def holds(self, amount: float = 1.0) -> bool:
        """Whether `amount` would be granted now."""
        per_s = self._per_s
        if per_s is None:
            return True
        now_s = self._clock()
        if now_s > self._since_s:
            self._level = min(per_s, self._level + (now_s - self._since_s) * per_s)
            self._since_s = now_s
        return self._level >= amount

    def charge(self, amount: float) -> None:
        """Take `amount` whatever is left; the bucket may go into debt."""
        if self._per_s is not None:
            self._level -= amount

    def wait_s(self, amount: float = 1.0) -> float:
        """Seconds from the last look at the clock until `amount` will be granted."""
        return 0.0 if self._per_s is None else max(0.0, amount - self._level) / self._per_s
