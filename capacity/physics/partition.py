"""One partition: a range of the key space with its own buckets and its own heat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from capacity.physics.bucket import Bucket
from capacity.physics.heat import KeyLoads
from capacity.physics.parameters import Kind
from capacity.physics.placement import Bound


class Throttle(NamedTuple):
    """A limit that refused a request.

    ``limit`` is the middle of AWS's throttling reason (API_ThrottlingReason, 2025): ``ProvisionedThroughput``,
    ``KeyRangeThroughput``, ``AccountLimit`` or ``MaxOnDemandThroughput``.
    """

    limit: str

    def reason(self, resource: str, kind: Kind) -> str:
        """The whole reason, such as ``TableWriteKeyRangeThroughputExceeded``; ``resource`` is "Table" or "Index"."""
        return f"{resource}{kind.capitalize()}{self.limit}Exceeded"


PROVISIONED = Throttle("ProvisionedThroughput")
KEY_RANGE = Throttle("KeyRangeThroughput")
ACCOUNT = Throttle("AccountLimit")
MAXIMUM = Throttle("MaxOnDemandThroughput")

Limit = tuple[Bucket, Throttle]


class Partition:
    """Buckets and heat of one range; ``ThroughputResource`` moves it through time."""

    __slots__ = (
        "ceiling_met",
        "ceilings",
        "consumed",
        "hot_minutes",
        "kept_whole",
        "last_minute",
        "limits",
        "loads",
        "lower",
        "shares",
        "size_bytes",
        "split_at_s",
    )

    def __init__(self, lower: Bound, size_bytes: float) -> None:
        self.lower = lower
        self.size_bytes = size_bytes
        self.ceilings: dict[Kind, Bucket] = {}
        self.shares: dict[Kind, Bucket] = {}
        self.limits: dict[Kind, tuple[Limit, ...]] = {"read": (), "write": ()}
        self.consumed: dict[Kind, float] = {"read": 0.0, "write": 0.0}
        self.last_minute: dict[Kind, float] = {"read": 0.0, "write": 0.0}
        self.ceiling_met = False
        self.hot_minutes = 0
        self.loads: KeyLoads | None = None
        self.kept_whole = ""
        self.split_at_s: float | None = None

    def forget_heat(self) -> None:
        """Start the count of hot minutes anew."""
        self.consumed = {"read": 0.0, "write": 0.0}
        self.ceiling_met = False
        self.hot_minutes = 0
        self.loads = None
        self.kept_whole = ""


@dataclass(frozen=True, slots=True)
class PartitionView:
    """What ``ThroughputResource.partitions`` shows of a partition; units, units per second, bytes, epoch seconds."""

    lower_hash: int
    """First hash of its range."""
    lower_sort_key: bytes
    """First sort key of that hash; empty unless an item collection was split."""
    upper_hash: int
    """First hash beyond its range, 2**128 for the last one."""
    ceiling_level: dict[Kind, float]
    share: dict[Kind, float]
    """Units per second of the table's setting, world static only."""
    share_level: dict[Kind, float]
    """Unused share kept, up to 300 s; world static only."""
    consumed_last_minute: dict[Kind, float]
    hot_minutes: int
    """Hot minutes in a row so far."""
    size_bytes: float
    split_at_s: float | None
    """When a split under way becomes effective."""
    kept_whole: str
    """Why its heat is not split: "one item", "local secondary index", "monotonic sort key"; empty otherwise."""
