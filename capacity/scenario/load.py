"""Read scenarios.yaml whole and report every fault at once, each with file, line, value, limit and a valid example."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from capacity.scenario.model import Scenario

MAX_FILE_BYTES = 1024 * 1024
MAX_VALUES = 50_000  # after aliases are followed: a small file can name billions
MAX_DEPTH = 30

Path_ = tuple[str | int, ...]


class ScenarioFile(BaseModel):
    """scenarios.yaml: named scenarios."""

    model_config = ConfigDict(extra="forbid")

    version: Literal[1] = Field(1, examples=[1])
    scenarios: dict[str, Scenario] = Field(min_length=1)


@dataclass(frozen=True)
class Fault:
    """One thing wrong with a file: where, what was given, what was expected."""

    file: str
    line: int
    path: str
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}"
        return f"{where}: {self.path}: {self.message}" if self.path else f"{where}: {self.message}"


class ScenarioError(Exception):
    """A scenario file that is not valid. `faults` holds all of them; the text is one line each."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = sorted(faults, key=lambda fault: fault.line)
        super().__init__("\n".join(map(str, self.faults)))


def load_scenarios(path: Path) -> dict[str, Scenario]:
    """Every scenario of a file by name. Raises ScenarioError with all faults of the file."""
    file = str(path)
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ScenarioError([Fault(file, 1, "", f"the file has more than {MAX_FILE_BYTES:,} bytes")])
        text = path.read_text(encoding="utf-8")
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise ScenarioError(
            [Fault(file, 1, "", f"cannot be read: {reason}; copy the scenarios.yaml of the project")]
        ) from None
    except UnicodeDecodeError as fault:
        raise ScenarioError([Fault(file, 1, "", f"is not UTF-8 text: {fault.reason} at byte {fault.start}")]) from None
    return parse_scenarios(text, file)


def load_scenario(path: Path, name: str) -> Scenario:
    """One scenario of a file. Raises ScenarioError when the file is not valid or has no such scenario."""
    scenarios = load_scenarios(path)
    if name not in scenarios:
        raise ScenarioError([Fault(str(path), 1, "", f"no scenario {name!r}; it has {', '.join(scenarios)}")])
    return scenarios[name]


def parse_scenarios(text: str, file: str = "scenarios.yaml") -> dict[str, Scenario]:
    """Every scenario of a YAML text by name. Raises ScenarioError with all faults, each naming `file` and its line."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise ScenarioError([Fault(file, mark.line + 1 if mark else 1, "", f"is not YAML: {fault.problem}")]) from None
    except (yaml.YAMLError, RecursionError) as fault:
        raise ScenarioError([Fault(file, 1, "", f"is not YAML: {fault or 'nested too deeply'}")]) from None
    if root is None:
        raise ScenarioError([Fault(file, 1, "", "is empty; begin with version: 1 and scenarios:")])
    reader = _Reader(file)
    data = reader.read(root, ())
    faults = list(reader.faults)
    try:
        parsed = ScenarioFile.model_validate(data)
    except ValidationError as error:
        unreadable = {fault.path for fault in faults}
        found = [_fault(file, reader, detail) for detail in error.errors()]
        faults += [fault for fault in found if fault.path not in unreadable]
        raise ScenarioError(faults) from None
    except RecursionError:
        raise ScenarioError([Fault(file, 1, "", "is nested too deeply")]) from None
    if faults:
        raise ScenarioError(faults)
    return parsed.scenarios


class _Reader:
    """YAML nodes to plain data, remembering the line of each path and refusing what explodes or repeats."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Path_, int] = {}
        self.faults: list[Fault] = []
        self._constructor = yaml.SafeLoader("")
        self._values = 0

    def read(self, node: yaml.Node, path: Path_) -> Any:
        line = node.start_mark.line + 1
        self._values += 1
        if self._values > MAX_VALUES or len(path) > MAX_DEPTH:
            what = f"more than {MAX_VALUES:,} values" if self._values > MAX_VALUES else f"more than {MAX_DEPTH} levels"
            raise ScenarioError([Fault(self.file, line, "", f"has {what}, aliases followed")])
        self.lines.setdefault(path, line)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(child, (*path, index)) for index, child in enumerate(node.value)]
        return self._scalar(node, path)

    def _mapping(self, node: yaml.MappingNode, path: Path_) -> dict[str, Any]:
        result: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = str(key_node.value)
            if key_node.tag == "tag:yaml.org,2002:merge":
                sources = value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]
                for source in sources:
                    value = self.read(source, path)
                    if isinstance(value, dict):
                        merged = value | merged
                continue
            if key in result:
                self._fault(key_node, path, f"key {key!r} stands twice")
            self.lines[(*path, key)] = key_node.start_mark.line + 1
            result[key] = self.read(value_node, (*path, key))
        return merged | result

    def _scalar(self, node: yaml.Node, path: Path_) -> Any:
        try:
            value = self._constructor.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError) as fault:
            self._fault(node, path, f"{node.value!r} is not readable: {fault}")
            return None
        if isinstance(value, float) and not math.isfinite(value):
            self._fault(node, path, f"{node.value!r} is not a finite number")
            return None
        return value

    def _fault(self, node: yaml.Node, path: Path_, message: str) -> None:
        self.faults.append(Fault(self.file, node.start_mark.line + 1, _text(path), message))


def _text(path: Path_) -> str:
    return ".".join(str(step) for step in path)


def _fault(file: str, reader: _Reader, detail: Any) -> Fault:
    path = tuple(step for step in detail["loc"] if not (isinstance(step, str) and step.startswith("function-")))
    line, depth = 1, len(path)
    while depth >= 0:
        if path[:depth] in reader.lines:
            line = reader.lines[path[:depth]]
            break
        depth -= 1
    message = str(detail["msg"]).removeprefix("Value error, ")
    given = detail.get("input")
    if detail["type"] == "missing":
        message = "is missing"
    elif detail["type"] == "extra_forbidden":
        message = f"is no key here; known are {', '.join(_known_keys(path[:-1]))}"
    elif not isinstance(given, dict | list) and repr(given) not in message:
        message = f"{given!r}: {message[0].lower()}{message[1:]}"
    example = _example(path)
    if example is not None and detail["type"] != "extra_forbidden" and path:
        message += f"; for example {path[-1]}: {example}"
    return Fault(file, line, _text(path), message)


def _model_at(path: Path_) -> type[BaseModel] | None:
    """The pydantic model that describes the mapping at `path`; None where there is none."""
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


def _known_keys(path: Path_) -> list[str]:
    model = _model_at(path)
    return [field.alias or name for name, field in model.model_fields.items()] if model else []


def _example(path: Path_) -> Any:
    model = _model_at(path[:-1]) if path else None
    if model is None:
        return None
    for name, field in model.model_fields.items():
        if path[-1] in (name, field.alias) and field.examples:
            return field.examples[0]
    return None
