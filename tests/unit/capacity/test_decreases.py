import pytest
from hypothesis import given
from hypothesis import strategies as st

from capacity.dynamodb.decreases import DecreaseRule, may_decrease, next_decrease_s

HOUR = 3_600.0
DAY = 86_400.0
MIDNIGHT = 20_000 * DAY


def most_in_a_day(rule: DecreaseRule) -> int:
    """Decreases that somebody gets who always takes the next one as soon as it is allowed."""
    taken: list[float] = []
    now = MIDNIGHT
    while (now := next_decrease_s(taken, now, rule)) < MIDNIGHT + DAY:
        taken.append(now)
    return len(taken)


@pytest.mark.parametrize(
    ("rule", "most"),
    [
        pytest.param(DecreaseRule.DECK_2015, 4, id="the deck, slide 8: up to four times a day"),
        pytest.param(DecreaseRule.HOURLY_2023, 27, id="Service quotas, 2023-02-22: at most 27"),
        pytest.param(DecreaseRule.TOKENS, 27, id="Service quotas, 2026-11-30: at most 27"),
    ],
)
def test_the_most_decreases_in_one_day(rule: DecreaseRule, most: int) -> None:
    assert most_in_a_day(rule) == most


@pytest.mark.parametrize(
    ("rule", "after", "expected"),
    [
        pytest.param(DecreaseRule.TOKENS, [0, 60, 120, 180], HOUR, id="a fifth in a row waits for the hour"),
        pytest.param(DecreaseRule.HOURLY_2023, [0, 60, 120, 180], 180 + HOUR, id="an hour without one must pass"),
        pytest.param(DecreaseRule.HOURLY_2023, [10 * HOUR], 11 * HOUR, id="after the first hour, one an hour"),
        pytest.param(DecreaseRule.TOKENS, [10 * HOUR], 10 * HOUR, id="tokens saved up may be used in a row"),
        pytest.param(DecreaseRule.DECK_2015, [0, HOUR, 2 * HOUR, 3 * HOUR], DAY, id="after four, tomorrow"),
    ],
)
def test_when_the_next_one_is_allowed(rule: DecreaseRule, after: list[float], expected: float) -> None:
    history = [MIDNIGHT + at for at in after]
    assert next_decrease_s(history, history[-1], rule) == MIDNIGHT + expected


@given(
    st.lists(st.floats(0, DAY - 1), max_size=8).map(sorted), st.floats(0, DAY - 1), st.sampled_from(list(DecreaseRule))
)
def test_waiting_until_the_named_moment_is_enough(history: list[float], now: float, rule: DecreaseRule) -> None:
    moment = next_decrease_s(history, now, rule)
    assert moment >= now
    assert may_decrease([at for at in history if at <= now], moment, rule)
