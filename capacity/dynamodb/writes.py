"""Units of every writing operation, on the table and on each index, from the items before and after.

Sources: Developer Guide, ProvisionedThroughput, transaction-apis, GSI and LSI (2023-02-22), read-write-operations
(read 2026-11-30); index ladder, transactions and BatchWriteItem measured in eu-west-2 (nubo-db/dynoxide, 2026-08-12
to 16).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from capacity.dynamodb.attribute_value import Item, equal
from capacity.dynamodb.consumption import Consumption, Units, total
from capacity.dynamodb.item_collections import collection_bytes
from capacity.dynamodb.item_size import ITEM_LIMIT_BYTES, item_size_bytes
from capacity.dynamodb.quotas import limit
from capacity.dynamodb.reads import NotChargeable
from capacity.dynamodb.table import Index, Table
from capacity.dynamodb.units import delete_units, index_write_units, put_units, write_units


@dataclass(frozen=True)
class Write:
    """One item before and after a write; None = there is no item. Put, update and delete are charged alike.

    `old` given and `new` None is a delete; both None a delete of a missing item; equal ones an overwrite without
    effect.
    """

    old: Item | None
    new: Item | None


def write_item(table: Table, write: Write, *, transactional: bool = False) -> Consumption:
    """PutItem, UpdateItem or DeleteItem: the larger of before and after on the table, the change of its entry on each
    index.

    `transactional`: one action of a TransactWriteItems; it doubles the table's part and not the indexes'.
    Raises NotChargeable for an item above 400 KB.
    """
    old_bytes, new_bytes = _size(write.old), _size(write.new)
    if write.new is not None and (stored := collection_bytes(table, [write.new])) > ITEM_LIMIT_BYTES:
        entries = " with its entries in local indexes" if table.has_local_index else ""
        raise NotChargeable(f"an item has at most {ITEM_LIMIT_BYTES:,} bytes{entries}, got {stored:,}")
    units = (
        delete_units(old_bytes, transactional) if new_bytes is None else put_units(old_bytes, new_bytes, transactional)
    )
    arms = {index.name: Units(write=index_units(table, index, write)) for index in table.indexes}
    return Consumption(Units(write=units), {name: arm for name, arm in arms.items() if arm.write})


def index_units(table: Table, index: Index, write: Write) -> float:
    """Write units of one write on one index, 0 where its entry doesn't change."""
    old = None if write.old is None else table.index_entry(index, write.old)
    new = None if write.new is None else table.index_entry(index, write.new)
    if old is None or new is None:
        return index_write_units(_size(old), _size(new), key_changed=False, changed=True)
    changed = old.keys() != new.keys() or any(not equal(old[name], new[name]) for name in old)
    key_changed = changed and any(not equal(old[name], new[name]) for name in index.key.attributes)
    return index_write_units(item_size_bytes(old), item_size_bytes(new), key_changed=key_changed, changed=changed)


def batch_write_item(table: Table, writes: Sequence[Write]) -> Consumption:
    """BatchWriteItem on one table: every item on its own. Raises NotChargeable beyond 25 items."""
    if len(writes) > limit("dynamodb.batch_write_items"):
        raise NotChargeable(f"BatchWriteItem takes at most 25 items, got {len(writes)}; send several")
    return total(write_item(table, write) for write in writes)


def transact_write_items(table: Table, writes: Sequence[Write], checked: Sequence[Item | None] = ()) -> Consumption:
    """TransactWriteItems on one table: twice every write on the table, once on its indexes; `checked` =
    ConditionChecks.

    Raises NotChargeable beyond 100 actions.
    """
    actions = len(writes) + len(checked)
    if actions > limit("dynamodb.transaction_items"):
        raise NotChargeable(f"TransactWriteItems takes at most 100 actions, got {actions}; send several")
    written = (write_item(table, write, transactional=True) for write in writes)
    return total((*written, *map(condition_check, checked)))


def condition_check(existing: Item | None) -> Consumption:
    """A ConditionCheck in a transaction: charged as a write of the existing item, twice (measured, paritysuite PR 67,
    2026).
    """
    return Consumption(Units(write=write_units(_size(existing), transactional=True)))


def failed_condition(existing: Item | None, attempted: Item | None, *, transactional: bool = False) -> Consumption:
    """A write whose condition was false: the larger of the existing and the attempted item, no index.

    The exception carries no ConsumedCapacity; only CloudWatch shows it. Confidence middle: the guide of 2023-02 named
    the new item's size, the present one the larger (read 2026-11-30, its example: 300 KB there, 310 KB attempted, 310
    units).
    """
    larger = max(_size(existing) or 0, _size(attempted) or 0)
    return Consumption(Units(write=write_units(larger, transactional)))


def cancelled_transaction(writes: Sequence[Write], checked: Sequence[Item | None] = ()) -> Consumption:
    """A TransactWriteItems that was cancelled by a false condition or a conflict: every action is paid, no index.

    Confidence low: AWS says that capacity is consumed and not how much; a client sees it in CloudWatch alone.
    """
    failed = (failed_condition(write.old, write.new, transactional=True) for write in writes)
    return total((*failed, *map(condition_check, checked)))


def ttl_delete(expired: Item, *, replica: bool = False) -> Consumption:
    """A deletion by Time to Live: free in the region where it expires, a replicated write in every `replica`.

    Source: throughput planning for global tables (read 2026-11-30). Index entries go with it, free as well.
    """
    return Consumption(Units(write=write_units(item_size_bytes(expired)))) if replica else Consumption()


def replicated_write(table: Table, write: Write, regions: int) -> Consumption:
    """One write to a global table (2019.11.21): the table's units once in every region, the first included.

    Indexes are paid in every region too, as ordinary writes (confidence low). A transaction doubles in its own region
    only. Source: throughput planning for global tables (read 2026-11-30). Raises ValueError for fewer than 1 region.
    """
    if regions < 1:
        raise ValueError(f"a global table has at least 1 region, got {regions}")
    return total([write_item(table, write)] * regions)


def backfill_units(table: Table, index: Index, items: Iterable[Item]) -> float:
    """Write units of building a new GSI over existing items; AWS reports them as OnlineIndexConsumedWriteCapacity.

    Source: metrics-dimensions page (2023-02-22).
    """
    return sum(index_units(table, index, Write(None, item)) for item in items)


def _size(item: Item | None) -> int | None:
    return None if item is None else item_size_bytes(item)
