"""Requests of a direct load: items of an exact size for the keys and indexes that a table has."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from capacity.dynamodb.item_size import item_size_bytes
from capacity.dynamodb.table import AttributeType, Key, Table
from locustfiles.direct.request_plan import RequestPlan

PAYLOAD = "payload"
"""The attribute that fills an item up to its size."""


class RequestMaker:
    """Makes the requests of one user. `next_key` gives key numbers; `now_s` stamps monotonic index keys."""

    def __init__(
        self,
        plan: RequestPlan,
        table: Table,
        next_key: Callable[[], int],
        now_s: Callable[[], float],
        seed: int,
        row: int | None = None,
    ) -> None:
        """`row` fixes the sort key; otherwise every request draws one."""
        self._plan, self._table, self._next_key, self._now_s = plan, table, next_key, now_s
        self.random = random.Random(seed)
        self._row = row

    def request(self, operation: str) -> dict[str, Any]:
        """Parameters of a boto3 call, with ReturnConsumedCapacity=INDEXES."""
        make = getattr(self, f"_{operation}")
        return {**make(), "ReturnConsumedCapacity": "INDEXES"}

    def item(self, number: int, row: int) -> dict[str, Any]:
        """A whole item of the plan's size."""
        item = self._keys(number, row)
        item[PAYLOAD] = {"S": "x" * max(0, self._plan.item_bytes - item_size_bytes(item) - len(PAYLOAD))}
        return item

    def smallest_item(self) -> dict[str, Any]:
        """The last item without anything in it, whose size the plan can't go below."""
        return {**self._keys(self._plan.keys - 1, self._rows - 1), PAYLOAD: {"S": ""}}

    def fill(self) -> list[dict[str, Any]]:
        """Every item that the plan's keys have."""
        return [self.item(number, row) for number in range(self._plan.keys) for row in range(self._rows)]

    @property
    def _rows(self) -> int:
        return self._plan.rows_per_key if self._table.key.sort is not None else 1

    def _keys(self, number: int, row: int) -> dict[str, Any]:
        """Key attributes of the table and of all its indexes."""
        types = self._table.attribute_types
        values = self._key(number, row)
        for index in self._table.indexes:
            if index.key.partition not in values:
                values[index.key.partition] = self._value(types[index.key.partition], number % self._plan.index_values)
            if index.key.sort is not None and index.key.sort not in values:
                values[index.key.sort] = self._value(types[index.key.sort], round(self._now_s() * 1e6))
        return values

    def _key(self, number: int, row: int) -> dict[str, Any]:
        key: Key = self._table.key
        types = self._table.attribute_types
        values = {key.partition: self._value(types[key.partition], number)}
        if key.sort is not None:
            values[key.sort] = self._value(types[key.sort], row)
        return values

    def _value(self, kind: AttributeType, number: int) -> dict[str, Any]:
        if kind == "N":
            return {"N": str(number)}
        text = f"{self._plan.key_prefix}{number:08d}"
        return {"S": text} if kind == "S" else {"B": text.encode()}

    def _some_row(self) -> int:
        return self.random.randrange(self._rows) if self._row is None else self._row

    def _some_key(self) -> dict[str, Any]:
        return self._key(self._next_key(), self._some_row())

    def _some_item(self) -> dict[str, Any]:
        return self.item(self._next_key(), self._some_row())

    def _several(self, make: Callable[[], dict[str, Any]]) -> list[dict[str, Any]]:
        """A batch of different keys; drawn ones that are there already are left out, as DynamoDB refuses them."""
        several = {}
        for _ in range(self._plan.batch):
            made = make()
            several[str([made[name] for name in self._table.key.attributes])] = made
        return list(several.values())

    def _GetItem(self) -> dict[str, Any]:
        return {"TableName": self._plan.table, "Key": self._some_key(), "ConsistentRead": self._plan.consistent}

    def _PutItem(self) -> dict[str, Any]:
        return {"TableName": self._plan.table, "Item": self._some_item()}

    def _UpdateItem(self) -> dict[str, Any]:
        key = self._some_key()
        item = {name: value for name, value in self._some_item().items() if name not in key}
        names = {f"#{place}": name for place, name in enumerate(item)}
        values = {f":{place}": value for place, value in enumerate(item.values())}
        expression = ", ".join(f"#{place} = :{place}" for place in range(len(item)))
        return {
            "TableName": self._plan.table,
            "Key": key,
            "UpdateExpression": f"SET {expression}",
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
        }

    def _DeleteItem(self) -> dict[str, Any]:
        return {"TableName": self._plan.table, "Key": self._some_key()}

    def _Query(self) -> dict[str, Any]:
        item = self._keys(self._next_key(), 0)
        key = self._table.key if self._plan.index is None else self._table.index(self._plan.index).key
        request = {
            "TableName": self._plan.table,
            "KeyConditionExpression": "#p = :p",
            "ExpressionAttributeNames": {"#p": key.partition},
            "ExpressionAttributeValues": {":p": item[key.partition]},
            "Limit": self._plan.limit,
            "ScanIndexForward": False,
        }
        return {**request, **self._index()}

    def _Scan(self) -> dict[str, Any]:
        return {"TableName": self._plan.table, "Limit": self._plan.limit, **self._index()}

    def _index(self) -> dict[str, Any]:
        if self._plan.index is None:
            return {"ConsistentRead": self._plan.consistent}
        strong = self._plan.consistent and self._table.index(self._plan.index).kind == "LSI"
        return {"IndexName": self._plan.index, "ConsistentRead": strong}

    def _BatchGetItem(self) -> dict[str, Any]:
        keys = self._several(self._some_key)
        return {"RequestItems": {self._plan.table: {"Keys": keys, "ConsistentRead": self._plan.consistent}}}

    def _BatchWriteItem(self) -> dict[str, Any]:
        puts = [{"PutRequest": {"Item": item}} for item in self._several(self._some_item)]
        return {"RequestItems": {self._plan.table: puts}}

    def _TransactGetItems(self) -> dict[str, Any]:
        gets = [{"Get": {"TableName": self._plan.table, "Key": key}} for key in self._several(self._some_key)]
        return {"TransactItems": gets}

    def _TransactWriteItems(self) -> dict[str, Any]:
        puts = [{"Put": {"TableName": self._plan.table, "Item": item}} for item in self._several(self._some_item)]
        return {"TransactItems": puts}
