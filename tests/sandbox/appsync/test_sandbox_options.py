"""Quotas, delays and keys as the command line and the environment give them."""

from __future__ import annotations

import pytest

from meshcap.errors import UserError
from meshcap.sandbox_behaviour import behaviour, further_api_keys
from sandbox.appsync.behaviour import Behaviour, Delay

OFF = {"--latency": None, "--lambda-latency": None, "--cold-start": None}


def test_nothing_is_imitated_unless_it_is_asked_for() -> None:
    assert behaviour("ap-northeast-1", False, OFF) == Behaviour()


def test_each_delay_has_an_option_of_its_own_beside_the_quotas() -> None:
    given = {"--latency": "20ms,120ms", "--lambda-latency": "15ms, 0.09s", "--cold-start": "300ms,900ms"}
    chosen = behaviour("ap-northeast-3", True, given)
    assert chosen.request_tokens_per_s == 5_000  # Osaka's default
    assert (chosen.latency, chosen.lambda_duration, chosen.lambda_cold_start) == (
        Delay(20, 120),
        Delay(15, 90),
        Delay(300, 900),
    )


def test_every_faulty_delay_is_named_at_once() -> None:
    given = {"--latency": "20ms", "--lambda-latency": "9ms,1ms", "--cold-start": "soon,later"}
    with pytest.raises(UserError) as fault:
        behaviour("ap-northeast-1", False, given)
    lines = str(fault.value).splitlines()
    assert [line.split(" ", 1)[0] for line in lines] == list(given)
    assert all("like 20ms,120ms" in line for line in lines)


def test_further_keys_may_expire() -> None:
    """1,798,675,200 s is 2026-12-31T00:00:00Z (date -d)."""
    text = "da2-two, da2-three@2026-12-31T00:00:00Z,da2-four@2026-12-31T09:00:00+09:00,"
    keys, expires_s = further_api_keys(text)
    assert keys == ("da2-two", "da2-three", "da2-four")
    assert expires_s == {"da2-three": 1_798_675_200, "da2-four": 1_798_675_200}
    assert further_api_keys("") == ((), {})


def test_keys_that_cannot_be_read_are_named_by_number_and_never_shown() -> None:
    with pytest.raises(UserError) as fault:
        further_api_keys("@2026-12-31T00:00:00Z,da2-two@tomorrow")
    assert "key 1 is empty" in str(fault.value)
    assert "key 2 expires at 'tomorrow'" in str(fault.value)
    assert "da2-two" not in str(fault.value)
    assert "example: da2-second@2026-12-31T00:00:00Z" in str(fault.value)
