"""What does this operation consume, and which throughput does a rate of it need?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from capacity.calculators.answer import Answer, CalculatorError, amount
from capacity.dynamodb.quotas import limit
from capacity.dynamodb.units import (
    Consistency,
    delete_units,
    index_write_units,
    put_units,
    query_units,
    read_units,
    write_units,
)

Sizes = Sequence[int]


@dataclass(frozen=True)
class Entry:
    """An index entry before and after the write, in bytes; 0 = none. `key_changed`: it moves to another key."""

    old_bytes: int
    new_bytes: int
    key_changed: bool = False


@dataclass(frozen=True)
class _Operation:
    kind: Literal["read", "write"]
    units: Callable[[Sizes, Sizes, Consistency], float]
    rule: str
    most: str | None = None


def units(
    operation: str,
    sizes_bytes: Sizes = (),
    *,
    were_bytes: Sizes = (),
    consistency: Consistency = Consistency.EVENTUAL,
    index: Literal["GSI", "LSI"] | None = None,
    entries: Sequence[Entry] = (),
    per_second: float | None = None,
) -> Answer:
    """Units of one operation on items of these sizes (0 = missing), see OPERATIONS.

    `were_bytes`: sizes before a write, in order. `index`: what a Query or Scan reads; sizes are those of its entries.
    `entries`: index entries that a write touches. `per_second`: also the throughput for so many a second.
    Raises CalculatorError for an unknown operation, too many items, and calls that DynamoDB refuses.
    """
    if operation not in OPERATIONS:
        raise CalculatorError(f"no operation {operation!r}; expected one of {', '.join(OPERATIONS)}")
    if min((*sizes_bytes, *were_bytes, 0)) < 0:
        raise CalculatorError("sizes are bytes from 0 up (0 = there is no item); example: --size 1.5KiB")
    if index == "GSI" and consistency is not Consistency.EVENTUAL:
        raise CalculatorError(
            f"a GSI can't be read with {consistency} consistency, because it is updated asynchronously; "
            "read it eventually, or read the table or an LSI"
        )
    chosen = OPERATIONS[operation]
    if chosen.most is not None and len(sizes_bytes) > limit(chosen.most):
        raise CalculatorError(f"{operation} takes at most {limit(chosen.most):,.0f} items, got {len(sizes_bytes):,}")
    if entries and chosen.kind == "read":
        raise CalculatorError(f"{operation} reads, so it writes no index entries; leave --entry out, or ask for put")
    consumed = chosen.units(sizes_bytes or (0,), were_bytes, consistency)
    on_indexes = [
        index_write_units(
            entry.old_bytes or None,
            entry.new_bytes or None,
            key_changed=entry.key_changed,
            changed=True,
        )
        for entry in entries
    ]
    total = consumed + sum(on_indexes)
    figures = {
        "operation": operation,
        "kind": chosen.kind,
        "units": consumed,
        "index_units": on_indexes,
        "total": total,
    }
    lines = [(f"{chosen.kind} units of {index or 'the table'}", amount(consumed))]
    lines += [(f"write units of index {nth}", amount(each)) for nth, each in enumerate(on_indexes, 1)]
    if on_indexes:
        lines.append(("together", amount(total)))
    if per_second is not None:
        figures["per_second"] = consumed * per_second
        figures["index_per_second"] = [each * per_second for each in on_indexes]
        lines.append(
            (f"throughput at {amount(per_second)}/s", f"{amount(consumed * per_second)} {chosen.kind} units/s")
        )
        lines += [
            (f"  index {nth}", f"{amount(each * per_second)} write units/s") for nth, each in enumerate(on_indexes, 1)
        ]
    return Answer(figures, lines, [chosen.rule])


def _each(sizes: Sizes, were: Sizes, transactional: bool) -> float:
    before = [*were, *(0 for _ in sizes)]
    return sum(put_units(old, new, transactional) for old, new in zip(before, sizes, strict=False))


def _deletes(sizes: Sizes, transactional: bool = False) -> float:
    return sum(delete_units(size, transactional) for size in sizes)


OPERATIONS: dict[str, _Operation] = {
    "get": _Operation(
        "read", lambda sizes, _, c: read_units(sizes[0], c), "Rounded up to 4 KB; a missing item costs the minimum."
    ),
    "batch-get": _Operation(
        "read",
        lambda sizes, _, c: sum(read_units(size, c) for size in sizes),
        "Each item is rounded up to 4 KB on its own.",
        "dynamodb.batch_get_items",
    ),
    "query": _Operation(
        "read",
        lambda sizes, _, c: query_units(sum(sizes), c),
        "All evaluated items together are rounded up to 4 KB once; filters, projections and COUNT change nothing.",
    ),
    "scan": _Operation(
        "read",
        lambda sizes, _, c: query_units(sum(sizes), c),
        "All evaluated items together are rounded up to 4 KB once, page by page.",
    ),
    "transact-get": _Operation(
        "read",
        lambda sizes, _, __: sum(read_units(size, Consistency.TRANSACTIONAL) for size in sizes),
        "Twice a strong read of each item.",
        "dynamodb.transaction_items",
    ),
    "put": _Operation(
        "write",
        lambda sizes, were, _: _each(sizes[:1], were, False),
        "The larger of the item before and after, rounded up to 1 KB.",
    ),
    "update": _Operation(
        "write",
        lambda sizes, were, _: _each(sizes[:1], were, False),
        "The whole item counts, the larger of before and after, rounded up to 1 KB.",
    ),
    "delete": _Operation(
        "write",
        lambda sizes, _, __: _deletes(sizes[:1]),
        "The deleted item, rounded up to 1 KB; deleting nothing costs 1.",
    ),
    "batch-write": _Operation(
        "write",
        lambda sizes, were, _: _each(sizes, were, False),
        "Each item on its own, rounded up to 1 KB.",
        "dynamodb.batch_write_items",
    ),
    "transact-write": _Operation(
        "write",
        lambda sizes, were, _: _each(sizes, were, True),
        "Twice each write on the table, once on its indexes.",
        "dynamodb.transaction_items",
    ),
    "condition-check": _Operation(
        "write",
        lambda sizes, _, __: write_units(sizes[0], True),
        "Twice a write of the existing item, although nothing is written.",
    ),
    "failed-condition": _Operation(
        "write",
        lambda sizes, were, _: _each(sizes[:1], were, False),
        "The larger of the existing and the attempted item, although nothing is written; indexes cost nothing.",
    ),
    "replay": _Operation(
        "read",
        lambda sizes, _, __: sum(read_units(size, Consistency.TRANSACTIONAL) for size in sizes),
        "A transaction with a known ClientRequestToken reads its items instead of writing them.",
        "dynamodb.transaction_items",
    ),
    "ttl-delete": _Operation(
        "write", lambda _, __, ___: 0.0, "Free where the item expires; each replica pays a replicated write."
    ),
}
"""Every operation that units() knows."""
