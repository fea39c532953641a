"""Inputs that are nearly right: a valid document with some parts replaced, doubled, deepened or cut off."""

from __future__ import annotations

import atexit
import copy
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
NOW_S = 1_796_050_452.25

_NUMBERS = [0, -1, 1, 2**31, 2**63, 10**30, 0.5, -0.0, 1e308, 1e-308]
_NO_NUMBERS = [float("nan"), float("inf"), float("-inf")]
_TEXTS = [
    "",
    " ",
    "0",
    "-1",
    "1e9999",
    "NaN",
    "on_demand",
    "5s",
    "9999999h",
    "../../etc/passwd",
    "\x00",
    "\u202e",
    "日本",
    "<script>",
    "a" * 3_000,
    "%s%n",
    "{{7*7}}",
    "2026-13-45T99:99:99Z",
    "2026-11-30T13:30:00Z",
    "EVENT#",
]
_HOLDERS: list[Any] = [None, True, False, [], {}, [[]], [None], {"": None}, {"a": {"b": [1, {"c": "d"}]}}, ["x"] * 50]

garbage = st.one_of(
    st.sampled_from([*_NUMBERS, *_TEXTS]),
    st.sampled_from(_NO_NUMBERS),
    st.sampled_from(_HOLDERS),
    st.integers(1, 100).map(lambda depth: _deep(depth)),
    st.text(max_size=20),
    st.integers(),
    st.floats(),
)
json_garbage = garbage.filter(lambda value: not isinstance(value, float) or (value == value and abs(value) < 1e309))


def _deep(depth: int) -> Any:
    value: Any = "bottom"
    for level in range(depth):
        value = [value] if level % 2 else {"deeper": value}
    return value


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place below the root of a JSON value, by path."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [each for key, child in children for each in [(*path, key), *places(child, (*path, key))]]


@st.composite
def mutated(draw: st.DrawFn, document: Any, replacements: st.SearchStrategy[Any] = garbage, most: int = 3) -> Any:
    """A document with up to `most` of its places replaced, removed, renamed or doubled."""
    result = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, most))):
        path = draw(st.sampled_from(places(result) or [()]))
        if not path:
            return copy.deepcopy(draw(replacements))
        holder = result
        for step in path[:-1]:
            holder = holder[step]
        change = draw(st.sampled_from(["replace", "replace", "replace", "remove", "rename", "double"]))
        if change == "replace":
            holder[path[-1]] = copy.deepcopy(draw(replacements))
        elif change == "remove":
            del holder[path[-1]]
        elif isinstance(holder, dict):
            name = path[-1] + "x" if isinstance(path[-1], str) else path[-1]
            holder[name] = holder.pop(path[-1]) if change == "rename" else copy.deepcopy(holder[path[-1]])
        else:
            holder.insert(path[-1], copy.deepcopy(holder[path[-1]]))
    return result


@st.composite
def damaged(draw: st.DrawFn, content: bytes) -> bytes:
    """Bytes cut off, with some flipped, a piece doubled or something else in their place."""
    how = draw(st.sampled_from(["cut", "flip", "flip", "double", "insert", "other"]))
    place = draw(st.integers(0, max(0, len(content) - 1)))
    if how == "cut":
        return content[:place]
    if how == "flip":
        result = bytearray(content)
        for _ in range(draw(st.integers(1, 8))):
            if result:
                result[draw(st.integers(0, len(result) - 1))] ^= draw(st.integers(1, 255))
        return bytes(result)
    if how == "double":
        return content[:place] + content[place // 2 :]
    if how == "insert":
        return content[:place] + draw(st.binary(max_size=40)) + content[place:]
    return draw(
        st.one_of(st.binary(max_size=200), st.sampled_from([b"", b"null", b"\xff\xfe", b"PAR1PAR1", b"[" * 5_000]))
    )


@cache
def scratch() -> Path:
    """A folder for files that a check writes, in memory where the system has a disk there; gone with the process."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="meshcap-fuzz-", dir=memory if os.access(memory, os.W_OK) else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
