"""Tables and indexes as the engine holds them: description, records, throughput, metric series."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from capacity.physics.backpressure import IndexQueue
from capacity.physics.decreases import DecreaseAllowance
from capacity.physics.resource import ThroughputResource
from sandbox.dynamodb.errors import DynamoDBError
from sandbox.dynamodb.keys import KeyReader
from sandbox.dynamodb.metrics import IndexMetrics, TableMetrics
from sandbox.dynamodb.records import Order, OrderedRecords, Record
from sandbox.dynamodb.streams import Stream
from sandbox.dynamodb.values import Item

Description = dict[str, Any]


class IndexState:
    """A secondary index: its records are entries `{table keys, index keys, projected attributes}` in its own order."""

    def __init__(self, description: Description, table_keys: KeyReader, kinds: dict[str, str], is_global: bool):
        self.description = description
        self.name: str = description["IndexName"]
        self.arn: str = description["IndexArn"]
        self.is_global = is_global
        self.keys = key_reader(description["KeySchema"], kinds, self.name)
        projection = description["Projection"]
        self.projects_all = projection["ProjectionType"] == "ALL"
        self.attributes = tuple(
            dict.fromkeys((*table_keys.attributes, *self.keys.attributes, *projection.get("NonKeyAttributes", ())))
        )
        self.records = OrderedRecords()
        self.size_bytes = 0
        self.throughput: ThroughputResource | None = None
        self.queue: IndexQueue | None = None
        self.decreases: DecreaseAllowance | None = None
        self.metrics: IndexMetrics | None = None

    def entry_of(self, item: Item) -> Item:
        """The attributes of `item` that this index stores."""
        return item if self.projects_all else {name: item[name] for name in self.attributes if name in item}

    def covers(self, names: set[str]) -> bool:
        return self.projects_all or names <= set(self.attributes)


class TableState:
    """A table: records by position, its indexes, and everything that operations need at hand per request."""

    def __init__(self, description: Description, metrics: TableMetrics):
        self.description = description
        self.name: str = description["TableName"]
        self.arn: str = description["TableArn"]
        kinds = attribute_kinds(description)
        self.keys = key_reader(description["KeySchema"], kinds)
        self.rows: dict[Order, Record] = {}
        self.records = OrderedRecords()
        self.size_bytes = 0
        self.indexes: list[IndexState] = []
        self.queued_indexes: list[IndexState] = []
        self.index_by_name: dict[str, IndexState] = {}
        self.metrics = metrics
        self.throughput: ThroughputResource | None = None
        self.collection_bytes: dict[int, int] | None = None
        self.collection_limit_bytes = 0
        self.ttl_attribute: str | None = None
        self.stream: Stream | None = None
        self.tags: dict[str, str] = {}
        self.active_from_s = 0.0
        self.unavailable = False
        self.dropped = False
        self.decreases: DecreaseAllowance | None = None
        self.warm: dict[str, Any] = {}
        self.expiry: Any = None
        self.wake: Callable[[float], None] = lambda due_s: None

    def pass_through(self, status: str, until_s: float) -> None:
        """Enter a status that ends by itself; a table being made or dropped serves nothing."""
        self.description["TableStatus"] = status
        self.active_from_s = until_s
        self.unavailable = status in ("CREATING", "DELETING")

    def settle(self) -> None:
        """Become ACTIVE."""
        self.description["TableStatus"] = "ACTIVE"
        self.unavailable = False

    def set_indexes(self, indexes: list[IndexState]) -> None:
        self.indexes = indexes
        self.index_by_name = {index.name: index for index in indexes}
        self.queued_indexes = [index for index in indexes if index.queue is not None]
        has_local = any(not index.is_global for index in indexes)
        if has_local and self.collection_bytes is None:
            self.collection_bytes = {}

    def check_collection(self, hash128: int, change_bytes: int) -> None:
        """An item collection of a table with a local index holds 10 GB; only what makes it grow is refused."""
        assert self.collection_bytes is not None
        if change_bytes > 0 and self.collection_bytes.get(hash128, 0) + change_bytes > self.collection_limit_bytes:
            raise DynamoDBError("ItemCollectionSizeLimitExceededException", "Collection size exceeded.")

    def grow_collection(self, hash128: int, change_bytes: int) -> None:
        """Count bytes of the table and its local indexes under one partition key."""
        sizes = self.collection_bytes
        assert sizes is not None
        size = sizes.get(hash128, 0) + change_bytes
        if size:
            sizes[hash128] = size
        else:
            del sizes[hash128]

    def global_indexes(self) -> Iterator[IndexState]:
        return (index for index in self.indexes if index.is_global)

    def is_on_demand(self) -> bool:
        return bool(self.description.get("BillingModeSummary", {}).get("BillingMode") == "PAY_PER_REQUEST")


def attribute_kinds(description: Description) -> dict[str, str]:
    return {each["AttributeName"]: each["AttributeType"] for each in description["AttributeDefinitions"]}


def key_reader(schema: list[dict[str, str]], kinds: dict[str, str], index_name: str | None = None) -> KeyReader:
    by_role = {each["KeyType"]: each["AttributeName"] for each in schema}
    sort = by_role.get("RANGE")
    partition = by_role["HASH"]
    return KeyReader(partition, kinds[partition], sort, kinds[sort] if sort is not None else None, index_name)
