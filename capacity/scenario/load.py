"""Read scenarios.yaml whole and report every fault at once, each with file, line, value, limit and a valid example."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from capacity.document import Document, DocumentError, Fault, NodeReader, Steps, parse, read_text
from capacity.scenario.arrival_file import read_arrivals
from capacity.scenario.model import Scenario
from capacity.scenario.workload import WORKLOADS

MAX_FILE_BYTES = 1024 * 1024


class ScenarioFile(BaseModel):
    """scenarios.yaml: named scenarios."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = Field(1, examples=[1])
    scenarios: dict[str, Scenario] = Field(min_length=1)


class ScenarioError(DocumentError):
    """A scenario file that is not valid. `faults` holds all of them; the text is one line each."""


def load_scenarios(path: Path) -> dict[str, Scenario]:
    """Every scenario of a file by name. Raises ScenarioError with all faults of the file."""
    try:
        source = read_text(path, MAX_FILE_BYTES)
    except DocumentError as error:
        if path.exists():
            raise ScenarioError(error.faults) from None
        raise ScenarioError(
            [
                replace(fault, message=f"{fault.message}; copy the scenarios.yaml of the project")
                for fault in error.faults
            ]
        ) from None
    return parse_scenarios(source, str(path))


def load_scenario(path: Path, name: str) -> Scenario:
    """One scenario of a file. Raises ScenarioError when the file is not valid or has no such scenario."""
    scenarios = load_scenarios(path)
    if name not in scenarios:
        raise ScenarioError([Fault(str(path), 1, "", f"no scenario {name!r}; it has {', '.join(scenarios)}")])
    return scenarios[name]


def parse_scenarios(text: str, file: str = "scenarios.yaml") -> dict[str, Scenario]:
    """Every scenario of a YAML text by name. Raises ScenarioError with all faults, each naming `file` and its line."""
    try:
        document = parse(text, file, NodeReader(file))
    except DocumentError as error:
        raise ScenarioError(error.faults) from None
    if document.content is None:
        raise ScenarioError([Fault(file, 1, "", "is empty; begin with version: 1 and scenarios:")])
    data, faults = document.content, list(document.faults)
    faults += _read_arrival_files(document, Path(file).parent)
    try:
        parsed = ScenarioFile.model_validate(data)
    except ValidationError as error:
        unreadable = {fault.path for fault in faults}
        found = [_fault(document, detail) for detail in error.errors()]
        faults += [fault for fault in found if fault.path not in unreadable]
        raise ScenarioError(faults) from None
    except RecursionError:
        raise ScenarioError([Fault(file, 1, "", "is nested too deeply")]) from None
    if faults:
        raise ScenarioError(faults)
    return parsed.scenarios


def _read_arrival_files(document: Document, folder: Path) -> list[Fault]:
    """Put the moments of each `arrivals: {file: ...}` in its place; returns what could not be read."""
    faults = []
    scenarios = document.content.get("scenarios") if isinstance(document.content, dict) else None
    for name, scenario in scenarios.items() if isinstance(scenarios, dict) else ():
        schedule = scenario.get("schedule") if isinstance(scenario, dict) else None
        arrivals = schedule.get("arrivals") if isinstance(schedule, dict) else None
        if not isinstance(schedule, dict) or not isinstance(arrivals, dict):
            continue
        path = ("scenarios", name, "schedule", "arrivals")
        if list(arrivals) != ["file"] or not isinstance(arrivals["file"], str):
            faults.append(document.fault(path, "is no file of moments; write it like arrivals: {file: arrivals.txt}"))
            del schedule["arrivals"]
            continue
        try:
            schedule["arrivals"] = read_arrivals(_within(folder, arrivals["file"]))
        except (DocumentError, ValueError) as fault:
            faults.append(document.fault((*path, "file"), str(fault)))
            del schedule["arrivals"]
    return faults


def _within(folder: Path, name: str) -> Path:
    """A file of the folder or below it, links followed. Raises ValueError for any other: what a scenario file may read
    of a machine, and show in a message, must not depend on who wrote it.
    """
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()):
        raise ValueError(f"{name!r} leads out of the scenario file's folder; put the file beside it, like arrivals.txt")
    return path


def _fault(document: Document, detail: Any) -> Fault:
    path = tuple(step for step in detail["loc"] if not (isinstance(step, str) and step.startswith("function-")))
    workload = None
    if path[2:3] == ("workload",) and len(path) > 3:  # pydantic tells which workload, where the file has no such step
        workload, path = str(path[3]), path[:3] + path[4:]
    message = str(detail["msg"]).removeprefix("Value error, ")
    given = detail.get("input")
    if detail["type"] == "missing":
        message = "is missing"
    elif detail["type"] == "extra_forbidden":
        message = f"is no key here; known are {', '.join(_known_keys(path[:-1], workload))}"
    elif not isinstance(given, dict | list) and repr(given) not in message:
        message = f"{given!r}: {message[0].lower()}{message[1:]}"
    example = _example(path, workload)
    if example is not None and detail["type"] != "extra_forbidden" and path:
        message += f"; for example {path[-1]}: {example}"
    return document.fault(path, message)


def _model_at(path: Steps, workload: str | None = None) -> type[BaseModel] | None:
    """The pydantic model that describes the mapping at `path`; None where there is none."""
    if path[2:] == ("workload",) and workload is not None:
        return WORKLOADS.get(workload)
    model: type[BaseModel] | None = ScenarioFile
    names_follow = False  # the next step is a name that the user chose, as below scenarios and billing.indexes
    for step in path:
        if model is None:
            return None
        if names_follow:
            names_follow = False
            continue
        field = next((field for name, field in model.model_fields.items() if step in (name, field.alias)), None)
        model, names_follow = _inner_model(field.annotation) if field else (None, False)
    return None if names_follow else model


def _inner_model(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """The model inside an annotation, and whether it is the value of a dict."""
    is_mapping = getattr(annotation, "__origin__", None) is dict
    for candidate in (annotation, *getattr(annotation, "__args__", ())):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate, is_mapping
    return None, False


def _known_keys(path: Steps, workload: str | None = None) -> list[str]:
    model = _model_at(path, workload)
    return [field.alias or name for name, field in model.model_fields.items()] if model else []


def _example(path: Steps, workload: str | None = None) -> Any:
    model = _model_at(path[:-1], workload) if path else None
    if model is None:
        return None
    for name, field in model.model_fields.items():
        if path[-1] in (name, field.alias) and field.examples:
            return field.examples[0]
    return None
