"""Which buckets a world has, for the whole table or index and for each partition (physics rules 3 to 6)."""

from __future__ import annotations

import math

from capacity.physics.bucket import Bucket
from capacity.physics.parameters import KINDS, Kind, Parameters
from capacity.physics.partition import ACCOUNT, KEY_RANGE, MAXIMUM, PROVISIONED, Limit, Partition, Throttle
from capacity.physics.settings import Settings


def needed_partitions(
    settings: Settings, parameters: Parameters, *, peak: dict[Kind, float], size_bytes: float = 0.0, new: bool = False
) -> int:
    """Partitions that settings, size and past consumption ask for (physics rule 2).

    Provisioned: reads / 3,000 + writes / 1,000, or 10 GB each, whichever is more, rounded up (Black Belt deck of 2015,
    slide 38; high). On demand: as many as carry the larger of start value, warm throughput and twice the previous peak.

    :param peak: previous peak in units per second, on demand.
    :param new: a new on-demand table has its start value.
    """
    if settings.world == "on_demand":
        by_rate = max(
            max(
                parameters.on_demand_start(kind) if new else 0.0,
                settings.warm(kind),
                parameters.peak_factor * peak[kind],
            )
            / parameters.ceiling(kind)
            for kind in KINDS
        )
    else:
        by_rate = settings.provisioned("read") / parameters.ceiling_read_units
        by_rate += settings.provisioned("write") / parameters.ceiling_write_units
    return max(1, math.ceil(by_rate), math.ceil(size_bytes / parameters.partition_bytes))


def tune_table(
    held: tuple[Limit, ...], settings: Settings, parameters: Parameters, kind: Kind, warm_units: float, now_s: float
) -> tuple[Limit, ...]:
    """Buckets that the whole table or index shares, with their rates as of now; buckets that were there go on.

    :param warm_units: units per second that an on-demand table serves at once.
    """
    wanted: list[tuple[float, float, Throttle]] = []
    if settings.world == "adaptive":
        wanted.append((settings.provisioned(kind), parameters.burst_s, PROVISIONED))
    elif settings.world == "on_demand":
        wanted.append((warm_units, 1.0, KEY_RANGE))
        wanted.append((parameters.quota(kind), 1.0, ACCOUNT))
        maximum = settings.maximum(kind)
        if maximum is not None:
            wanted.append((maximum, 1.0, MAXIMUM))
    buckets = {throttle: bucket for bucket, throttle in held}
    limits = []
    for rate, depth_s, throttle in wanted:
        bucket = buckets.get(throttle)
        if bucket is None:
            bucket = Bucket(rate, depth_s, now_s)
        else:
            bucket.retune(now_s, rate, depth_s)
        limits.append((bucket, throttle))
    return tuple(limits)


def fill_partition(
    partition: Partition, settings: Settings, parameters: Parameters, partitions: int, now_s: float
) -> None:
    """Give a partition full buckets of its own; ``partitions`` share the setting in the static world."""
    partition.ceilings, partition.shares = {}, {}
    for kind in KINDS:
        limits = []
        if settings.world == "static":
            share = Bucket(settings.provisioned(kind) / partitions, parameters.burst_s, now_s)
            partition.shares[kind] = share
            limits.append((share, PROVISIONED))
        if settings.world != "off":
            ceiling = Bucket(parameters.ceiling(kind), 1.0, now_s)
            partition.ceilings[kind] = ceiling
            limits.append((ceiling, KEY_RANGE))
        partition.limits[kind] = tuple(limits)
