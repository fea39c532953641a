"""A forecast or comparison with numbers that would divide by zero, fill the memory or mean nothing is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import ValidationError

from capacity.forecasting.forecast import Forecast
from capacity.judgement.comparison import Comparison
from tests.fuzz.run_files import run_directory


def document(name: str) -> Any:
    return json.loads((run_directory() / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        pytest.param(("step_s",), 0, id="no step"),
        pytest.param(("step_s",), -10, id="a step backwards"),
        pytest.param(("step_s",), 10**9, id="a step of thirty years, in seconds"),
        pytest.param(("resources", 0, "partitions"), 0, id="no partition"),
        pytest.param(("resources", 0, "partitions"), 10**12, id="a partition for each byte"),
        pytest.param(("resources", 0, "read", "units"), float("inf"), id="infinite units"),
        pytest.param(("operations", 1, "units_per_step", "table", "read", 0), float("inf"), id="infinite in a step"),
        pytest.param(("cost", "run_usd"), float("nan"), id="a cost that is no number"),
        pytest.param(("limits", 0, "used"), float("inf"), id="a limit used infinitely"),
    ],
)
def test_a_forecast_of_such_numbers_is_refused(path: tuple[str | int, ...], value: float) -> None:
    whole = document("forecast.json")
    Forecast.model_validate(whole)
    holder = whole
    for step in path[:-1]:
        holder = holder[step]
    assert path[-1] in holder or holder[path[-1]] is not None
    holder[path[-1]] = value
    with pytest.raises(ValidationError):
        Forecast.model_validate_json(json.dumps(whole))


def test_a_comparison_with_infinite_units_is_refused() -> None:
    whole = document("comparison.json")
    Comparison.model_validate(whole)
    whole["series"][0]["sent"][0] = float("inf")
    with pytest.raises(ValidationError):
        Comparison.model_validate_json(json.dumps(whole))
