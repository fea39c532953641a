"""Read and write units of the single steps that every operation is made of.

A read unit covers 4 KB read strongly, a write unit 1 KB written; KB = 1,024 bytes. The same units are called capacity
units on provisioned tables and request units on demand. Sources: Developer Guide, ProvisionedThroughput and
read-write-operations (2023-02-22 and read 2026-11-30); index rules: nubo-db/dynoxide, measured in eu-west-2 on
2026-08-12 to 16.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import numpy.typing as npt

READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024
TRANSACTION_FACTOR = 2
"""A transaction prepares and commits: two underlying operations per item of the base table. Developer Guide,
2023-02-22.
"""


class Consistency(StrEnum):
    """How a read sees recent writes, and with that its price per 4 KB: 0.5, 1 or 2 units."""

    EVENTUAL = "eventual"
    STRONG = "strong"
    TRANSACTIONAL = "transactional"


_UNITS_PER_BLOCK = {Consistency.EVENTUAL: 0.5, Consistency.STRONG: 1.0, Consistency.TRANSACTIONAL: 2.0}


def read_units(size_bytes: int | None, consistency: Consistency) -> float:
    """Read units of one item; None or 0 bytes is a missing item, which costs the minimum."""
    blocks = -(-size_bytes // READ_UNIT_BYTES) if size_bytes else 1
    return blocks * _UNITS_PER_BLOCK[consistency]


def query_units(total_bytes: int, consistency: Consistency) -> float:
    """Read units of one page of Query or Scan: sizes of all evaluated items added, then rounded up once. An empty
    page costs the minimum.

    Filters, projections and Select=COUNT don't lower it (measured in eu-west-2, 2026-08).
    """
    return read_units(total_bytes, consistency)


def write_units(size_bytes: int | None, transactional: bool = False) -> float:
    """Write units of one item; None or 0 bytes is a missing item, which costs the minimum. Rounded before a
    transaction doubles it.
    """
    blocks = -(-size_bytes // WRITE_UNIT_BYTES) if size_bytes else 1
    return float(blocks * TRANSACTION_FACTOR if transactional else blocks)


def put_units(old_size_bytes: int | None, new_size_bytes: int, transactional: bool = False) -> float:
    """Write units of a PutItem on the base table: the larger of the item before (None = there was none) and after."""
    return write_units(max(old_size_bytes or 0, new_size_bytes), transactional)


def update_units(old_size_bytes: int | None, new_size_bytes: int, transactional: bool = False) -> float:
    """Write units of an UpdateItem on the base table: the whole item counts, the larger of before and after."""
    return write_units(max(old_size_bytes or 0, new_size_bytes), transactional)


def delete_units(old_size_bytes: int | None, transactional: bool = False) -> float:
    """Write units of a DeleteItem on the base table: the deleted item; deleting nothing costs 1."""
    return write_units(old_size_bytes, transactional)


def index_write_units(
    old_entry_bytes: int | None, new_entry_bytes: int | None, *, key_changed: bool, changed: bool
) -> float:
    """Write units that one write to the base table costs one secondary index; transactions don't double it.

    `old_entry_bytes`, `new_entry_bytes`: projected entry before and after, None where the index holds none.
    `key_changed`: a key attribute of the index has another value. `changed`: any projected attribute has.

    | entry | units |
    |---|---|
    | absent before and after, or unchanged | 0 |
    | enters, or leaves, the index | its size |
    | changes its key | old size + new size, each rounded on its own |
    | changes otherwise | larger of old and new |
    """
    if old_entry_bytes is None:
        return 0.0 if new_entry_bytes is None else write_units(new_entry_bytes)
    if new_entry_bytes is None:
        return write_units(old_entry_bytes)
    if key_changed:
        return write_units(old_entry_bytes) + write_units(new_entry_bytes)
    return write_units(max(old_entry_bytes, new_entry_bytes)) if changed else 0.0


def read_units_of(sizes_bytes: npt.ArrayLike, consistency: Consistency) -> npt.NDArray[np.float64]:
    """`read_units` of many items at once, elementwise."""
    return _blocks(sizes_bytes, READ_UNIT_BYTES) * _UNITS_PER_BLOCK[consistency]


def write_units_of(sizes_bytes: npt.ArrayLike, transactional: bool = False) -> npt.NDArray[np.float64]:
    """`write_units` of many items at once, elementwise."""
    return _blocks(sizes_bytes, WRITE_UNIT_BYTES) * (TRANSACTION_FACTOR if transactional else 1)


def _blocks(sizes_bytes: npt.ArrayLike, block_bytes: int) -> npt.NDArray[np.float64]:
    sizes = np.asarray(sizes_bytes, dtype=np.int64)
    return np.maximum(1, -(-sizes // block_bytes)).astype(np.float64)
