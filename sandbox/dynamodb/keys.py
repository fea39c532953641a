"""Keys: from the attributes of an item to the position that orders it in a table or index."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from capacity.physics.placement import key_hash, sort_key_bytes
from sandbox.dynamodb.errors import DynamoDBError, empty_key_value, invalid, validation
from sandbox.dynamodb.numbers import canonical_number, number_value
from sandbox.dynamodb.records import Order
from sandbox.dynamodb.values import Item, decode_binary

PARTITION_KEY_BYTES = 2048
SORT_KEY_BYTES = 1024
BEYOND = 1 << 128
"""Greater than every hash: (hash, key, BEYOND) stands behind every position that starts with (hash, key)."""

_MISMATCH = "The provided key element does not match the schema"


class KeyReader:
    """Reads the key of a table (`index_name` None) or of an index.

    `partition`, `sort`: attribute names, `sort` None for a partition key alone; kinds are S, N or B.
    """

    __slots__ = ("attributes", "index_name", "length", "partition", "partition_kind", "sort", "sort_kind")

    def __init__(
        self,
        partition: str,
        partition_kind: str,
        sort: str | None = None,
        sort_kind: str | None = None,
        index_name: str | None = None,
    ):
        self.partition = partition
        self.partition_kind = partition_kind
        self.sort = sort
        self.sort_kind = sort_kind
        self.index_name = index_name
        self.attributes = (partition,) if sort is None else (partition, sort)
        self.length = len(self.attributes)

    def order_of_key(self, key: Item) -> Order:
        """Position of a `Key` parameter: exactly the key attributes, of their types; ValidationException otherwise."""
        if len(key) != self.length:
            raise validation(_MISMATCH)
        try:
            raw = key[self.partition][self.partition_kind]
            if self.sort is None:
                return (partition_hash(self.partition, self.partition_kind, raw),)
            sort = key[self.sort][self.sort_kind]  # type: ignore[index]
        except KeyError:
            raise validation(_MISMATCH) from None
        return (
            partition_hash(self.partition, self.partition_kind, raw),
            sort_value(self.sort, self.sort_kind, sort),  # type: ignore[arg-type]
        )

    def order_of_item(self, item: Item) -> Order:
        """Position of a whole item; ValidationException when a key attribute is missing or of another type."""
        raw = self._content(item, self.partition, self.partition_kind)
        if self.sort is None:
            return (partition_hash(self.partition, self.partition_kind, raw),)
        assert self.sort_kind is not None
        sort = self._content(item, self.sort, self.sort_kind)
        return (
            partition_hash(self.partition, self.partition_kind, raw),
            sort_value(self.sort, self.sort_kind, sort),
        )

    def _content(self, item: Item, name: str, kind: str) -> Any:
        value = item.get(name)
        if value is None:
            raise invalid(f"Missing the key {name} in the item")
        content = value.get(kind)
        if content is None:
            raise invalid(f"Type mismatch for key {name} expected: {kind} actual: {next(iter(value), None)}")
        return content

    def entry_order(self, item: Item, item_order: Order) -> Order | None:
        """Position of the item's entry in this index; None when the item lacks a key attribute of the index."""
        partition = item.get(self.partition)
        sort = item.get(self.sort) if self.sort is not None else None
        position: Order = ()
        if partition is not None:
            content = self._entry_content(partition, self.partition, self.partition_kind)
            position = (partition_hash(self.partition, self.partition_kind, content, self.index_name),)
        if sort is not None:
            assert self.sort is not None
            assert self.sort_kind is not None
            content = self._entry_content(sort, self.sort, self.sort_kind)
            position = (*position, sort_value(self.sort, self.sort_kind, content, self.index_name))
        return position + item_order if len(position) == self.length else None

    def _entry_content(self, value: dict[str, Any], name: str, kind: str) -> Any:
        content = value.get(kind)
        if content is None:
            raise invalid(
                f"Type mismatch for Index Key {name} Expected: {kind} Actual: {next(iter(value), None)} "
                f"IndexName: {self.index_name}"
            )
        return content

    def key_of(self, item: Item) -> Item:
        """The key attributes of an item."""
        return {name: item[name] for name in self.attributes}


@lru_cache(maxsize=8192)  # enough for hot keys; a larger cache would itself miss the processor's caches
def partition_hash(name: str, kind: str, raw: str, index_name: str | None = None) -> int:
    """128-bit hash of a partition key; ValidationException when it is empty or longer than 2,048 bytes."""
    if kind == "N":
        raw = canonical_number(raw)
    elif kind == "S":
        _check_length(name, len(raw.encode()), PARTITION_KEY_BYTES, index_name)
    else:
        _check_length(name, len(decode_binary(raw)), PARTITION_KEY_BYTES, index_name, "binary")
    return key_hash({kind: raw})


def sort_value(name: str, kind: str, raw: str, index_name: str | None = None) -> Any:
    """What sort keys of one type are compared by: text (code points order as UTF-8 does), number or bytes."""
    if kind == "S":
        if not 0 < len(raw) <= 256:
            _check_length(name, len(raw.encode()), SORT_KEY_BYTES, index_name)
        elif type(raw) is not str:
            raise TypeError(raw)
        return raw
    if kind == "N":
        return number_value(canonical_number(raw))
    value = decode_binary(raw)
    _check_length(name, len(value), SORT_KEY_BYTES, index_name, "binary")
    return value


def _check_length(name: str, length: int, limit: int, index_name: str | None, what: str = "string") -> None:
    if length == 0:
        raise _empty(name, index_name, what)
    if length > limit:
        if limit == PARTITION_KEY_BYTES:
            raise invalid(f"Size of hashkey has exceeded the maximum size limit of{limit} bytes")
        raise invalid(f"Aggregated size of all range keys has exceeded the size limit of {limit} bytes")


def _empty(name: str, index_name: str | None, what: str) -> DynamoDBError:
    text = f"The AttributeValue for a key attribute cannot contain an empty {what} value. "
    if index_name is None:
        return empty_key_value(f"{text}Key: {name}")
    return empty_key_value(
        f"A value specified for a secondary index key is not supported. {text}IndexName: {index_name}, IndexKey: {name}"
    )


def sort_bytes(order: Order) -> bytes | None:
    """Sort key of a position as bytes in the same order, for the key ranges of partitions; None without a sort key."""
    if len(order) == 1:
        return None
    value = order[1]
    if type(value) is str:
        return value.encode()
    if type(value) is bytes:
        return value
    return sort_key_bytes({"N": str(value)})


def entry_sort_bytes(keys: KeyReader, entry_order: Order) -> bytes | None:
    """As `sort_bytes`, for an index entry, whose position goes on with that of its item."""
    return sort_bytes(entry_order) if keys.length == 2 else None
