"""TransactWriteItems: all of it or nothing."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import orjson

from capacity.dynamodb.units import Consistency, read_units
from sandbox.dynamodb.capacity_report import collection_metrics, consumed_capacity
from sandbox.dynamodb.errors import DynamoDBError, cancelled, is_empty_key_value, validation
from sandbox.dynamodb.expressions.plan import Plan, plan_of
from sandbox.dynamodb.expressions.update import check_key_untouched
from sandbox.dynamodb.operations.get_item import charge_read
from sandbox.dynamodb.operations.parameters import Values, check_mixed, key_parameter, value_parameters
from sandbox.dynamodb.operations.update_item import attempted_update, prepare_update
from sandbox.dynamodb.records import Order
from sandbox.dynamodb.shapes import request_shape
from sandbox.dynamodb.tables import IndexState, TableState
from sandbox.dynamodb.throughput import Refusals
from sandbox.dynamodb.values import Item, canonical_item
from sandbox.dynamodb.writes import Write, admits_write

if TYPE_CHECKING:
    from sandbox.dynamodb.engine import Emit, Engine

_SHAPE = request_shape("TransactWriteItems")
KINDS = ("ConditionCheck", "Put", "Delete", "Update")
TOKEN_S = 600.0
"""Developer Guide, transaction-apis (2023-02): a token is remembered for ten minutes."""
MOST_BYTES = 4 << 20


class Action:
    """One member of a transaction, checked as far as it can be without looking at the item."""

    __slots__ = ("item", "key", "kind", "order", "plan", "request", "table", "values", "write")

    def __init__(self, kind: str, request: dict[str, Any]):
        self.kind = kind
        self.request = request
        expressions = ("UpdateExpression", "ConditionExpression") if kind == "Update" else ("ConditionExpression",)
        check_mixed(request, expressions, ())
        self.values: Values = value_parameters(request, wrapped=True)
        self.plan: Plan = plan_of(request, self.values)
        self.item: Item | None = canonical_item(request["Item"]) if kind == "Put" else None
        self.key: Item = self.item if self.item is not None else key_parameter(request["Key"])
        self.table: TableState
        self.order: Order
        self.write: Write

    def place(self, engine: Engine) -> dict[str, Any] | None:
        """Find table and position; returns a cancellation reason for a key that does not fit the table."""
        self.table = engine.table(self.request["TableName"])
        keys = self.table.keys
        try:
            self.order = keys.order_of_item(self.key) if self.kind == "Put" else keys.order_of_key(self.key)
            if self.plan.update is not None:
                check_key_untouched(self.plan.update.paths, keys.attributes)
        except DynamoDBError as error:
            return _unfit(error)
        return None

    def prepare(self) -> dict[str, Any]:
        """Prepare the write and return the cancellation reason; its Code is None where nothing stands in the way."""
        old = self.table.rows.get(self.order)
        old_item = orjson.loads(old.text) if old is not None else None
        try:
            condition = self.plan.condition
            holds = condition is None or condition(old_item or {}, self.values)
            if self.kind == "Update":
                prepare = prepare_update if holds else attempted_update
                self.write = prepare(self.table, self.order, old, old_item, self.key, self.plan.update, self.values)
            else:
                self.write = Write(self.table, self.order, old, self.item)
        except DynamoDBError as error:
            self.write = Write(self.table, self.order, old, None)
            return _unfit(error)
        if holds:
            return {"Code": "None"}
        reason: dict[str, Any] = {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed"}
        if self.request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD" and old_item is not None:
            reason["Item"] = old_item
        return reason


def transact_write_items(engine: Engine, request: dict[str, Any], emit: Emit) -> dict[str, Any]:
    _SHAPE.check(request)
    actions = [_action(each) for each in request["TransactItems"]]
    unfit = [action.place(engine) for action in actions]
    if any(unfit):
        raise cancelled([reason or {"Code": "None"} for reason in unfit])
    if len({(id(action.table), action.order) for action in actions}) != len(actions):
        raise validation("Transaction request cannot include multiple operations on one item")
    now_s = engine.clock()
    token = request.get("ClientRequestToken")
    if token is not None:
        replay = _replay(engine, token, request, actions, now_s)
        if replay is not None:
            return replay
    for action in actions:
        refusals = Refusals(action.table)
        if not admits_write(action.table, action.order, now_s, refusals):
            raise refusals.error()
    reasons = [action.prepare() for action in actions]
    if any(reason["Code"] != "None" for reason in reasons):
        raise _cancelled(actions, reasons, now_s)
    if sum(action.write.size_bytes for action in actions) > MOST_BYTES:
        raise validation("Collection size exceeded: the total size of a transaction cannot be more than 4 MB")
    for action in actions:
        if action.kind == "ConditionCheck":
            action.write.units *= 2.0
            action.write.charge(now_s)
        else:
            action.write.commit(now_s, transactional=True)
    if token is not None:
        engine.transaction_tokens[token] = (now_s, _fingerprint(request))
    answer: dict[str, Any] = {}
    charges = [
        (action.table, action.write.units, [(index, units) for index, units, _ in action.write.index_charges])
        for action in actions
    ]
    _add_consumed(answer, request, charges, "WriteCapacityUnits")
    if request.get("ReturnItemCollectionMetrics") == "SIZE":
        metrics: dict[str, list[Any]] = {}
        for action in actions:
            collection = collection_metrics(action.table, action.order[0], action.key)
            if collection is not None:
                metrics.setdefault(action.table.name, []).append(collection)
        if metrics:
            answer["ItemCollectionMetrics"] = metrics
    return answer


def _action(each: dict[str, Any]) -> Action:
    given = [kind for kind in KINDS if each.get(kind) is not None]
    if len(given) != 1:
        raise validation(
            "TransactItems can only contain one of Check, Put, Update or Delete"
            if given
            else "Invalid Request: TransactWriteRequest should contain Delete or Put or Update request"
        )
    return Action(given[0], each[given[0]])


def _cancelled(actions: list[Action], reasons: list[dict[str, Any]], now_s: float) -> DynamoDBError:
    """The cancellation; a failed transaction consumes what it would have."""
    for action, reason in zip(actions, reasons, strict=True):
        action.write.index_charges.clear()
        action.write.units *= 2.0
        action.write.charge(now_s)
        if reason["Code"] == "ConditionalCheckFailed":
            action.table.metrics.count("ConditionalCheckFailedRequests").add(1.0)
    return cancelled(reasons)


def _unfit(error: DynamoDBError) -> dict[str, Any]:
    """The reason of an action that cannot be done; an empty key value fails the whole request instead."""
    if is_empty_key_value(error):
        raise error
    return {"Code": "ValidationError", "Message": error.message}


def _fingerprint(request: dict[str, Any]) -> bytes:
    """Stands for what a token was first used with: a repeated request has the same."""
    return blake2b(orjson.dumps(request["TransactItems"]), digest_size=16).digest()


def _replay(
    engine: Engine, token: str, request: dict[str, Any], actions: list[Action], now_s: float
) -> dict[str, Any] | None:
    """The answer to a repeated token: nothing is written again, the items are charged as transactional reads."""
    tokens = engine.transaction_tokens
    while tokens:
        oldest = next(iter(tokens))
        if tokens[oldest][0] >= now_s - TOKEN_S:
            break
        del tokens[oldest]
    seen = tokens.get(token)
    if seen is None:
        return None
    if seen[1] != _fingerprint(request):
        raise DynamoDBError(
            "IdempotentParameterMismatchException",
            "The request uses the same client token as a previous, but non-identical request. "
            "Do not reuse a client token with different requests, unless the requests are identical",
        )
    answer: dict[str, Any] = {}
    charges: list[tuple[TableState, float, list[tuple[IndexState, float]]]] = []
    for action in actions:
        record = action.table.rows.get(action.order)
        units = read_units(record.size_bytes if record is not None else None, Consistency.TRANSACTIONAL)
        charge_read(action.table, action.order, now_s, units)
        charges.append((action.table, units, []))
    _add_consumed(answer, request, charges, "ReadCapacityUnits")
    return answer


def _add_consumed(
    answer: dict[str, Any],
    request: dict[str, Any],
    charges: list[tuple[TableState, float, list[tuple[IndexState, float]]]],
    split: str,
) -> None:
    mode = request.get("ReturnConsumedCapacity")
    if mode is None or mode == "NONE":
        return
    totals: dict[int, tuple[TableState, float, list[tuple[IndexState, float]]]] = {}
    for table, units, index_units in charges:
        _, before, indexes = totals.get(id(table), (table, 0.0, []))
        totals[id(table)] = (table, before + units, indexes + index_units)
    answer["ConsumedCapacity"] = [
        consumed_capacity(mode, table, units, index_units, split) for table, units, index_units in totals.values()
    ]
