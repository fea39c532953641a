"""BatchGetItem: admitted item by item, unprocessed keys for what was refused or did not fit 16 MB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from capacity.dynamodb.units import Consistency, read_units
from sandbox.dynamodb.capacity_report import consumed_capacity
from sandbox.dynamodb.errors import validation
from sandbox.dynamodb.expressions.plan import Plan
from sandbox.dynamodb.keys import sort_bytes
from sandbox.dynamodb.operations.get_item import charge_read
from sandbox.dynamodb.operations.parameters import key_parameter, projection_plan
from sandbox.dynamodb.records import Order, Record
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.tables import TableState
from sandbox.dynamodb.throughput import Refusals, count_throttled

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("BatchGetItem")
ANSWER_BYTES = 16 << 20
MOST_KEYS = 100


def batch_get_item(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    _SHAPE.check(request)
    requests = request["RequestItems"]
    if sum(len(each["Keys"]) for each in requests.values()) > MOST_KEYS:
        raise validation("Too many items requested for the BatchGetItem call")
    plans = [(projection_plan(each), [key_parameter(key) for key in each["Keys"]]) for each in requests.values()]
    work = []
    for (name, each), (plan, keys) in zip(requests.items(), plans, strict=True):
        table = engine.table(name)
        orders = [table.keys.order_of_key(key) for key in keys]
        if len(set(orders)) != len(orders):
            raise validation("Provided list of item keys contains duplicates")
        work.append((name, each, table, plan, orders))
    batch = _Batch(engine.clock(), emit)
    responses: dict[str, list[Any]] = {}
    unprocessed: dict[str, Any] = {}
    consumed = []
    mode = request.get("ReturnConsumedCapacity")
    for name, each, table, plan, orders in work:
        responses[name], left, units = batch.read(table, each, plan, orders)
        if left:
            unprocessed[name] = {**each, "Keys": left}
        consumed.append(consumed_capacity(mode or "TOTAL", table, units))
    if batch.first_refusals is not None:
        if not batch.served:
            raise batch.first_refusals.error()
        count_throttled("BatchGetItem", batch.refused)
    answer: dict[str, Any] = {"Responses": responses, "UnprocessedKeys": unprocessed}
    if mode is not None and mode != "NONE":
        answer["ConsumedCapacity"] = consumed
    return answer


class _Batch:
    """The items of one batch, table after table, until the answer is full."""

    def __init__(self, now_s: float, emit: Emit) -> None:
        self._now_s, self._emit = now_s, emit
        self._size_bytes = 0
        self.served = 0
        self.first_refusals: Refusals | None = None
        self.refused: list[TableState] = []

    def read(
        self, table: TableState, request: dict[str, Any], plan: Plan, orders: list[Order]
    ) -> tuple[list[Any], list[Any], float]:
        """Items found, keys left unprocessed, and read units of one table."""
        consistency = Consistency.STRONG if request.get("ConsistentRead") else Consistency.EVENTUAL
        found, left, units = [], [], 0.0
        for key, order in zip(request["Keys"], orders, strict=True):
            record = table.rows.get(order)
            if not self._admits(table, order) or not self._has_room(record):
                left.append(key)
                continue
            self.served += 1
            item_units = read_units(record.size_bytes if record is not None else None, consistency)
            charge_read(table, order, self._now_s, item_units)
            units += item_units
            if record is not None:
                text = record.text
                found.append(self._emit(text) if plan.projection is None else plan.projection(orjson.loads(text)))
        return found, left, units

    def _admits(self, table: TableState, order: Order) -> bool:
        if table.throughput is None:
            return True
        throttles = table.throughput.check(self._now_s, "read", order[0], sort_bytes(order))
        if not throttles:
            return True
        refusals = Refusals(table)
        refusals.add("read", throttles)
        self.first_refusals = self.first_refusals or refusals
        if table not in self.refused:
            self.refused.append(table)
        return False

    def _has_room(self, record: Record | None) -> bool:
        if record is None:
            return True
        if self._size_bytes + record.size_bytes > ANSWER_BYTES:
            return False
        self._size_bytes += record.size_bytes
        return True
