"""A YAML or JSON file that a user gives: read within limits, with the line of everything in it.

A small file can explode: aliases are followed and counted, depth is bounded, and a key that stands twice is a fault,
where plain loaders would keep the last one in silence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the fast one where the library has it

MAX_INTEGER_BITS = 256
"""More than any field takes; Python prints none of more than some 14,000."""

Steps = tuple[str | int, ...]
"""Where something stands in a document: keys and places from the root."""


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


class DocumentError(Exception):
    """A file that is not valid. `faults` holds all of them; the text is one line each."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = sorted(faults, key=lambda fault: (fault.file, fault.line))
        super().__init__("\n".join(map(str, self.faults)))


@dataclass
class Document:
    """A file's content as plain data, with the line of each place and what could not be read."""

    file: str
    content: Any
    lines: Mapping[Steps, int] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    def line(self, steps: Steps) -> int:
        """The line of a place, or of the nearest one around it."""
        return next((self.lines[steps[:n]] for n in range(len(steps), -1, -1) if steps[:n] in self.lines), 1)

    def fault(self, steps: Steps, message: str) -> Fault:
        """A fault at a place."""
        return Fault(self.file, self.line(steps), text(steps), message)


def read_text(path: Path, max_bytes: int) -> str:
    """The text of a file. Raises DocumentError when it is missing, too large or no UTF-8."""
    file = str(path)
    try:
        with path.open("rb") as opened:  # a device or pipe has no size to look at first
            raw = opened.read(max_bytes + 1)
    except OSError as fault:
        raise DocumentError([Fault(file, 1, "", f"cannot be read: {fault.strerror or fault}")]) from None
    if len(raw) > max_bytes:
        raise DocumentError([Fault(file, 1, "", f"has more than {max_bytes:,} bytes, the most that is read")])
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise DocumentError([Fault(file, 1, "", f"is not UTF-8 text: {fault.reason} at byte {fault.start}")]) from None


class NodeReader:
    """YAML nodes to plain data. Subclasses give application tags a meaning by `tagged`."""

    max_values: ClassVar[int] = 50_000
    """After aliases are followed: a small file can name billions."""
    max_depth: ClassVar[int] = 30

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: dict[Steps, int] = {}
        self.faults: list[Fault] = []
        self._constructor = yaml.SafeLoader("")
        self._values = 0

    def read(self, node: yaml.Node, path: Steps) -> Any:
        """The plain data of a node. Raises DocumentError past a limit; lesser faults are collected."""
        line = node.start_mark.line + 1
        self._values += 1
        if self._values > self.max_values or len(path) > self.max_depth:
            too_many = self._values > self.max_values
            what = f"more than {self.max_values:,} values" if too_many else f"more than {self.max_depth} levels"
            raise DocumentError([Fault(self.file, line, "", f"has {what}, aliases followed")])
        self.lines.setdefault(path, line)
        return self.value(node, path)

    def value(self, node: yaml.Node, path: Steps) -> Any:
        """What a node holds, by its kind."""
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self.read(child, (*path, index)) for index, child in enumerate(node.value)]
        return self._scalar(node, path)

    def fault(self, node: yaml.Node, path: Steps, message: str) -> None:
        """Note something wrong and go on."""
        self.faults.append(Fault(self.file, node.start_mark.line + 1, text(path), message))

    def _mapping(self, node: yaml.MappingNode, path: Steps) -> dict[str, Any]:
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
                self.fault(key_node, path, f"key {key!r} stands twice")
            self.lines[(*path, key)] = key_node.start_mark.line + 1
            result[key] = self.read(value_node, (*path, key))
        return merged | result

    def _scalar(self, node: yaml.Node, path: Steps) -> Any:
        try:
            value = self._constructor.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError) as fault:
            self.fault(node, path, f"{node.value!r} is not readable: {fault}")
            return None
        if isinstance(value, float) and not math.isfinite(value):
            self.fault(node, path, f"{node.value!r} is not a finite number")
            return None
        if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
            self.fault(node, path, f"{node.value[:20]}... is too large a number")
            return None
        return value


def parse(source: str, file: str, reader: NodeReader) -> Document:
    """A YAML or JSON text as a document; None is the content of an empty one. Raises DocumentError for a text that is
    no YAML or past a limit.
    """
    try:
        root = yaml.compose(source, Loader=_LOADER)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        raise DocumentError([Fault(file, mark.line + 1 if mark else 1, "", f"is not YAML: {fault.problem}")]) from None
    except (yaml.YAMLError, RecursionError) as fault:
        raise DocumentError([Fault(file, 1, "", f"is not YAML: {fault or 'nested too deeply'}")]) from None
    if root is None:
        return Document(file, None)
    content = reader.read(root, ())
    return Document(file, content, reader.lines, reader.faults)


def text(steps: Steps) -> str:
    """A place as people write it: keys joined by dots."""
    return ".".join(str(step) for step in steps)
