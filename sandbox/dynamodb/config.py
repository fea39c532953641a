"""What an engine is told at construction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from capacity.physics.parameters import Parameters

World = Literal["static", "adaptive", "off"]


@dataclass(frozen=True)
class EngineConfig:
    """Settings of one engine: one account in one region.

    `world`: physics of provisioned tables, "static" (even split) or "adaptive"; on-demand tables have their own;
    "off" turns all limits off.
    """

    region: str = "ap-northeast-1"
    account_id: str = "000000000000"
    world: World = "adaptive"
    parameters: Parameters = field(default_factory=Parameters)
    index_queue_s: float = 30.0
    """Size of the queue before each global index, in seconds of the table's write rate."""
    ttl_lag_s: tuple[float, float] = (480.0, 1800.0)
    """A deletion by TTL comes this long after expiry, drawn evenly (AWS promises days; measured: 8 to 30 minutes)."""
    most_units: int = 4_000_000
    """Provisioned or warm units per second that a table or index may be given. AWS: 40,000 until raised on request;
    here it only keeps the number of partitions within reason."""
    item_collection_bytes: int = 10 << 30
    """Largest item collection of a table with a local index (Developer Guide, LSI, 2023-02)."""
    table_delay_s: float = 0.0
    """How long a table or index stays CREATING, UPDATING or DELETING."""
    backfill_items_per_s: float = 0.0
    """Rate at which a new index takes in existing items; 0 = at once."""
    secret_access_key: str | None = None
    """When set, signatures are checked against it; otherwise any well-formed one will do."""
    seed: int = 1
