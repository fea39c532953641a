"""The columns of the delivery ledger: what was published, received and heard, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

OUTCOMES = (
    "delivered",
    "late",
    "duplicate",
    "out_of_order",
    "lost",
    "lost_after_ack",
    "lost_by_cursor",
    "superseded",
    "unsettled",
    "crosstalk",
)
(DELIVERED, LATE, DUPLICATE, OUT_OF_ORDER, LOST, LOST_AFTER_ACK, LOST_BY_CURSOR, SUPERSEDED, UNSETTLED, CROSSTALK) = (
    range(len(OUTCOMES))
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Columns:
    """Arrays of one length that are chosen from and joined together."""

    def __getitem__(self, chosen: NDArray[np.bool_] | Ints) -> Self:
        return type(self)(*(column[chosen] for column in self.columns()))

    def __len__(self) -> int:
        return len(self.columns()[0])

    def columns(self) -> list[NDArray[Any]]:
        """Every column, in the order of the fields."""
        return [getattr(self, field.name) for field in fields(self)]  # type: ignore[arg-type]

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Several as one."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate(columns) for columns in zip(*(part.columns() for part in parts), strict=True)))


@dataclass(frozen=True)
class Publications(Columns):
    """Messages as their senders know them."""

    sender: Ints
    kind: Ints
    sequence: Ints
    group: Ints
    sent_s: Floats
    answered_s: Floats
    fate: Ints
    key: NDArray[np.object_]


@dataclass(frozen=True)
class Receptions(Columns):
    """Messages as their receivers know them, those of one receiver in the order of arrival."""

    receiver: Ints
    sender: Ints
    kind: Ints
    sequence: Ints
    received_s: Floats
    foreign: Flags


@dataclass(frozen=True)
class Presences(Columns):
    """When receivers listened, sorted by group."""

    receiver: Ints
    group: Ints
    polling: Flags
    since_s: Floats
    until_s: Floats


@dataclass(frozen=True)
class Settled(Columns):
    """Pairs and their outcome. `latency_s` is NaN where nothing came, `sender` -1 where it is unknown."""

    sent_s: Floats
    answered_s: Floats
    group: Ints
    kind: Ints
    polling: Flags
    sender: Ints
    receiver: Ints
    sequence: Ints
    outcome: Ints
    latency_s: Floats
