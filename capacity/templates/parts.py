"""Typed access to the evaluated parts of a file; what is missing or misshapen becomes a fault with its line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from capacity.document import Document, Fault, Steps
from capacity.templates.description import Place
from capacity.templates.intrinsics import Unresolved


class Part:
    """One mapping of a file, where it stands, and the list that takes the faults."""

    def __init__(self, document: Document, steps: Steps, content: Any, faults: list[Fault]) -> None:
        self.document, self.steps, self.faults = document, steps, faults
        self._faults_before = len(faults)
        self.content: Mapping[str, Any] = {}
        if isinstance(content, Mapping):
            self.content = content
        elif content is not None:
            self.fault(None, f"{_shown(content)} was given; expected a mapping")

    @property
    def place(self) -> Place:
        """Its line."""
        return Place(self.document.file, self.document.line(self.steps))

    @property
    def is_clean(self) -> bool:
        """Whether nothing was wrong since this part was begun."""
        return len(self.faults) == self._faults_before

    def fault(self, key: str | int | None, message: str) -> None:
        """Note what is wrong here, or with the entry at `key`."""
        self.faults.append(self.document.fault(self.steps if key is None else (*self.steps, key), message))

    def has(self, key: str) -> bool:
        """Whether there is something at `key`."""
        return self.content.get(key) is not None

    def part(self, key: str) -> Part:
        """The mapping at `key`; an empty one when there is none."""
        return Part(self.document, (*self.steps, key), self.content.get(key), self.faults)

    def parts(self, key: str) -> Iterator[Part]:
        """The mappings in the list at `key`; nothing when there is none."""
        content = self.content.get(key)
        if content is None:
            return
        if not isinstance(content, list):
            self.fault(key, f"{_shown(content)} was given; expected a list")
            return
        for place, each in enumerate(content):
            yield Part(self.document, (*self.steps, key, place), each, self.faults)

    def text(self, key: str, example: str | None = None) -> str | None:
        """The text at `key`. With an `example` it is required, and a fault shows how to write it."""
        value = self.content.get(key)
        if isinstance(value, str) or value is None:
            if value is None and example is not None:
                self.fault(None, f"{key} is missing; for example {key}: {example}")
            return value
        if isinstance(value, Unresolved):
            if example is not None:
                self.fault(key, f"{value} can't be answered: {value.why}")
            return str(value) if example is None else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return str(value)
        self.fault(key, f"{_shown(value)} was given; expected a text{f' such as {example}' if example else ''}")
        return None

    def number(self, key: str, example: str) -> float | None:
        """The number at `key`, which is required and positive."""
        value = self.content.get(key)
        if isinstance(value, Unresolved):
            self.fault(key, f"{value} can't be answered: {value.why}")
            return None
        try:
            number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else -1.0
        except ValueError:
            number = -1.0
        if value is None:
            self.fault(None, f"{key} is missing; for example {key}: {example}")
        elif not 0 < number < 1e12:
            self.fault(key, f"{_shown(value)} was given; expected a number above 0, such as {example}")
        else:
            return number
        return None

    def texts(self, key: str) -> tuple[str, ...]:
        """The list of texts at `key`; empty when there is none."""
        content = self.content.get(key)
        if content is None:
            return ()
        if not isinstance(content, list) or not all(isinstance(each, str) for each in content):
            self.fault(key, f"{_shown(content)} was given; expected a list of texts")
            return ()
        return tuple(content)


def _shown(value: Any) -> str:
    return str(value) if isinstance(value, Unresolved) else f"{value!r:.80}"
