"""Items as callers in this process read them: a text that is read again and again is decoded once."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import orjson

HOT_BYTES = 4096
"""Longer texts are decoded each time, so that what is remembered stays small."""


class Reading(dict[str, dict[str, Any]]):
    """An item in DynamoDB JSON, shared by everybody who reads the same text, so not to be changed.

    `plain`: room for the form that a reader makes of it, None until one has.
    """

    __slots__ = ("plain",)

    def __init__(self, item: dict[str, dict[str, Any]]) -> None:
        super().__init__(item)
        self.plain: dict[str, Any] | None = None


def reading(text: bytes) -> dict[str, Any]:
    """The item of a stored text. Every Mesh mutation reads its group, which changes once per heartbeat."""
    return _remembered(text) if len(text) <= HOT_BYTES else orjson.loads(text)


@lru_cache(maxsize=1024)
def _remembered(text: bytes) -> Reading:
    return Reading(orjson.loads(text))
