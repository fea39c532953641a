"""Reads columns of requests.parquet into the arrays of a stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from capacity.workloads.stream import Floats, Ints, Outcome

_THROTTLES = ("throughput", "throttling", "requestlimitexceeded")


def is_throttle(error_type: str | None, message: str | None) -> bool:
    """Whether an error speaks of a throttled DynamoDB call; a Lambda function's says so in its message alone."""
    text = f"{error_type} {message}".lower()
    return any(word in text for word in _THROTTLES)


def operation_codes(column: Any, known_codes: Mapping[str, int]) -> Ints:
    """Code of each row's operation, -1 for one that is not known."""
    number, names = codes(column, np.arange(len(column)))
    known = np.array([*(known_codes.get(name, -1) for name in names), -1], np.int64)
    return known[number]


def outcomes(table: pa.Table, rows: Ints, refusal: Callable[[str, str], Outcome]) -> tuple[Ints, Ints]:
    """How far each request got, and which of them nobody knows of: the places of those without a valid answer.

    `refusal` tells it from the type and message of an error.
    """
    number, names = codes(table["outcome"], rows)
    is_ok = np.array([*(name == "ok" for name in names), False])[number]
    found, uncertain = np.zeros(len(rows), np.int64), []
    places = np.flatnonzero(~is_ok)
    failed = table.select(["outcome", "error_type", "error_message"]).take(rows[places])
    columns = (failed[name].to_pylist() for name in failed.column_names)
    for place, outcome, error, message in zip(places.tolist(), *columns, strict=True):
        if outcome == "error" and not (error or "").startswith("4"):
            uncertain.append(place)
        else:
            found[place] = refusal(error or "", message or "")
    return found, np.array(uncertain, np.int64)


def codes(column: Any, rows: Ints) -> tuple[Ints, list[str]]:
    """Small numbers for the texts of a column, -1 for null, and the texts."""
    combined = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if not pa.types.is_dictionary(combined.type):
        combined = combined.dictionary_encode()
    if isinstance(combined, pa.ChunkedArray):
        combined = combined.unify_dictionaries().combine_chunks()
    index = combined.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    return index[rows], combined.dictionary.to_pylist()


def lengths(names: list[str]) -> Floats:
    """Bytes of each name."""
    return np.array([float(len(name.encode())) for name in names] or [1.0])


def seconds(column: Any) -> Floats:
    """Epoch seconds of a column of times."""
    microseconds = column.cast(pa.timestamp("us", tz="UTC")).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return np.asarray(microseconds, np.float64) / 1e6


def floats(column: Any) -> Floats:
    """A column of numbers, NaN for null."""
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)
