"""Which keys make a partition hot, and where to cut it (physics rule 8)."""

from __future__ import annotations

from typing import NamedTuple

from capacity.physics.placement import Bound

MOST_KEYS = 4096
"""Distinct keys remembered of one hot partition; hashes are uniform, so the first ones are a fair sample."""


class Cut(NamedTuple):
    """Where a hot partition splits, or why splitting does not help."""

    bound: Bound | None
    """Lower end of the new right half; None if there is no cut."""
    reason: str
    """"load-weighted median of the keys", or why there is none."""


class KeyLoads:
    """Units per key of one partition, gathered only while it is hot."""

    __slots__ = ("_appended", "_newest", "_units", "_written")

    def __init__(self) -> None:
        self._units: dict[Bound, float] = {}
        self._newest: dict[int, bytes] = {}
        self._written: dict[int, float] = {}
        self._appended: dict[int, float] = {}

    def add(self, hash128: int, sort_key: bytes | None, units: float, write: bool) -> None:
        """Count one request; without a sort key it counts as the item collection's first item."""
        key = (hash128, sort_key or b"")
        held = self._units.get(key)
        if held is not None:
            self._units[key] = held + units
        elif len(self._units) < MOST_KEYS:
            self._units[key] = units
        else:
            return
        if write and sort_key is not None:
            self._written[hash128] = self._written.get(hash128, 0.0) + units
            newest = self._newest.get(hash128)
            if newest is None or sort_key > newest:
                self._newest[hash128] = sort_key
                if newest is not None:
                    self._appended[hash128] = self._appended.get(hash128, 0.0) + units

    def cut(self, lower: Bound, inside_collections: bool, append_share: float) -> Cut:
        """The cut between two keys that divides the load most evenly.

        :param lower: lower end of the partition; a cut there would change nothing.
        :param inside_collections: False for a table with a local secondary index: item collections stay whole.
        :param append_share: a key with this share of its writes at its newest end is monotonic and stays whole.
        """
        keys = sorted(self._units)
        total = sum(self._units.values())
        best: Bound | None = None
        best_distance = float("inf")
        before = 0.0
        kept_whole = ""
        for previous, key in zip([None, *keys], keys, strict=False):
            bound = key if previous is not None and previous[0] == key[0] else (key[0], b"")
            if bound > lower:
                whole = self._whole(key[0], inside_collections, append_share) if bound[1] else ""
                distance = abs(total - 2.0 * before)
                if whole:
                    kept_whole = whole
                elif distance < best_distance and before < total:
                    best, best_distance = bound, distance
            before += self._units[key]
        if best is None:
            return Cut(None, kept_whole or ("one item" if keys else "no keys seen"))
        return Cut(best, "load-weighted median of the keys")

    def _whole(self, hash128: int, inside_collections: bool, append_share: float) -> str:
        if not inside_collections:
            return "local secondary index"
        written = self._written.get(hash128, 0.0)
        if written and self._appended.get(hash128, 0.0) >= append_share * written:
            return "monotonic sort key"
        return ""
