"""The throughput of one table or one global secondary index, live: one request at a time (physics rules 1-8)."""

from __future__ import annotations

import math
from collections import deque

from capacity.physics.heat import KeyLoads
from capacity.physics.key_ranges import KeyRanges
from capacity.physics.limits import fill_partition, needed_partitions, tune_table
from capacity.physics.parameters import DEFAULT, KINDS, Kind, Parameters
from capacity.physics.partition import KEY_RANGE, PROVISIONED, Limit, Partition, PartitionView, Throttle
from capacity.physics.placement import Bound
from capacity.physics.settings import Settings

ADMITTED: tuple[Throttle, ...] = ()


class ThroughputResource:
    """Admits or refuses requests as DynamoDB would, and splits partitions as they grow and heat up.

    Ask ``check`` first; if nothing refuses, do the work and ``charge`` what it cost. Refused requests consume nothing.
    A new resource starts with full buckets. Calls come in order of time; an earlier ``now_s`` counts as the latest.
    """

    def __init__(
        self,
        settings: Settings,
        now_s: float,
        parameters: Parameters = DEFAULT,
        *,
        has_local_index: bool = False,
        size_bytes: float = 0.0,
        partitions: int | None = None,
    ) -> None:
        """:param has_local_index: item collections are never split (physics rule 8).
        :param size_bytes: data already there.
        :param partitions: how many to start with; by default what settings and size ask for (physics rule 2).
        """
        self.settings = settings
        self.parameters = parameters
        self._has_local_index = has_local_index
        self._previous_peak: dict[Kind, float] = {"read": 0.0, "write": 0.0}
        self._recent_minutes: dict[Kind, deque[tuple[float, float]]] = {"read": deque(), "write": deque()}
        self._table: dict[Kind, tuple[Limit, ...]] = {"read": (), "write": ()}
        self._pending: list[tuple[float, Partition, Bound]] = []
        self._minute_end_s = math.floor(now_s / 60.0) * 60.0 + 60.0
        self._next_event_s = self._minute_end_s
        self._active = False
        count = partitions or needed_partitions(
            settings, parameters, peak=self._previous_peak, size_bytes=size_bytes, new=True
        )
        self._ranges = KeyRanges(count, size_bytes)
        self._partitions = self._ranges.partitions
        self.partition_of = self._ranges.owner
        for partition in self._partitions:
            fill_partition(partition, settings, parameters, count, now_s)
        self._tune(now_s)

    # Requests

    def check(self, now_s: float, kind: Kind, hash128: int, sort_key: bytes | None = None) -> tuple[Throttle, ...]:
        """Every limit that refuses a request for this key now, table before key range; empty = admitted."""
        if now_s >= self._next_event_s:
            self.settle(now_s)
        partition = self.partition_of(hash128, sort_key)
        # Refill only adds: what was above zero after the last charge still is.
        for bucket, _ in self._table[kind]:
            if bucket.level <= 0.0 and bucket.level_at(now_s) <= 0.0:
                return self.exhausted(now_s, kind, hash128, sort_key)
        for bucket, _ in partition.limits[kind]:
            if bucket.level <= 0.0 and bucket.level_at(now_s) <= 0.0:
                return self.exhausted(now_s, kind, hash128, sort_key)
        return ADMITTED

    def charge(self, now_s: float, kind: Kind, hash128: int, units: float, sort_key: bytes | None = None) -> float:
        """Take what an admitted request really cost and return the lowest level left; it may be below zero."""
        if now_s >= self._next_event_s:
            self.settle(now_s)
        partition = self.partition_of(hash128, sort_key)
        lowest = math.inf
        for bucket, _ in self._table[kind]:
            level = bucket.charge(now_s, units)
            if level < lowest:
                lowest = level
        for bucket, _ in partition.limits[kind]:
            level = bucket.charge(now_s, units)
            if level < lowest:
                lowest = level
        partition.consumed[kind] += units
        if partition.loads is not None:
            partition.loads.add(hash128, sort_key, units, kind == "write")
        return lowest

    def exhausted(
        self, now_s: float, kind: Kind, hash128: int, sort_key: bytes | None = None, level: float = 0.0
    ) -> tuple[Throttle, ...]:
        """Limits that hold ``level`` units or less for this key, each once, table before key range."""
        if now_s >= self._next_event_s:
            self.settle(now_s)
        partition = self.partition_of(hash128, sort_key)
        found = [throttle for bucket, throttle in self._table[kind] if bucket.level_at(now_s) <= level]
        share = partition.shares.get(kind)
        if share is not None and share.level_at(now_s) <= level:
            # World static: the table as a whole is over its setting, or this partition is while others have units left.
            unused = sum(other.shares[kind].level_at(now_s) for other in self._partitions)
            found.append(KEY_RANGE if unused > 0.0 else PROVISIONED)
        ceiling = partition.ceilings.get(kind)
        if ceiling is not None and ceiling.level_at(now_s) <= level:
            partition.ceiling_met = True
            found.append(KEY_RANGE)
        return tuple(dict.fromkeys(found))

    def store(self, now_s: float, hash128: int, delta_bytes: float, sort_key: bytes | None = None) -> None:
        """Account for data that came or went; a partition past 10 GB splits in two (physics rule 2)."""
        if now_s >= self._next_event_s:
            self.settle(now_s)
        partition = self.partition_of(hash128, sort_key)
        partition.size_bytes += delta_bytes
        if partition.size_bytes > self.parameters.partition_bytes and partition.split_at_s is None:
            middle = self._ranges.middle(partition)
            if middle is not None:
                self._schedule(now_s, partition, middle)

    # Settings

    def retune(self, now_s: float, settings: Settings) -> None:
        """UpdateTable took effect: partitions split in two until they carry the new setting, and never merge.

        Savings are kept as far as they fit, debts are kept. A change of world starts with full buckets and no heat.
        """
        self.settle(now_s)
        world_changed = settings.world != self.settings.world
        self.settings = settings
        if world_changed:
            self._table = {"read": (), "write": ()}
            for partition in self._partitions:
                fill_partition(partition, settings, self.parameters, self.count, now_s)
                partition.forget_heat()
        self._grow(now_s)
        self._tune(now_s)
        self._next_event_s = self._next_event()

    # What is there

    def partitions(self, now_s: float) -> list[PartitionView]:
        """The partitions in key order, for people."""
        self.settle(now_s)
        return [
            PartitionView(
                lower_hash=partition.lower[0],
                lower_sort_key=partition.lower[1],
                upper_hash=upper,
                ceiling_level={kind: bucket.level_at(now_s) for kind, bucket in partition.ceilings.items()},
                share={kind: bucket.rate for kind, bucket in partition.shares.items()},
                share_level={kind: bucket.level_at(now_s) for kind, bucket in partition.shares.items()},
                consumed_last_minute=dict(partition.last_minute),
                hot_minutes=partition.hot_minutes,
                size_bytes=partition.size_bytes,
                split_at_s=partition.split_at_s,
                kept_whole=partition.kept_whole,
            )
            for partition, upper in zip(self._partitions, self._ranges.uppers(), strict=True)
        ]

    def limits(self, now_s: float, kind: Kind) -> list[tuple[str, float, float]]:
        """Limits of the whole table or index: name, units per second, units left now."""
        self.settle(now_s)
        return [(throttle.limit, bucket.rate, bucket.level_at(now_s)) for bucket, throttle in self._table[kind]]

    def deepest_debt_units(self, now_s: float, kind: Kind) -> float:
        """Units that the deepest bucket owes; 0 if none is in debt."""
        self.settle(now_s)
        buckets = [bucket for bucket, _ in self._table[kind]]
        buckets += [bucket for partition in self._partitions for bucket, _ in partition.limits[kind]]
        return max([0.0, *(-bucket.level_at(now_s) for bucket in buckets)])

    def warm_throughput(self, kind: Kind) -> float:
        """Units per second that are served at once, as DescribeTable's WarmThroughput shows it."""
        carried = len(self._partitions) * self.parameters.ceiling(kind)
        return max(self.settings.warm(kind), self.parameters.peak_factor * self._previous_peak[kind], carried)

    # Time

    def settle(self, now_s: float) -> None:
        """Live through every minute's end and every split up to ``now_s``, in order."""
        while now_s >= self._next_event_s:
            event_s = self._next_event_s
            if event_s == self._minute_end_s:
                self._end_minute(event_s)
                self._minute_end_s += 60.0
                if self._quiet():
                    self._minute_end_s = max(self._minute_end_s, math.floor(now_s / 60.0) * 60.0)
            for split in [split for split in self._pending if split[0] <= event_s]:
                self._pending.remove(split)
                self._split(event_s, split[1], split[2])
            self._next_event_s = self._next_event()

    def _next_event(self) -> float:
        return min([self._minute_end_s, *(split[0] for split in self._pending)])

    def _quiet(self) -> bool:
        """Nothing left that the passing of empty minutes would change."""
        return not any(self._recent_minutes.values()) and not self._pending and not self._active

    def _end_minute(self, now_s: float) -> None:
        parameters = self.parameters
        self._active = False
        on_demand = self.settings.world == "on_demand"
        if on_demand:
            self._end_peak_minute(now_s)
        splits = on_demand or self.settings.world == "adaptive"
        for partition in self._partitions:
            consumed = partition.consumed
            if not (consumed["read"] or consumed["write"] or partition.hot_minutes or partition.ceiling_met):
                continue
            self._active = True
            hot = partition.ceiling_met or any(
                consumed[kind] >= parameters.heat_share * parameters.ceiling(kind) * 60.0 for kind in KINDS
            )
            partition.last_minute = consumed
            partition.consumed = {"read": 0.0, "write": 0.0}
            partition.ceiling_met = False
            if not (hot and splits):
                partition.hot_minutes, partition.loads, partition.kept_whole = 0, None, ""
                continue
            partition.hot_minutes += 1
            if partition.hot_minutes >= parameters.heat_minutes and partition.split_at_s is None and partition.loads:
                cut = partition.loads.cut(partition.lower, not self._has_local_index, parameters.append_share)
                partition.kept_whole = "" if cut.bound else cut.reason
                if cut.bound is not None:
                    self._schedule(now_s, partition, cut.bound)
            partition.loads = partition.loads or KeyLoads()

    def _end_peak_minute(self, now_s: float) -> None:
        """A minute's rate becomes the previous peak once it is 30 minutes old (physics rule 6)."""
        raised = False
        for kind in KINDS:
            minutes = self._recent_minutes[kind]
            units = sum(partition.consumed[kind] for partition in self._partitions)
            if units:
                minutes.append((now_s, units / 60.0))
            while minutes and minutes[0][0] <= now_s - self.parameters.peak_age_s:
                _, rate = minutes.popleft()
                if rate > self._previous_peak[kind]:
                    self._previous_peak[kind] = rate
                    raised = True
        if raised:
            self._grow(now_s)
            self._tune(now_s)

    # Splitting

    def _schedule(self, now_s: float, partition: Partition, bound: Bound) -> None:
        partition.split_at_s = now_s + self.parameters.split_delay_s
        self._pending.append((partition.split_at_s, partition, bound))
        self._next_event_s = min(self._next_event_s, partition.split_at_s)

    def _split(self, now_s: float, partition: Partition, bound: Bound) -> None:
        self._halve(now_s, partition, bound)
        self._ranges.index()
        self._tune(now_s)

    def _halve(self, now_s: float, partition: Partition, bound: Bound) -> None:
        """Put a new partition at ``bound``; it takes half of the data and of the saved share."""
        right = Partition(bound, partition.size_bytes / 2.0)
        fill_partition(right, self.settings, self.parameters, self.count, now_s)
        for kind, share in partition.shares.items():
            half = share.level_at(now_s) / 2.0
            for bucket in (share, right.shares[kind]):
                bucket.level, bucket.updated_s = half, now_s
        partition.size_bytes /= 2.0
        partition.split_at_s, partition.loads, partition.hot_minutes = None, None, 0
        self._ranges.insert(partition, right)

    def _grow(self, now_s: float) -> None:
        """Split every partition in two until they carry the settings: 4 x 900 raised to 6,000 is 8 x 750 (ATC'22)."""
        needed = needed_partitions(self.settings, self.parameters, peak=self._previous_peak)
        while len(self._partitions) < needed:
            halves = [
                (partition, middle)
                for partition in self._partitions
                if (middle := self._ranges.middle(partition)) is not None
            ]
            for partition, middle in halves:
                self._halve(now_s, partition, middle)
            self._pending = [split for split in self._pending if split[1].split_at_s is not None]
            if not halves:
                break
        self._ranges.index()

    def _tune(self, now_s: float) -> None:
        """Set every rate that follows from settings, partitions and peak."""
        settings, parameters = self.settings, self.parameters
        for kind in KINDS:
            warm_units = self.warm_throughput(kind)
            self._table[kind] = tune_table(self._table[kind], settings, parameters, kind, warm_units, now_s)
            if settings.world == "static":
                share = settings.provisioned(kind) / len(self._partitions)
                for partition in self._partitions:
                    partition.shares[kind].retune(now_s, share, parameters.burst_s)

    @property
    def count(self) -> int:
        """Partitions by the latest moment it was asked about."""
        return len(self._partitions)

    @property
    def next_event_s(self) -> float:
        """When the next minute ends or the next split becomes effective."""
        return self._next_event_s

    @property
    def heating(self) -> bool:
        """Some partition counts hot minutes, or a split is under way."""
        return bool(self._pending) or any(partition.hot_minutes for partition in self._partitions)

    def table_limits(self, kind: Kind) -> tuple[Limit, ...]:
        """The buckets that the whole table or index shares, as they stand."""
        return self._table[kind]
