"""One page of Query or Scan: which records it reads, where it ends, what it costs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import orjson

from capacity.dynamodb.units import Consistency, query_units, read_units
from sandbox.dynamodb.capacity_report import consumed_capacity
from sandbox.dynamodb.errors import DynamoDBError, validation
from sandbox.dynamodb.expressions.plan import Plan
from sandbox.dynamodb.keys import KeyReader, entry_sort_bytes, sort_bytes
from sandbox.dynamodb.operations.parameters import Values
from sandbox.dynamodb.records import Order, OrderedRecords, Record
from sandbox.dynamodb.tables import IndexState, TableState
from sandbox.dynamodb.throughput import refused
from sandbox.dynamodb.values import Item

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

PAGE_BYTES = 1 << 20


class Target:
    """What a Query or Scan reads: a table, or one of its indexes."""

    __slots__ = ("consistency", "fetches", "index", "keys", "records", "table")

    def __init__(self, table: TableState, index: IndexState | None, consistency: Consistency, fetches: bool):
        self.table = table
        self.index = index
        self.keys: KeyReader = table.keys if index is None else index.keys
        self.records: OrderedRecords = table.records if index is None else index.records
        self.consistency = consistency
        self.fetches = fetches
        """Whether attributes outside a local index are wanted, so that every item is read from the table as well."""

    @property
    def _is_global(self) -> bool:
        return self.index is not None and self.index.is_global

    def admit(self, now_s: float, order: Order) -> None:
        """Raise the throttling exception of the resource that this read consumes, if it is exhausted."""
        throughput = self.index.throughput if self.index is not None and self._is_global else self.table.throughput
        if throughput is None:
            return
        throttles = throughput.check(now_s, "read", order[0], self._sort_bytes(order))
        if throttles:
            raise refused(self.table, "read", throttles, self.index if self._is_global else None)

    def charge(self, now_s: float, order: Order, page: Page) -> None:
        throughput = self.index.throughput if self.index is not None and self._is_global else self.table.throughput
        if throughput is not None:
            throughput.charge(now_s, "read", order[0], page.units + page.fetched_units, self._sort_bytes(order))
        metrics = self.index.metrics if self.index is not None and self._is_global else self.table.metrics
        assert metrics is not None
        metrics.consumed_read.add(page.units + page.fetched_units)

    def _sort_bytes(self, order: Order) -> bytes | None:
        if len(order) < 2 or self.keys.length < 2:
            return None
        return sort_bytes(order) if self.index is None else entry_sort_bytes(self.keys, order)

    def key_of(self, record: Record) -> Item:
        """LastEvaluatedKey of a record: the table's key, and the index's."""
        item = orjson.loads(record.text)
        key = self.table.keys.key_of(item)
        return key if self.index is None else {**key, **self.index.keys.key_of(item)}


def target_of(engine: Engine, request: dict[str, Any]) -> Target:
    """Table and index of a Query or Scan, with Select held against what the index projects."""
    table = engine.table(request["TableName"])
    name = request.get("IndexName")
    index = None
    if name is not None:
        index = table.index_by_name.get(name)
        if index is None or index.description.get("IndexStatus", "ACTIVE") == "CREATING":
            raise validation(f"The table does not have the specified index: {name}")
    strong = bool(request.get("ConsistentRead"))
    select = request.get("Select")
    fetches = False
    if index is None and select == "ALL_PROJECTED_ATTRIBUTES":
        raise validation("ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName")
    if index is not None:
        if index.is_global:
            if strong:
                raise validation("Consistent reads are not supported on global secondary indexes")
            if select == "ALL_ATTRIBUTES" and not index.projects_all:
                raise validation(
                    "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for "
                    f"global secondary index {name} because its projection type is not ALL"
                )
        fetches = select == "ALL_ATTRIBUTES" and not index.projects_all
    return Target(table, index, Consistency.STRONG if strong else Consistency.EVENTUAL, fetches)


def check_select(request: dict[str, Any]) -> None:
    """Select and what is to be returned must not contradict each other."""
    select = request.get("Select")
    if select is None:
        return
    parameter = next((name for name in ("ProjectionExpression", "AttributesToGet") if request.get(name)), None)
    if select == "SPECIFIC_ATTRIBUTES":
        if parameter is None:
            raise validation(
                "Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES"
            )
    elif parameter is not None:
        what = "only the Count" if select == "COUNT" else select
        raise validation(f"Cannot specify the {parameter} when choosing to get {what}")


def check_filter_is_projected(target: Target, plan: Plan) -> None:
    """A Query cannot filter by attributes that its index does not hold."""
    index = target.index
    if index is not None and not index.covers(set(plan.filter_names)):
        missing = sorted(name for name in plan.filter_names if not index.covers({name}))
        raise validation(
            f"One or more parameter values were invalid: Secondary index {index.name} does not project "
            f"one or more filter attributes: [{', '.join(missing)}]"
        )


def start_order(target: Target, start: Item) -> Order:
    """Position of ExclusiveStartKey."""
    table, index = target.table, target.index
    names = set(table.keys.attributes) | (set(index.keys.attributes) if index is not None else set())
    if set(start) != names:
        raise validation("The provided starting key is invalid")
    try:
        order = table.keys.order_of_key(table.keys.key_of(start))
        if index is None:
            return order
        entry = index.keys.entry_order(start, order)
    except DynamoDBError as error:
        raise validation(f"The provided starting key is invalid: {error.message}") from None
    assert entry is not None
    return entry


class Page:
    """What one page holds."""

    __slots__ = ("count", "fetched_units", "items", "last", "scanned", "target", "units")

    def __init__(self, target: Target):
        self.target = target
        self.items: list[Any] | None = None
        self.count = 0
        self.scanned = 0
        self.units = 0.0
        self.fetched_units = 0.0
        self.last: Item | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = {}
        if self.items is not None:
            answer["Items"] = self.items
        answer["Count"] = self.count
        answer["ScannedCount"] = self.scanned
        if self.last is not None:
            answer["LastEvaluatedKey"] = self.last
        mode = request.get("ReturnConsumedCapacity")
        if mode is not None and mode != "NONE":
            target = self.target
            if target.index is None:
                answer["ConsumedCapacity"] = consumed_capacity(mode, target.table, self.units)
            else:
                answer["ConsumedCapacity"] = consumed_capacity(
                    mode, target.table, self.fetched_units, [(target.index, self.units)]
                )
        return answer


def read_page(
    records: Iterator[Record],
    target: Target,
    plan: Plan,
    values: Values,
    request: dict[str, Any],
    emit: Emit,
) -> Page:
    """Read until Limit, until 1 MB, or to the end of `records`."""
    page = Page(target)
    limit = request.get("Limit") or 1 << 62
    counting = request.get("Select") == "COUNT"
    condition, projection = plan.filter, plan.projection
    index = target.index
    fetches = target.fetches or (
        index is not None
        and bool(plan.projection_paths)
        and not index.covers({path[0] for path in plan.projection_paths})
    )
    if fetches and index is not None and index.is_global:
        missing = [path[0] for path in plan.projection_paths if not index.covers({path[0]})]
        raise validation(
            "One or more parameter values were invalid: Global secondary index "
            f"{index.name} does not project [{', '.join(missing)}]"
        )
    items: list[Any] = []
    size = scanned = count = 0
    plain = condition is None and projection is None and not fetches
    record = None
    more = False
    for record in records:
        size += record.size_bytes
        scanned += 1
        if plain:
            if not counting:
                items.append(emit(record.text))
        else:
            item = _whole(record, target, page) if fetches else orjson.loads(record.text)
            if condition is None or condition(item, values):
                count += 1
                if not counting:
                    if projection is not None:
                        items.append(projection(item))
                    else:
                        items.append(item)
        if scanned >= limit or size >= PAGE_BYTES:
            more = True
            break
    if more and record is not None and (scanned >= limit or next(records, None) is not None):
        page.last = target.key_of(record)
    page.scanned = scanned
    page.count = scanned if plain else count
    page.units = query_units(size, target.consistency)
    if not counting:
        page.items = items
    return page


def _whole(record: Record, target: Target, page: Page) -> Item:
    """The item behind an entry of a local index, read from the table and charged for."""
    base = target.table.rows[record.order[2:]]
    page.fetched_units += read_units(base.size_bytes, target.consistency)
    item: Item = orjson.loads(base.text)
    return item
