"""A stream of requests in the order of their arrival: what planned and sent ones of any workload share."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Outcome(IntEnum):
    """How far a request got: which of its DynamoDB steps ran."""

    DONE = 0
    NO_GROUP = 1
    """Stopped at Mesh's group check."""
    NO_NODE = 2
    """The conditional write found no node."""
    INVALID = 3
    """Refused before any DynamoDB call."""
    THROTTLED = 4
    """The write was throttled: the reads before it ran. Of an operation that only reads, nothing ran."""
    READ_THROTTLED = 5
    """The first read was throttled: nothing ran."""


class RequestStream(Protocol):
    """One row per request, sorted by `time_s`: seconds from `start_s` (epoch seconds) to its arrival at the server.

    `operation` indexes the operations of its workload, `items` is the number of rows that it sent or got, `outcome` is
    an Outcome.
    """

    @property
    def start_s(self) -> float: ...
    @property
    def time_s(self) -> Floats: ...
    @property
    def operation(self) -> Ints: ...
    @property
    def items(self) -> Ints: ...
    @property
    def outcome(self) -> Ints: ...
    def __len__(self) -> int: ...


Stream = TypeVar("Stream", bound=RequestStream)


@dataclass(frozen=True)
class Sent(Generic[Stream]):
    """The model's stream and what of the run it could not place.

    `row` is the row of requests.parquet behind each request. `uncertain` are requests without a valid answer: whether
    they reached DynamoDB is not known, and the model takes them as done. `left_out` counts rows of other operations,
    such as the subscription, which touch no table.
    """

    requests: Stream
    row: Ints
    uncertain: Ints
    left_out: int
