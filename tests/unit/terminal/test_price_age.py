"""Old prices are told wherever dollars are."""

from __future__ import annotations

from datetime import date

import pytest

from meshcap.price_age import tell_of_old_prices


@pytest.mark.parametrize(
    ("today", "told"),
    [
        (date(2026, 12, 22), False),  # 90 days after
        (date(2026, 12, 23), True),
    ],
)
def test_prices_are_old_after_ninety_days(today: date, told: bool, capsys: pytest.CaptureFixture[str]) -> None:
    tell_of_old_prices("2026-09-23", today)
    said = capsys.readouterr()
    assert ("91 days ago" in said.err) == told
    assert said.out == ""
