"""No input from outside ends in a traceback, a 500 or a hang: a small seeded set of each kind."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.fuzz.surfaces import SURFACES

FEWEST_READ, FEWEST_REFUSED = 1, 10
INPUTS_IN_CI = 250
"""How many inputs of a surface are tried each time."""


@pytest.mark.parametrize("name", SURFACES)
def test_what_comes_in_is_read_or_refused(name: str) -> None:
    surface = SURFACES[name]
    outcomes: list[str] = []

    @settings(
        max_examples=INPUTS_IN_CI,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate,),
    )
    @given(surface.inputs())
    def check(value: object) -> None:
        outcomes.append(surface.check(value))

    check()
    assert outcomes.count("refused") >= FEWEST_REFUSED, "the inputs are not bad enough to say anything"
    assert outcomes.count("read") >= FEWEST_READ, "no input was nearly right"
