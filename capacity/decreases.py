"""How often provisioned throughput may be lowered, by three rules that AWS has published; raising it is never
limited.

Counted per table and per GSI, reads and writes of one request together; one request over the limit for either is
refused whole. Days are UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

DAY_S = 86_400.0
HOUR_S = 3_600.0
BURST_OF_DECREASES = 4


class DecreaseRule(StrEnum):
    """DECK_2015: four a day (deck, slide 8). HOURLY_2023: up to four in the first hour of the day, and one after
    every hour without one (Service quotas, 2023-02-22). TOKENS: four at midnight, one more per hour up to four, at
    most 27 a day (Service quotas, read 2026-11-30; a fifth was refused until an hour after the last, measured
    2026-09).
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
    next_midnight_s = midnight_s + DAY_S
    match rule:
        case DecreaseRule.DECK_2015:
            return now_s if len(today_s) < BURST_OF_DECREASES else next_midnight_s
        case DecreaseRule.HOURLY_2023:
            in_first_hour = now_s < midnight_s + HOUR_S and len(today_s) < BURST_OF_DECREASES
            return now_s if in_first_hour or not today_s else min(max(now_s, today_s[-1] + HOUR_S), next_midnight_s)
        case DecreaseRule.TOKENS:
            missing = 1 - _tokens(today_s, midnight_s, now_s)
            return now_s if missing <= 0 else min(now_s + missing * HOUR_S, next_midnight_s)


def _tokens(today_s: Sequence[float], midnight_s: float, now_s: float) -> float:
    """Decreases left, in whole and part."""
    tokens, at_s = float(BURST_OF_DECREASES), midnight_s
    for used_s in today_s:
        tokens = min(BURST_OF_DECREASES, tokens + (used_s - at_s) / HOUR_S) - 1
        at_s = used_s
    return min(BURST_OF_DECREASES, tokens + (now_s - at_s) / HOUR_S)
