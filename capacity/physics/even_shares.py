"""World static, one key per partition, settings that stay: nothing but the shares and ceilings themselves moves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from capacity.physics import shares
from capacity.physics.bucket import Bucket
from capacity.physics.options import Options
from capacity.physics.settings import Settings

Floats = NDArray[Any]

PIECE = 1 << 18
"""Elements of demand that stay in cache while they are looked at twice."""


class EvenShares:
    """The buckets of one kind for every partition of a table whose partitions never change.

    Equal to a live resource of the same settings, without the cost of setting one up.
    """

    def __init__(self, keys: int, settings: Settings, options: Options) -> None:
        now_s, capacity_units = float(options.start_s), settings.provisioned(options.kind)
        share = Bucket(capacity_units / keys, options.parameters.burst_s, now_s)
        ceiling = Bucket(options.parameters.ceiling(options.kind), 1.0, now_s)
        self.partitions = keys
        self.capacity_changes = [(now_s, capacity_units)]
        self._rate, self._depth, self._ceiling = share.rate, share.depth, ceiling.depth
        self._level = np.full(keys, share.depth)
        self._ceiling_level = np.full(keys, ceiling.depth)
        assert options.request_units is None or isinstance(options.request_units, (int, float))
        self._request_units = options.request_units

    @staticmethod
    def fits(keys: int, settings: Settings, options: Options) -> bool:
        """True if nothing in the simulation can change a bucket's rate."""
        eventless = not options.changes and options.autoscaling is None
        one_each = options.positions is None and options.partitions in (None, keys)
        same_size = options.request_units is None or isinstance(options.request_units, (int, float))
        return settings.world == "static" and eventless and one_each and same_size

    def run(
        self,
        now_s: float,
        demand: Floats,
        consumed: Floats,
        partition_level: Floats | None,
        table_level: Floats | None,
    ) -> None:
        """Go through the seconds of ``demand`` in its own precision, filling the other arrays."""
        if table_level is not None:
            table_level[:] = np.inf
        keys = demand.shape[1]
        wide = keys * shares.SHORTEST_BLOCK_S > PIECE
        piece = max(1, PIECE // keys) if wide else len(demand)
        level = self._level.astype(demand.dtype)
        rate, depth = (np.full(keys, each, dtype=demand.dtype) for each in (self._rate, self._depth))
        for start in range(0, len(demand), piece):
            part = slice(start, start + piece)
            levels = None if partition_level is None else partition_level[part]
            if demand[part].max() > self._ceiling or self._ceiling_level.min() < self._ceiling:
                self._run_capped(demand[part], consumed[part], level, rate, depth, levels)
                continue
            step = shares.run if wide else shares.run_long
            step(demand[part], consumed[part], level, rate, depth, self._request_units, levels)
            if levels is not None:
                np.minimum(levels, self._ceiling - consumed[part], out=levels)
        self._level = level.astype(np.float64)

    def _run_capped(
        self, demand: Floats, consumed: Floats, level: Floats, rate: Floats, depth: Floats, levels: Floats | None
    ) -> None:
        """Seconds in which some partition may meet its ceiling."""
        ceiling = self._ceiling_level.astype(demand.dtype)
        for second in range(len(demand)):
            taken = np.minimum(
                demand[second], shares.admitted(np.minimum(level, ceiling), self._request_units), out=consumed[second]
            )
            level -= taken
            ceiling -= taken
            if levels is not None:
                np.minimum(level, ceiling, out=levels[second])
            np.minimum(level + rate, depth, out=level)
            np.minimum(ceiling + self._ceiling, self._ceiling, out=ceiling)
        self._ceiling_level = ceiling.astype(np.float64)
