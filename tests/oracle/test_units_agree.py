"""Generated operations cost on table and every index what an engine that is not ours reports for them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.oracle.dynamodb_local import WireClient
from tests.oracle.generated_operations import MeteredTable, operations

pytestmark = pytest.mark.oracle


@pytest.fixture(scope="module")
def judged(dynamodb_local: WireClient) -> MeteredTable:
    return MeteredTable(dynamodb_local, known_wrong=True)


@settings(
    max_examples=500,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(steps=st.lists(operations, min_size=10, max_size=30))
def test_operations_cost_what_the_outside_engine_reports(judged: MeteredTable, steps: list[tuple[Any, ...]]) -> None:
    judged.clear()
    for step in steps:
        judged.run(*step)
