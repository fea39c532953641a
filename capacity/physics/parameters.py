"""Every number of the throughput physics that AWS does not let you set, with its source and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["read", "write"]
"""Which of the two independent throughputs of a table or index: they never share a bucket."""

KINDS: tuple[Kind, Kind] = ("read", "write")

World = Literal["static", "adaptive", "on_demand", "off"]
"""Whose physics: ``static`` is DynamoDB as the AWS Black Belt deck taught it (2015-2017: an even split, nothing moves),
``adaptive`` is a provisioned table today, ``on_demand`` an on-demand one, ``off`` throttles nothing."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters of the physics; the defaults are the rules of docs/physics.md.

    Confidence: high = published by AWS and stable; middle = published but incomplete; low = our decision from few
    observations.
    """

    ceiling_read_units: float = 3000.0
    """Read units per second of one partition (AWS guide, bp-partition-key-design, 2023-02; high)."""
    ceiling_write_units: float = 1000.0
    """Write units per second of one partition (same; high)."""
    read_ceiling_factor: float = 1.0
    """Multiplies the read ceiling: 1.5 was seen once with eventual reads (AWS Database Blog, "Scaling DynamoDB",
    part 2, 2023-01; low)."""
    partition_bytes: float = 10e9
    """Bytes after which a partition splits for size (Black Belt deck, slide 38: about 10 GB; high)."""
    burst_s: float = 300.0
    """Seconds of unused capacity that are kept (deck, slides 44-45; guide, burst-adaptive-capacity; high).
    The deck prints 1,200 x 300 as 3,600 units; it is 360,000."""
    heat_share: float = 0.9
    """A minute is hot when it consumed this share of the ceiling, or met the ceiling (low)."""
    heat_minutes: int = 8
    """Hot minutes in a row before a split (third-party test, 2020: about 8 minutes to the first split; low)."""
    split_delay_s: float = 60.0
    """From the decision to the day the halves serve (ATC'22: "minutes"; low)."""
    append_share: float = 0.9
    """Share of a hot key's writes landing beyond its newest sort key that makes it monotonic, hence not split (low)."""
    on_demand_read_units: float = 12_000.0
    """A new on-demand table sustains this (AWS guide, on-demand-capacity-mode; high)."""
    on_demand_write_units: float = 4_000.0
    """Same, writes (high)."""
    peak_factor: float = 2.0
    """On demand serves at once up to this multiple of the previous peak (same page; high)."""
    peak_age_s: float = 1800.0
    """A peak counts once it is this old (same page: "within 30 minutes"; middle)."""
    quota_read_units: float = 40_000.0
    """On-demand quota of one table or index (AWS guide, ServiceQuotas, 2023-02; high, adjustable per account)."""
    quota_write_units: float = 40_000.0
    """Same, writes."""

    def ceiling(self, kind: Kind) -> float:
        """Units per second that one partition can serve."""
        return self.ceiling_read_units * self.read_ceiling_factor if kind == "read" else self.ceiling_write_units

    def on_demand_start(self, kind: Kind) -> float:
        """Units per second of a new on-demand table."""
        return self.on_demand_read_units if kind == "read" else self.on_demand_write_units

    def quota(self, kind: Kind) -> float:
        """Units per second that the account lets one on-demand table or index reach."""
        return self.quota_read_units if kind == "read" else self.quota_write_units


DEFAULT = Parameters()
