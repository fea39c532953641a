"""AWS::DynamoDB::GlobalTable: writes are set once for all replicas, reads per replica; the first one counts here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from capacity.dynamodb.table import Index, Throughput
from capacity.physics.autoscaling import TargetTracking
from capacity.templates.description import Dimension, Place
from capacity.templates.keys import indexes_of
from capacity.templates.parts import Part
from capacity.templates.scaling import policy


@dataclass
class GlobalSettings:
    """Indexes, throughput and auto scaling of a global table in its first region."""

    indexes: tuple[Index, ...] = ()
    throughput: Throughput | None = None
    scaling: Mapping[Dimension, TargetTracking] = field(default_factory=dict)
    index_places: Mapping[str, Place] = field(default_factory=dict)


def global_table_of(part: Part, on_demand: bool) -> GlobalSettings:
    """Read the settings of a GlobalTable's properties; faults go to the part."""
    scaling: dict[Dimension, TargetTracking] = {}
    replica = next(part.parts("Replicas"), None) or part.part("-")
    throughput = None if on_demand else _throughput(part, replica, None, scaling)
    replica_indexes = {each.content.get("IndexName"): each for each in replica.parts("GlobalSecondaryIndexes")}

    def of_index(index: Part) -> Throughput | None:
        name: Any = index.content.get("IndexName")
        return None if on_demand else _throughput(index, replica_indexes.get(name, replica.part("-")), name, scaling)

    indexes, places = indexes_of(part, of_index)
    return GlobalSettings(indexes, throughput, scaling, places)


def _throughput(
    writes: Part, reads: Part, index: str | None, scaling: dict[Dimension, TargetTracking]
) -> Throughput | None:
    write = _units(writes, "Write", (index, "write"), scaling)
    read = _units(reads, "Read", (index, "read"), scaling)
    return None if read is None or write is None else Throughput(read, write)


def _units(part: Part, word: str, dimension: Dimension, scaling: dict[Dimension, TargetTracking]) -> float | None:
    """Units at the start: fixed, or the seed or minimum of auto scaling."""
    settings = part.part(f"{word}ProvisionedThroughputSettings")
    if not settings.has(f"{word}CapacityAutoScalingSettings"):
        return settings.number(f"{word}CapacityUnits", "5")
    scaled = settings.part(f"{word}CapacityAutoScalingSettings")
    lowest, highest = scaled.number("MinCapacity", "1"), scaled.number("MaxCapacity", "100")
    tracking = scaled.part("TargetTrackingScalingPolicyConfiguration")
    target = tracking.number("TargetValue", "70")
    if lowest is None or highest is None or target is None:
        return None
    found = policy(scaled, lowest, highest, target)
    if found is not None:
        scaling[dimension] = found
    return scaled.number("SeedCapacity", "5") if scaled.has("SeedCapacity") else lowest
