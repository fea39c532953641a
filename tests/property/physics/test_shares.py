"""Blocks of time side by side give what one second after the other gives."""

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from capacity.physics import shares


@pytest.fixture(autouse=True)
def _short_blocks(monkeypatch):
    monkeypatch.setattr(shares, "SHORTEST_BLOCK_S", 20)
    monkeypatch.setattr(shares, "LANES", 60)


@settings(
    max_examples=150,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    seconds=st.integers(1, 1500),
    rates=st.lists(st.one_of(st.integers(1, 20).map(float), st.floats(0.1, 20.0)), min_size=1, max_size=3),
    depth_s=st.integers(1, 300),
    swing=st.floats(0.0, 20.0),
    step=st.sampled_from([1.0, 0.5, None]),
    unit=st.sampled_from([None, 0.5, 1.0, 3.0]),
    dtype=st.sampled_from([np.float64, np.float64, np.float32]),
    seed=st.integers(0, 2**32),
)
def test_side_by_side_equals_one_after_the_other(seconds, rates, depth_s, swing, step, unit, dtype, seed):
    rng = np.random.default_rng(seed)
    wave = 10.0 + swing * np.sin(np.arange(seconds) / 200.0)
    demand = np.maximum(wave[:, None] + rng.normal(0.0, 4.0, (seconds, len(rates))), 0.0)
    demand = demand if step is None else np.round(demand / step) * step
    demand = demand.astype(dtype)
    # On a binary grid, as buckets put them.
    rate = (np.round(np.array(rates) * 2**30) / 2**30).astype(dtype)
    depth = (rate * dtype(depth_s)).astype(dtype)
    runs = []
    for way in (shares.run, shares.run_long):
        consumed, level, levels = np.empty_like(demand), depth.copy(), np.empty_like(demand)
        way(demand, consumed, level, rate, depth, unit, levels)
        runs.append((consumed, level, levels))
    for one, other in zip(*runs, strict=True):
        if step is not None and dtype is np.float64:
            np.testing.assert_array_equal(one, other)
        elif unit is None:
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-3 * float(depth.max()))
        else:
            # A rounding may move one request from one second to the next, never more.
            assert np.abs(one - other).max() <= max(2 * unit, 1e-3 * float(depth.max()))
