"""Which verbs serve which workload, said where a verb is used with one that it does not serve."""

from __future__ import annotations

from pathlib import Path

from capacity.scenario import Scenario, load_scenarios
from meshcap.errors import UserError


def for_mesh_alone(what: str, scenario: Scenario, name: str, file: Path, instead: str) -> None:
    """Raise UserError, naming the scenarios that `what` serves and what to use `instead`, unless this one is Mesh's."""
    if scenario.workload.name == "mesh":
        return
    served = [each for each, other in load_scenarios(file).items() if other.workload.name == "mesh"]
    raise UserError(
        f"{what} serves Mesh; scenario {name} runs workload {scenario.workload.name}, for which there is {instead}. "
        f"In {file} it serves {', '.join(served) or 'none'}"
    )
