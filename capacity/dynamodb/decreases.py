"""When provisioned throughput may be lowered next, by each of the three rules that AWS has published.

Raising is never limited. Decreases count per table and per GSI; one request that lowers reads and writes counts once,
and is refused whole if either the table or an index is over its limit. Days are UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from capacity.physics.decreases import DAY_S, HOUR_S, DecreaseAllowance


class DecreaseRule(StrEnum):
    """Which rule: the deck's of 2015, the guide's of 2023, or the one in force.

    * DECK_2015: four a day (deck of 2015-08-05, slide 8; confidence high).
    * HOURLY_2023: four in the first hour of the day, then one after every hour without one (Service quotas, 2023-02-22;
      confidence high).
    * TOKENS: four at midnight, one more each hour, never more than four at hand (Service quotas, read 2026-11-30;
      confidence high; a fifth was seen refused until an hour after the one before it, us-east-1, 2026-09).
    """

    DECK_2015 = "deck-2015"
    HOURLY_2023 = "hourly-2023"
    TOKENS = "tokens"


def may_decrease(history_s: Sequence[float], now_s: float, rule: DecreaseRule = DecreaseRule.TOKENS) -> bool:
    """Whether a decrease is allowed at `now_s` after those at `history_s` (epoch seconds, ascending)."""
    return next_decrease_s(history_s, now_s, rule) <= now_s


def next_decrease_s(history_s: Sequence[float], now_s: float, rule: DecreaseRule = DecreaseRule.TOKENS) -> float:
    """The earliest moment from `now_s` on at which a decrease is allowed, in epoch seconds."""
    midnight_s = now_s - now_s % DAY_S
    today_s = [at_s for at_s in history_s if midnight_s <= at_s <= now_s]
    match rule:
        case DecreaseRule.DECK_2015:
            return now_s if _at_hand(today_s, midnight_s, now_s, per_hour=0) else midnight_s + DAY_S
        case DecreaseRule.TOKENS:
            return now_s if _at_hand(today_s, midnight_s, now_s, per_hour=1) else now_s - now_s % HOUR_S + HOUR_S
        case DecreaseRule.HOURLY_2023:
            first_hour = now_s < midnight_s + HOUR_S and len(today_s) < DecreaseAllowance.MOST
            if first_hour or not today_s:
                return now_s
            return min(max(now_s, today_s[-1] + HOUR_S), midnight_s + DAY_S)


def _at_hand(today_s: Sequence[float], midnight_s: float, now_s: float, per_hour: int) -> int:
    allowance = DecreaseAllowance(midnight_s, per_hour)
    for at_s in today_s:
        allowance.take(at_s)
    return allowance.at_hand(now_s)
