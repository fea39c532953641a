"""The same generated operations on the sandbox, which meters real items: forecast and measurement agree on units."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.dynamodb.engine import Engine
from tests.oracle.generated_operations import MeteredTable, operations


class PatientEngine(Engine):
    """The sandbox's engine with a minute between any two calls, so that it never throttles."""

    def __init__(self) -> None:
        self.now_s = 1_900_000_000.0
        super().__init__(clock=lambda: self.now_s)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.now_s += 60
        return super().call(operation, request)


@pytest.fixture(scope="module")
def metered() -> MeteredTable:
    return MeteredTable(PatientEngine(), known_wrong=False)


@settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(steps=st.lists(operations, min_size=10, max_size=30))
def test_operations_cost_in_the_sandbox_what_the_model_says(
    metered: MeteredTable, steps: list[tuple[Any, ...]]
) -> None:
    metered.clear()
    for step in steps:
        metered.run(*step)
