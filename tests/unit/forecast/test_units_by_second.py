"""A forecast's steps, shared out over their seconds."""

from __future__ import annotations

import numpy as np
import pytest
from scenarios import scenario

from capacity.forecasting.forecast import forecast


def test_a_step_keeps_its_units() -> None:
    found = forecast(scenario(groups=3, mode="polling"))
    for resource in found.resources:
        for kind in ("read", "write"):
            seconds = found.units_by_second(resource.name, kind)  # type: ignore[arg-type]
            steps = seconds.reshape(-1, found.step_s).sum(axis=1)
            assert steps == pytest.approx(getattr(resource, kind).units_per_step, abs=1e-6)


def test_nothing_is_planned_before_anybody_is_there_or_after_everybody_has_left() -> None:
    # One host, reporting once a second for 25 s of hold; it arrives at 0 s and has gone by 27 s.
    found = forecast(scenario(members=0, hold="25s", traffic={"reports": "1/s", "event_batches": "0/s"}))
    seconds = found.units_by_second("table", "write")
    assert len(seconds) == 30
    assert not seconds[28:].any()
    # A report is one unit of the table: in the middle of the hold every second holds one.
    assert seconds[11:19] == pytest.approx(np.ones(8), abs=0.11)
