"""How often provisioned throughput may be lowered."""

from __future__ import annotations

import math

DAY_S = 86_400.0
HOUR_S = 3_600.0


class DecreaseAllowance:
    """Decreases of one table or one index: four at midnight UTC, one more each hour, never more than four at hand.

    That makes at most 27 a day (AWS guide, ServiceQuotas, read 2026-11-30; high). The Black Belt deck of 2015-2017 knew
    four a day and no more: pass ``per_hour=0``. Raising is always allowed. One request that lowers reads and writes
    counts once.
    """

    __slots__ = ("_at_hand", "_hour", "_per_hour")

    MOST = 4

    def __init__(self, now_s: float, per_hour: int = 1) -> None:
        self._hour = math.floor(now_s / HOUR_S)
        self._at_hand = self.MOST
        self._per_hour = per_hour

    def at_hand(self, now_s: float) -> int:
        """Decreases that are allowed right now."""
        hour = math.floor(now_s / HOUR_S)
        if hour > self._hour:
            new_day = math.floor(now_s / DAY_S) > math.floor(self._hour * HOUR_S / DAY_S)
            gained = self._per_hour * (hour - self._hour)
            self._at_hand = self.MOST if new_day else min(self.MOST, self._at_hand + gained)
            self._hour = hour
        return self._at_hand

    def take(self, now_s: float) -> bool:
        """Use one up; False if none is at hand."""
        if not self.at_hand(now_s):
            return False
        self._at_hand -= 1
        return True
