"""At which rate of posts or readings the app meets a limit, and which comes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from capacity.dynamodb.consumption import NOTHING
from capacity.dynamodb.partitions import key_ceiling
from capacity.dynamodb.quotas import limit
from capacity.dynamodb.table import Throughput
from capacity.workloads.timeline.app import INDEX, Timeline
from capacity.workloads.timeline.units import post_units, reading_units


@dataclass(frozen=True)
class TimelineLimit:
    """One limit: of what, in units per second, how many the app asks for, and the rate at which it is met."""

    name: str
    resource: str
    kind: Literal["read", "write"]
    limit: float
    """Units per second."""
    use: float
    reached_at_per_s: float
    """Posts per second for writes, readings per second for reads."""
    effect: str

    @property
    def share(self) -> float:
        """Use as a share of the limit."""
        return self.use / self.limit


def limits(timeline: Timeline) -> list[TimelineLimit]:
    """Every limit of the app, the most used first."""
    post, reading = post_units(timeline), reading_units(timeline)
    index_post, index_reading = post.indexes[INDEX].write, reading.indexes.get(INDEX, NOTHING).read
    ceiling, shards = key_ceiling(), timeline.shards
    keys = "its one partition key" if shards == 1 else f"its {shards} partition keys"
    refuses = "the index refuses, and the table refuses the posts with it"
    found = [
        _limit(f"{keys} in {INDEX}", INDEX, "write", ceiling.write_units * shards, index_post, timeline, refuses),
        _limit(f"{keys} in {INDEX}", INDEX, "read", ceiling.read_units * shards, index_reading, timeline, "pages fail"),
    ]
    for resource, throughput, units in (
        ("table", timeline.throughput, post.table.write),
        (INDEX, timeline.index_throughput, index_post),
    ):
        name = "on-demand throughput when new" if throughput is None else "provisioned throughput"
        given = throughput or Throughput(
            limit("dynamodb.on_demand_start_read_units"), limit("dynamodb.on_demand_start_write_units")
        )
        effect = refuses if resource == INDEX else "the table refuses posts"
        found.append(_limit(name, resource, "write", given.write_units, units, timeline, effect))
        if resource == INDEX:
            found.append(_limit(name, resource, "read", given.read_units, index_reading, timeline, "pages fail"))
    return sorted(found, key=lambda each: (-each.share, each.name))


def first_limit(timeline: Timeline, kind: Literal["read", "write"] = "write") -> TimelineLimit:
    """The limit of posts (or of readings) that is met at the lowest rate."""
    return min((each for each in limits(timeline) if each.kind == kind), key=lambda each: each.reached_at_per_s)


def _limit(
    name: str,
    resource: str,
    kind: Literal["read", "write"],
    most: float,
    units: float,
    timeline: Timeline,
    effect: str,
) -> TimelineLimit:
    rate = timeline.posts_per_s if kind == "write" else timeline.readings_per_s
    return TimelineLimit(name, resource, kind, most, rate * units, most / units, effect)
